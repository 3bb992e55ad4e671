"""Many classes: what would take more memory than the limit is refused before it is asked for, in one sentence."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from deciban import (
    NBSVM,
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticRegression,
    MLPClassifier,
    NaiveBayes,
    Perceptron,
    TextClassifier,
)
from deciban.data.text_layout import MODELS
from deciban.errors import DataError
from deciban.mail.filter import train_rows
from deciban.text.counting import counter
from deciban.text.model import DEFAULTS

ROWS = {
    "logistic": LogisticRegression(),
    "logistic, one against the rest": LogisticRegression(multi_class="ovr"),
    "linear svm": LinearSVM(),
    "linear svm, crammer-singer": LinearSVM(multi_class="crammer_singer"),
    "nbsvm": NBSVM(),
    "perceptron": Perceptron(),
    "least squares": LeastSquaresClassifier(),
    "gaussian": NaiveBayes("gaussian"),
    "multinomial": NaiveBayes("multinomial"),
    "bernoulli": NaiveBayes("bernoulli"),
    "categorical": NaiveBayes("categorical"),
    "discriminant": GaussianDiscriminant(),
    "discriminant per class": GaussianDiscriminant(covariance="per_class", shrinkage=0.5),
    "network": MLPClassifier(hidden_layer_sizes=(4,), max_iter=1),
    "svm": SVM(),
    "calibrated": CalibratedClassifier(NaiveBayes("gaussian"), cv=2),
}
COUNTING = [name for name, model in ROWS.items() if isinstance(model, NaiveBayes | GaussianDiscriminant)]
# A process that fits a model to labels all of which are distinct, and says what it was told and what that took; it
# imports nothing else.
PROGRAM = """
import sys
import numpy as np
import deciban

class Names(dict):
    def __missing__(self, name):
        return getattr(deciban, name)

def largest():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

model, kind, N, d = eval(sys.argv[1], {}, Names()), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if kind == "rows":
    X = np.random.default_rng(0).integers(0, 3, size=(N, d), dtype=np.int8).astype(float)
else:
    words = " ".join(f"v{k}" for k in range(d))
    X = [f"w{i} w{i + 1} {words}" for i in range(N)]
before = largest()
try:
    model.fit(X, np.arange(N))
except deciban.errors.DataError as error:
    print(largest() - before, error, sep="\\n")
"""


def refused(model, kind, N, d):
    words = [sys.executable, "-c", PROGRAM, repr(model), kind, str(N), str(d)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    grown, said = done.stdout.splitlines()
    return int(grown), said


@pytest.mark.deep
@pytest.mark.parametrize("name", ROWS)
def test_a_class_of_each_row_is_refused_before_anything_is_allocated(name):
    N, d = 70_000, 600 if name in COUNTING else 100
    grown, said = refused(ROWS[name], "rows", N, d)
    assert said.startswith("y holds 70,000 distinct labels: a fit of them takes about "), said
    assert said.endswith(
        " GB. At most 4 GB are expected. Check that these are the labels, keep fewer features, or set DECIBAN_MEMORY "
        "to more gigabytes."
    )
    assert grown < 3 * 8 * N * d + 150e6  # copies of X, and modules


@pytest.mark.deep
@pytest.mark.parametrize("name", MODELS)
def test_a_class_of_each_text_is_refused_before_anything_is_allocated(name):
    grown, said = refused(TextClassifier(model=name), "texts", 70_000, 4)
    assert "70,000 distinct labels" in said or "for 70000 classes" in said
    assert grown < 400e6


@pytest.mark.parametrize("name", ROWS)
def test_the_limit_is_a_setting(name, monkeypatch):
    """A fit that is refused under a low limit succeeds under the default."""
    random, C = np.random.default_rng(0), 12
    y = np.arange(15 * C) % C
    X = random.poisson(1.0 + 3.0 * np.eye(C)[y]).astype(float)
    monkeypatch.setenv("DECIBAN_MEMORY", "0.00001")
    with pytest.raises(DataError, match="y holds 12 distinct labels: a fit of them takes about"):
        ROWS[name].fit(X, y)
    monkeypatch.delenv("DECIBAN_MEMORY")
    assert len(ROWS[name].fit(X, y).classes_) == C


@pytest.mark.parametrize("given", ["much", "0", "-1", "nan"])
def test_a_limit_that_is_none_is_refused(given, monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY", given)
    with pytest.raises(DataError, match=f"DECIBAN_MEMORY='{given}' in the environment. A number of gigabytes above 0"):
        NaiveBayes().fit([[1.0], [2.0]], [0, 1])


@pytest.mark.deep
@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("svm", "linear svm, crammer-singer")])
def test_a_thousand_classes_of_a_hundred_columns_are_learnt(name):
    random, C, d = np.random.default_rng(0), 1000, 100
    y = np.arange(2 * C) % C
    X = random.poisson(1.0 + 3.0 * random.random((C, d))[y]).astype(float)
    model = clone(ROWS[name])
    if "max_iter" in model.get_params():
        model.set_params(max_iter=1)
    assert len(model.fit(X, y).classes_) == C


def test_words_are_counted_before_many_classes_are_refused(monkeypatch):
    """The bound on the words is what the settings take; what is refused is decided by the words that are there."""
    texts, y = [f"w{i % 5} of the few" for i in range(60)], np.arange(60) % 20
    monkeypatch.setenv("DECIBAN_MEMORY", "0.0001")
    assert len(TextClassifier(model="naive-bayes").fit(texts, y).classes_) == 20
    monkeypatch.setenv("DECIBAN_MEMORY", "0.000001")
    with pytest.raises(DataError, match="y holds 20 distinct labels"):
        TextClassifier(model="naive-bayes").fit(texts, y)


def streamed(texts, labels, n=20):
    """Batches of so many texts, as a table is read."""
    return [(texts[i : i + n], labels[i : i + n]) for i in range(0, len(texts), n)]


@pytest.mark.parametrize("hashed", [None, 12])
def test_many_classes_are_refused_while_texts_are_still_being_read(hashed, monkeypatch):
    texts, labels = [f"w{i} of many w{i * i}" for i in range(400)], [f"l{i % 200}" for i in range(400)]
    settings = replace(DEFAULTS["text"].settings, hashed_bits=hashed)
    words = len(train_rows(streamed(texts, labels), settings)[0].model.encoder.book)
    bytes_each = 8 * 4.0 * 200
    monkeypatch.setenv("DECIBAN_MEMORY", str(1.01e-9 * bytes_each * words))
    assert len(train_rows(streamed(texts, labels), settings)[0].model.classes) == 200
    monkeypatch.setenv("DECIBAN_MEMORY", str(0.99e-9 * bytes_each * words))
    with pytest.raises(DataError, match="there are 200 distinct labels: a fit of them takes about"):
        train_rows(streamed(texts, labels), settings)
    monkeypatch.setenv("DECIBAN_MEMORY", str(0.1e-9 * bytes_each * words))
    read = []
    with pytest.raises(DataError, match="distinct labels: a fit of them takes about"):
        train_rows((read.append(batch) or batch for batch in streamed(texts, labels)), settings)
    assert len(read) < 20  # it was not read to the end


@pytest.mark.parametrize("jobs", [1, 3])
def test_words_that_a_counter_holds_are_those_that_it_finds(jobs):
    pass_ = counter(DEFAULTS["text"].settings, 2, n_jobs=jobs)
    pass_.add([f"w{i % 70} of w{i % 11}" for i in range(300)], [i % 2 for i in range(300)])
    assert pass_.distinct() == len(pass_.finish()[0][0])
