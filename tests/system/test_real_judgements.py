"""Judgements on real mail, as counts of words: what their figures and reliability say."""

import numpy as np
import polars as pl
import pytest

from deciban import LogisticRegression, NaiveBayes
from deciban.evaluation.judgements import Judgements
from deciban.evaluation.reliability import reliability
from deciban.evaluation.roc import operating_points
from deciban.report import roc_curve


@pytest.fixture(scope="module")
def judged(data):
    """What naive Bayes and logistic regression, which learnt two thirds of Spambase, said of the rest."""
    table = pl.read_csv(data("spambase.csv"), infer_schema_length=None).to_numpy()
    order = np.random.default_rng(0).permutation(len(table))
    X, y = np.log1p(table[order, :-1].astype(np.float64)), table[order, -1].astype(np.intp)
    learnt, held = slice(0, 3000), slice(3000, None)
    models = {"naive Bayes": NaiveBayes("gaussian"), "logistic regression": LogisticRegression()}
    fitted = {name: model.fit(X[learnt], y[learnt]) for name, model in models.items()}
    return {name: Judgements((0, 1), y[held], model.predict_log_proba(X[held])) for name, model in fitted.items()}


def test_naive_bayes_is_far_too_sure_and_logistic_regression_is_not(judged):
    naive, logistic = (reliability(said) for said in judged.values())
    assert naive.error_interval[0] > 4.0 * logistic.error_interval[1]
    assert logistic.error < 0.04
    assert naive.log_loss_interval[0] > logistic.log_loss_interval[1]


def test_both_rank_well(judged):
    areas = [operating_points(said).roc_area for said in judged.values()]
    assert areas[1] > areas[0] > 0.93
    for said in judged.values():
        ways = operating_points(said)
        x, cost = ways.lower_envelope()
        assert (np.interp(x, x, cost) <= ways.cost(ways.at(0.5), x) + 1e-12).all()
        assert "area 0.9" in roc_curve(said).get_label()
