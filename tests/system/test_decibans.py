"""Log losses of the defaults hold on examples that were not learnt, whichever the model: with few examples, and with
twenty of one class to one of the other. `benchmarks/decibans.py` measures more sets and sizes, and more of them."""

from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
OF_TEXTS = ["naive-bayes", "logistic", "svm", "perceptron", "least-squares", "online"]
OF_COLUMNS = ["naive-bayes", "discriminant", "logistic", "svm"]
LEARNT, CHANCE = 500, 0.01


@pytest.mark.deep
@pytest.mark.parametrize(("name", "models"), [("sms", OF_TEXTS), ("korean", OF_TEXTS), ("adult", OF_COLUMNS)])
def test_log_loss_is_near_that_of_the_best_temperature_and_below_the_prior(monkeypatch, name, models):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    sets, missing = import_module("compared_sets").SETS, import_module("environment").MissingError
    try:
        found = list(import_module("decibans").cells(next(s for s in sets if s.name == name), models, [LEARNT]))
    except missing as error:
        pytest.skip(str(error))
    assert {(cell.model, cell.split) for cell in found} == {
        (m, s) for m in models for s in (f"random {LEARNT}", "1:20")
    }
    for cell in found:
        assert cell.log_loss <= cell.prior + CHANCE, cell
        assert cell.log_loss <= 1.1 * cell.hindsight + CHANCE, cell
