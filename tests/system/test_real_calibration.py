"""Calibration on real data: naive Bayes is too sure of itself, and no longer is."""

import numpy as np
import polars as pl
import pytest

from deciban import CalibratedClassifier, NaiveBayes, TextClassifier
from deciban.calibration import CATALOGUE


def lost(model, X, truth):
    """The mean of −log p(true class), in nats."""
    log_p = model.predict_log_proba(X)
    return -log_p[np.arange(len(truth)), np.searchsorted(model.classes_, truth)].mean()


@pytest.fixture(scope="module")
def spambase(data):
    frame = pl.read_csv(data("spambase.csv"), infer_schema_length=None)
    X, y = frame.drop("spam", "split", strict=False).to_numpy().astype(float), frame["spam"].to_numpy()
    held = np.arange(len(y)) % 3 == 0
    return X[~held], y[~held], X[held], y[held]


def test_spambase(spambase):
    train, y, X, truth = spambase
    bayes = NaiveBayes("gaussian").fit(train, y)
    sure = CalibratedClassifier(NaiveBayes("gaussian")).fit(train, y)
    assert len(sure.tried_) == len(CATALOGUE)
    assert lost(sure, X, truth) < 0.5 < 1.0 < lost(bayes, X, truth)
    assert (sure.predict(X) == truth).mean() > (bayes.predict(X) == truth).mean()
    p = sure.predict_proba(X)[:, 1]
    for part in np.array_split(np.argsort(p), 5):
        assert abs(p[part].mean() - truth[part].mean()) < 0.08


def test_short_messages_and_what_is_told_of_them_later(data):
    frame = pl.read_parquet(data("sms.parquet")).sample(3000, seed=0)
    texts, labels = frame["text"].to_list(), frame["label"].to_numpy()
    bayes = TextClassifier("naive-bayes").fit(texts[:1500], labels[:1500])
    sure = CalibratedClassifier(TextClassifier("naive-bayes"), "platt").fit(texts[:1500], labels[:1500])
    assert lost(sure, texts[1500:], labels[1500:]) <= 1.05 * lost(bayes, texts[1500:], labels[1500:])
    wrong = labels.copy()  # now everybody calls the other half spam
    wrong[1500:] = np.where(labels[1500:] == labels.max(), labels.min(), labels.max())
    for k in range(1500, 3000, 300):
        sure.recalibrate(texts[k : k + 300], wrong[k : k + 300])
    assert sure.suffered_.log_loss < sure.suffered_.frozen
