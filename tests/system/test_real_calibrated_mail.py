"""What the default for mail says is borne out on real mail that it has not learnt, and it ranks ahead of what was."""

import numpy as np
import pytest

from deciban import TextClassifier
from deciban.evaluation.online import Feedback, replay_texts
from deciban.evaluation.roc import inversions
from deciban.text.corpus import Corpus
from deciban.text.recipes import recipe
from system import real_mail

LABELS = ("ham", "spam")


def trec(data):
    texts, labels = real_mail.trec(data)
    return texts, np.array([LABELS.index(label) for label in labels])


def spamassassin(data):
    texts, folders = real_mail.spamassassin(data)
    return texts, np.array(["spam" in folder for folder in folders]).astype(int), folders


def log_loss(odds, y):
    return np.logaddexp(0.0, np.where(y == 1, -odds, odds)).mean()


def check(odds, y, factor):
    """Log-odds of spam are hardly improved by any temperature, and what is all but certain is right."""
    best = min(log_loss(odds * a, y) for a in np.geomspace(0.05, 20.0, 61))
    assert log_loss(odds, y) <= factor * best
    assert log_loss(odds, y) <= log_loss(np.full(len(y), np.log(y.mean() / (1.0 - y.mean()))), y)
    certain = np.abs(odds) > np.log(9999.0)
    assert ((odds > 0) != y)[certain].sum() <= 0.0005 * max(certain.sum(), 2000)


def fitted(texts, y, known, model, **given):
    learnt = TextClassifier(model, kind="mail", **given).fit([texts[i] for i in known], np.array(LABELS)[y[known]])
    others = np.setdiff1d(np.arange(len(y)), known)
    scores = learnt.predict_joint_log_proba([texts[i] for i in others])
    return scores[:, 1] - scores[:, 0], y[others]


@pytest.mark.parametrize("seed", range(2))
def test_random_parts_are_calibrated(seed, data):
    for texts, y, *_ in (trec(data), spamassassin(data)):
        known = np.random.default_rng(seed).permutation(len(y))[:3000]
        odds, truth = fitted(texts, y, known, "online")
        check(odds, truth, 1.1)
        others, _ = fitted(texts, y, known, "naive-bayes")
        assert inversions(odds, truth == 1) < 0.5 * inversions(others, truth == 1)
        assert log_loss(odds, truth) < log_loss(others, truth)
        raw, _ = fitted(texts, y, known, "naive-bayes", calibration=None)
        assert log_loss(odds, truth) < 0.1 * log_loss(raw, truth)


def test_folders_that_came_later_are_judged_with_care(data):
    texts, y, folders = spamassassin(data)
    known = np.flatnonzero(np.isin(folders, ["easy-ham-1", "hard-ham-1", "spam-1"]))
    odds, truth = fitted(texts, y, known, "online")
    check(odds, truth, 1.3)
    assert 100.0 * inversions(odds, truth == 1) / ((truth == 1).sum() * (truth == 0).sum()) < 0.15


def test_a_stream_is_calibrated_as_it_comes(data):
    texts, y = trec(data)
    of = recipe("mail", "online", {})
    corpus = Corpus.of_texts(texts, of.settings.reader(), LABELS, y)
    logs = replay_texts(corpus, of, np.arange(len(y)), Feedback())
    odds = logs[:, 1] - logs[:, 0]
    check(odds, y, 1.1)
    assert 100.0 * inversions(odds, y == 1) / ((y == 1).sum() * (y == 0).sum()) <= 0.0204  # half of bogofilter's
