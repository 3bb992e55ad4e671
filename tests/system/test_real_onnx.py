"""ONNX files of models of real data: 26 letters by pairs of classes, messages by words, people by columns."""

import numpy as np
import onnxruntime
import polars as pl
import pytest

import deciban
from deciban import (
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    MLPClassifier,
    NaiveBayes,
    TextClassifier,
)
from deciban.export import token_counts

CLOSE = 1e-5
OF_LETTERS = {
    "pairs": SVM(),
    "pairs by curves": SVM(calibration="isotonic"),
    "each against the rest": SVM(multi_class="ovr"),
    "quadratic": GaussianDiscriminant("per_class", shrinkage=0.1),
    "categories": NaiveBayes("categorical"),
    "network": MLPClassifier((32,), max_iter=10),
    "beta": CalibratedClassifier(GaussianDiscriminant(), "beta", cv=3),
}
OF_TEXTS = ("naive-bayes", "nbsvm", "svm", "kernel-svm", "mlp")


def run(model, rows):
    """Return what onnxruntime answers of rows, by the name of the output."""
    content = deciban.to_onnx(model).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": rows}), strict=True))


@pytest.mark.parametrize("name", OF_LETTERS)
def test_letters(name, data):
    table = pl.read_csv(data("letter.csv"))
    X, y = table.drop("letter", "split").to_numpy().astype(np.float64), table["letter"].to_numpy().astype(str)
    model = OF_LETTERS[name].fit(X[:1300], y[:1300])
    told = run(model, np.float32(X[1300:2600]))
    assert told["label"].tolist() == model.predict(X[1300:2600]).tolist()
    np.testing.assert_allclose(told["probabilities"], model.predict_proba(X[1300:2600]), atol=CLOSE)


@pytest.mark.parametrize("name", OF_TEXTS)
def test_messages(name, data):
    table = pl.read_parquet(data("sms.parquet"))
    texts, labels = table["text"].to_list(), table["label"].to_list()
    model = TextClassifier(name).fit(texts[:800], labels[:800])
    told = run(model, token_counts(model, texts[800:1200]))
    assert told["label"].tolist() == model.predict(texts[800:1200]).tolist()
    np.testing.assert_allclose(told["probabilities"], model.predict_proba(texts[800:1200]), atol=CLOSE)


def test_people(data):
    table = pl.read_csv(data("adult.csv"))
    X, y = table.drop("income", "split"), table["income"]
    model = NaiveBayes("auto", calibration="affine").fit(X[:4000], y[:4000])
    told = run(model, np.float32(model.columns_.matrix(X[4000:6000])))
    assert told["label"].tolist() == model.predict(X[4000:6000]).tolist()
    np.testing.assert_allclose(told["probabilities"], model.predict_proba(X[4000:6000]), atol=CLOSE)
