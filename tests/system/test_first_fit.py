"""A first fit of arrays or texts loads no scikit-learn, which takes longer than the fit, nor what only that needs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import deciban
from laws.estimators import CASES

SLOW = ("sklearn", "joblib", "pandas", "scipy.stats")
# Every fit here converges: the warning that one did not is scikit-learn's.
FIT = """
import json, sys
import numpy as np
import deciban

random = np.random.default_rng(0)
y = np.arange(60) % 2
X = random.normal(size=(60, 4)) + 6.0 * y[:, None]
data = {{
    "table": (X, np.array(["ham", "spam"])[y]),
    "lists": (X.tolist(), np.array(["ham", "spam"])[y].tolist()),
    "counts": (np.abs(X).astype(int), y),
    "numbers": (X, X[:, 0] + random.normal(size=60)),
    "texts": (
        [f"cheap pills {{i}} now" if k else f"agenda of the meeting {{i}} at lunch" for i, k in enumerate(y)],
        [["ham", "spam"][k] for k in y],
    ),
}}
rows, answers = data[{data!r}]
model = {make}
model.fit(rows, answers)
repr(model)
for name in ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "explain"):
    if hasattr(model, name):
        getattr(model, name)(rows)
print(json.dumps(sorted(set({slow}) & set(sys.modules))))
"""
FITS = {
    "CalibratedClassifier()": "table",
    "GaussianDiscriminant()": "table",
    "GaussianDiscriminant(covariance='per_class')": "table",
    "LeastSquaresClassifier()": "table",
    "LinearRegression()": "numbers",
    "LinearSVM()": "table",
    "LinearSVR()": "numbers",
    "LogisticRegression()": "table",
    "MLPClassifier(tol=1.0)": "table",
    "MLPRegressor(tol=1.0)": "numbers",
    "MutualInformation(k=2)": "counts",
    "NBSVM()": "counts",
    "NaiveBayes()": "counts",
    "NaiveBayes('gaussian')": "table",
    "Nystroem()": "table",
    "OneClassSVM()": "table",
    "Perceptron()": "table",
    "RandomFourier()": "table",
    "SVM()": "table",
    "SVMRegressor()": "numbers",
    "TextClassifier()": "texts",
    "TextClassifier(model='svm')": "texts",
    "TextVectorizer()": "texts",
    "TfidfTransformer()": "counts",
}
OTHERS = [
    ("LogisticRegression()", "lists"),
    ("NaiveBayes('gaussian')", "lists"),
    ("SVM()", "lists"),
    *((f"TextClassifier(model={name!r})", "texts") for name in ("naive-bayes", "nbsvm", "logistic", "kernel-svm")),
]


def test_every_estimator_is_fitted():
    assert {make.partition("(")[0] for make in FITS} == {type(case.estimator).__name__ for case in CASES}


@pytest.mark.parametrize(
    ("make", "data"), [*FITS.items(), *(pytest.param(*each, marks=pytest.mark.deep) for each in OTHERS)]
)
def test_a_first_fit_loads_no_scikit_learn(make, data):
    code = FIT.format(make=f"deciban.{make}", data=data, slow=SLOW)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_a_fit_that_warns_has_scikit_learns_warning():
    code = FIT.format(make="deciban.MLPClassifier(max_iter=2)", data="table", slow=SLOW)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert "sklearn" in json.loads(done.stdout), done.stderr


def test_no_module_imports_scikit_learn_where_it_is_imported_itself():
    for path in Path(deciban.__file__).parent.rglob("*.py"):
        for statement in ast.parse(path.read_text()).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                names = (
                    [statement.module or ""]
                    if isinstance(statement, ast.ImportFrom)
                    else [n.name for n in statement.names]
                )
                assert not any(name.split(".")[0] == "sklearn" for name in names), path
