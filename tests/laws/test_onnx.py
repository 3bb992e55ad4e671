"""Every model that predicts answers from its ONNX file what it answers in Python; what has none is refused."""

import json
import warnings
from functools import cache

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from estimators import CASES, Case, answers, counts, fitted, measured
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Foreign
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import deciban
from deciban import (
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    MLPClassifier,
    MLPRegressor,
    NaiveBayes,
    Perceptron,
    SVMRegressor,
    TextClassifier,
    distributions,
    kernels,
)
from deciban.calibration.calibrator import CATALOGUE as CALIBRATORS
from deciban.errors import DataError
from deciban.export import token_counts

CLOSE = 1e-5
_NET = {"hidden_layer_sizes": (3,), "max_iter": 3}
MORE = [
    *(Case(f"bayes-{name}-ml", NaiveBayes(name, estimate="ml"), "counts") for name in ("poisson", "categorical")),
    *(Case(f"bayes-{name}-urn", NaiveBayes(name, estimate="predictive"), "counts") for name in ("poisson",)),
    *(Case(f"bayes-{n}-urn", NaiveBayes(n, estimate="predictive"), "counts") for n in ("multinomial", "complement")),
    Case("bayes-present-ml", NaiveBayes("bernoulli", estimate="ml"), "present"),
    Case("bayes-threshold", NaiveBayes("bernoulli", binarize=0.7), "measured"),
    Case("bayes-of-columns", NaiveBayes({0: "poisson", 1: "gaussian", 2: "bernoulli", 3: None}), "counts"),
    Case("bayes-of-objects", NaiveBayes(distributions.Gaussian(shared=True)), "measured"),
    Case("bayes-normal", NaiveBayes("gaussian", estimate="ml"), "measured-of-three"),
    Case("bayes-given-prior", NaiveBayes(class_prior=[1.0, 0.0]), "counts"),
    Case("discriminant-diagonal", GaussianDiscriminant("diagonal", estimate="bayes"), "measured-of-three"),
    Case("logistic-of-three", LogisticRegression(), "measured-of-three"),
    Case("logistic-sparse", LogisticRegression(multi_class="ovr"), "measured-of-three"),
    Case("svm-rest-of-three", SVM(multi_class="ovr"), "measured-of-three"),
    Case("svm-curve", SVM(calibration="isotonic"), "measured"),
    Case("svm-curve-of-three", SVM(calibration="isotonic"), "measured-of-three"),
    Case("svm-rest-curve", SVM(calibration="isotonic", multi_class="ovr"), "measured-of-three"),
    Case("svm-without", SVM("linear", calibration=None), "measured-of-three"),
    Case("svm-linear", SVM("linear"), "measured-of-three"),
    *(Case(f"svm-{each.name}-kernel", SVM(each()), "measured") for each in kernels.CATALOGUE),
    *(Case(f"svm-{each.name}", SVM(each()), "counts") for each in kernels.HISTOGRAMS),
    Case("svm-sum", SVM(kernels.Linear() + kernels.Cosine() * kernels.Polynomial(degree=2)), "measured"),
    Case("svr-sum", SVMRegressor(kernels.Laplacian(0.3)), "target"),
    *(
        Case(f"mlp-{unit}-{output}", MLPClassifier(activation=unit, output=output, dtype=dtype, **_NET), data)
        for unit, output, dtype, data in (
            ("logistic", "softmax", "float64", "measured-of-three"),
            ("tanh", "logistic", "float32", "measured"),
            ("identity", "logistic", "float64", "measured-of-three"),
        )
    ),
    *(
        Case(f"calibrated-{name}-{type(inner).__name__}-{data}", CalibratedClassifier(inner, name, cv=3), data)
        for name in CALIBRATORS
        for inner, data in (
            (LinearSVM(), "measured"),
            (LinearSVM(), "measured-of-three"),
            (GaussianDiscriminant(), "measured-of-three"),
        )
    ),
    Case("calibrated-machine", CalibratedClassifier(SVM(), "beta", cv=3), "measured-of-three"),
    Case("calibrated-texts", CalibratedClassifier(TextClassifier("naive-bayes"), "platt", cv=3), "texts"),
    Case("texts-counted", TextClassifier("naive-bayes", binary=False, words=(1, 1)), "texts"),
    Case("texts-hashed", TextClassifier("naive-bayes", hashed_bits=6, words=(1, 1)), "texts"),
    Case("texts-few", TextClassifier("naive-bayes", max_features=3, words=(1, 1)), "texts"),
    Case("texts-network-of-idf", TextClassifier("mlp", weighting="idf", epochs=2, words=(1, 1)), "texts"),
]
EVERY = [*CASES, *MORE]
assert len({case.id for case in EVERY}) == len(EVERY)
PREDICT = [case for case in EVERY if hasattr(case.estimator, "predict")]
OTHERS = [case for case in EVERY if not hasattr(case.estimator, "predict")]
OF_ROWS = [case for case in PREDICT if case.data.partition("-")[0] == "measured" or case.data == "target"]
over = lambda cases: pytest.mark.parametrize("case", cases, ids=[case.id for case in cases])  # noqa: E731


@cache
def fit_case(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that so few passes do not converge
        return fitted(next(case for case in EVERY if case.id == name))


def run(made, rows):
    """Return what onnxruntime answers of rows, by the name of the output."""
    onnx.checker.check_model(made, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": rows}), strict=True))


def ask_model(model, X):
    """Return what the model answers, by the names of the outputs."""
    said = answers(model, X)
    if not (hasattr(model, "classes_") or hasattr(model, "offset_")):
        return {"prediction": said["predict"]}
    scores = said.get("decision_function", said.get("predict_joint_log_proba"))
    if scores is None:  # of a network: signals in nats
        scores = model._signals(X) if model.multilabel_ else model.scorer_(X)
    found = {"label": said["predict"], "scores": scores}
    return found | ({"probabilities": said["predict_proba"]} if "predict_proba" in said else {})


def rounding_of(model, X):
    """Return how far a last bit of the largest terms moves a score of a kernel machine: Σ |a_i| √(K(z_i, z_i) K(x, x)).

    It matters where terms cancel: a machine of features of 10^7, whose scores are near 1, has terms of 10^15.
    """
    if not hasattr(model, "dual_coef_") or model.support_vectors_.ndim != 2:
        return 0.0
    own, other = (np.sqrt(np.abs(model.kernel_.diagonal(each))) for each in (model.support_vectors_, X))
    return np.finfo(float).eps * (np.abs(model.dual_coef_) @ own).max() * other.max()


def check(model, rows, X, dtype="float32"):
    """The file answers of rows what the model answers of X."""
    told, said = run(deciban.to_onnx(model, dtype=dtype), rows.astype(dtype)), ask_model(model, X)
    assert set(told) == set(said)
    for name, value in said.items():
        assert told[name].shape == value.shape, name
        if name == "label":
            assert told[name].tolist() == value.tolist()
        else:
            assert told[name].dtype == np.dtype(dtype)
            scale = 1.0 if name == "probabilities" else np.abs(value[np.isfinite(value)]).max(initial=1.0)
            near = CLOSE * scale + rounding_of(model, X)
            np.testing.assert_allclose(told[name], value, rtol=CLOSE, atol=near, err_msg=name)


def rows_of(case, model):
    """Return rows as the graph takes them, and as the model does."""
    X, _ = case.learn()
    if case.data == "texts":
        inner = getattr(model, "estimator_", model)
        return token_counts(inner, X), X
    rows = np.asarray(X, dtype=np.float32)
    return rows, rows.astype(np.float64)


@over(PREDICT)
def test_the_file_answers_as_the_model(case):
    model = fit_case(case.id)
    for dtype in ("float32", "float64"):
        check(model, *rows_of(case, model), dtype=dtype)


@over(OTHERS)
def test_what_does_not_predict_is_refused(case):
    name, module = type(case.estimator).__name__, type(case.estimator).__module__
    with pytest.raises(DataError) as caught:
        deciban.to_onnx(fit_case(case.id))
    assert str(caught.value).startswith(f"{name}, of {module}, cannot be written as ONNX. Expected a fitted classifier")


@pytest.mark.parametrize("unit", [1e-6, 1e5])
@pytest.mark.each_once
@over(OF_ROWS)
def test_in_any_unit(case, unit):
    """Features of other units and far from the origin, some of them as large as the others are small."""
    X, y = case.learn()
    X = np.float32(unit * (np.asarray(X) * np.array([1.0, 1e-2, 1e2, 1.0]) + np.array([0.0, 3.0, 0.0, -40.0])))
    X = X.astype(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            most = {name: min(n, 500) for name, n in case.estimator.get_params().items() if name == "max_iter"}
            model = case.new(**most).fit(X, y)
        except DataError:  # units that this model cannot fit
            return
    check(model, X, X)


MISSING = [case for case in PREDICT if case.estimator.__sklearn_tags__().input_tags.allow_nan]


@over(MISSING)
def test_what_is_missing_is_left_out(case):
    model = fit_case(case.id)
    X = np.array(case.learn()[0], dtype=np.float64)
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    X = X.astype(np.float32).astype(np.float64)
    check(model, X, X)
    assert len(MISSING) > 5


def test_a_row_alone_and_no_rows_are_answered():
    case = next(case for case in CASES if case.id == "svm-of-three")
    made, X = deciban.to_onnx(fit_case(case.id)), np.float32(case.learn()[0])
    whole = run(made, X)
    for some in (X[:1], X[:0]):
        for name, value in run(made, some).items():
            np.testing.assert_allclose(value, whole[name][: len(some)], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "c"],
        np.array(["a", "b", "c"], dtype=object),
        [3, 7, 11],
        [1.0, 5.0, 2.0],
        np.array([1, 2, 3], "u1"),
        ["한", "가", ""],
    ],
    ids=["text", "objects", "whole", "numbers", "small", "korean"],
)
def test_labels_come_back(labels):
    X, y = measured(3)
    model = LogisticRegression().fit(X, np.asarray(labels)[y])
    told = run(deciban.to_onnx(model), np.float32(X))["label"]
    assert told.tolist() == model.predict(np.float32(X)).tolist()


def test_truth_is_a_label():
    X, y = measured()
    told = run(deciban.to_onnx(Perceptron(pocket=True, max_iter=5).fit(X, y == 1)), np.float32(X))["label"]
    assert told.dtype == bool


def test_several_targets_and_many_labels():
    X, y = measured(3)
    Y = np.eye(3, dtype=int)[y]
    Y[::4, 0] = 1
    for model in (LeastSquaresClassifier(), MLPClassifier((3,), max_iter=3)):
        check(model.fit(X, Y), np.float32(X), np.float32(X).astype(float))
    for model in (LinearRegression(), MLPRegressor((3,), max_iter=3)):
        check(model.fit(X, X[:, :2]), np.float32(X), np.float32(X).astype(float))


def test_sparse_rows_and_weights_make_the_same_file():
    X, y = measured(3)
    model = SVM().fit(sparse.csr_array(X), y)
    check(model, np.float32(X), np.float32(X).astype(float))
    thin = LogisticRegression(penalty="l1", C=0.1).fit(X, y).sparsify()
    check(thin, np.float32(X), np.float32(X).astype(float))


def test_a_gram_matrix_is_a_row_of_values():
    X, y = measured(3)
    gram = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    check(SVM("precomputed").fit(gram, y), np.float32(gram), np.float32(gram).astype(float))


def test_columns_of_labels_are_codes():
    X, y = counts()
    jobs = np.array(["judge", "clerk", "nurse"])[X[:, 0].astype(int) % 3]
    frame = pd.DataFrame({"visits": X[:, 1], "job": jobs, "member": X[:, 2] > 1})
    model = NaiveBayes("auto", calibration="affine").fit(frame, y)
    made = deciban.to_onnx(model)
    strange = pd.DataFrame({"visits": [2.0], "job": ["king"], "member": [True]})
    codes = model.columns_.matrix(pd.concat([frame, strange]))
    told = run(made, np.float32(codes))
    np.testing.assert_allclose(told["probabilities"][:-1], model.predict_proba(frame), atol=CLOSE)
    np.testing.assert_allclose(told["probabilities"][-1:], model.predict_proba(strange), atol=CLOSE)
    known = {each.key: each.value for each in made.metadata_props}
    assert json.loads(known["categories"]) == {"job": ["clerk", "judge", "nurse"]}
    assert json.loads(known["feature_names"]) == ["visits", "job", "member"]


def test_the_file_says_what_it_is(tmp_path):
    X, y = counts()
    frame = pd.DataFrame(X, columns=["free", "lunch", "무료", "noon"])
    made = deciban.to_onnx(NaiveBayes().fit(frame, y), tmp_path / "model.onnx")
    known = {each.key: each.value for each in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert known == {
        "deciban_version": deciban.__version__,
        "model": "NaiveBayes",
        "classes": '["ham", "spam"]',
        "feature_names": '["free", "lunch", "무료", "noon"]',
    }
    assert {node.domain for node in made.graph.node} == {""}
    assert made.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "n"
    again = deciban.to_onnx(NaiveBayes().fit(frame, y))
    assert again.SerializeToString(deterministic=True) == (tmp_path / "model.onnx").read_bytes()


@pytest.mark.parametrize("case", ["discriminant", "svm-of-three", "texts-bayes", "mlp", "calibrated", "least-squares"])
def test_a_model_from_a_file_makes_the_same_file(case, tmp_path):
    model = fit_case(case)
    model.save(tmp_path / "model.deciban")
    again = deciban.load(tmp_path / "model.deciban")
    one, other = (deciban.to_onnx(each).SerializeToString(deterministic=True) for each in (model, again))
    assert one == other


X3, Y3 = measured(3)
REFUSED = {
    "sklearn": (
        lambda: Foreign().fit(X3, Y3),
        "LogisticRegression, of sklearn.linear_model._logistic, cannot be written as ONNX. Expected a fitted "
        "classifier, regression or outlier detector of Deciban. Write the model that is in it, and convert what comes "
        "before with the converter of its library.",
    ),
    "pipeline": (
        lambda: make_pipeline(StandardScaler(), LinearSVM()).fit(X3, Y3),
        "Pipeline, of sklearn.pipeline, cannot be written as ONNX. Expected a fitted classifier, regression or outlier "
        "detector of Deciban. Write the model that is in it, and convert what comes before with the converter of its "
        "library.",
    ),
    "function": (
        lambda: SVM(lambda a, b: a @ b.T).fit(X3, Y3),
        "kernel Function(<lambda>) cannot be written as ONNX. Expected a kernel of rows of numbers that is a formula. "
        "Compute the Gram matrix yourself, and fit with kernel='precomputed'.",
    ),
    "texts": (
        lambda: SVM(kernels.Spectrum()).fit(["ab", "ba", "bb", "aa"] * 3, [0, 1, 1, 0] * 3),
        "kernel 'spectrum' compares texts and cannot be written as ONNX. Expected a kernel of rows of numbers. "
        "Fit TextClassifier('kernel-svm'), which is written from the counts of words on.",
    ),
    "labels": (
        lambda: LogisticRegression().fit(X3, np.array(["2026-01-0" + d for d in "123"], "M8[D]")[Y3]),
        "labels [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2), datetime.date(2026, 1, 3)] cannot be written as "
        "ONNX. Expected whole numbers, truth values, numbers or texts, "
        "all of one type. Fit with such labels.",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_form_is_refused(name):
    make, text = REFUSED[name]
    with pytest.raises(DataError) as caught:
        deciban.to_onnx(make())
    assert str(caught.value) == text


def test_other_types_and_models_that_are_not_fitted_are_refused():
    with pytest.raises(ValueError, match=r"^dtype must be one of 'float32', 'float64', got 'float16'$"):
        deciban.to_onnx(LogisticRegression(), dtype="float16")
    with pytest.raises(ValueError, match="not fitted"):
        deciban.to_onnx(LogisticRegression())
