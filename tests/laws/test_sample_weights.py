"""Weights of examples that no sum can take are refused by every model, in one place; large ones give finite answers."""

from typing import Any

import numpy as np
import pytest
from estimators import CASES, Case, answers, fitted
from sklearn.utils.validation import has_fit_parameter

WEIGHED = [case for case in CASES if has_fit_parameter(case.estimator, "sample_weight")]
over_all = pytest.mark.parametrize("case", WEIGHED, ids=[case.id for case in WEIGHED])


def _one(value: float) -> Any:
    def weights(n: int) -> Any:
        made = np.ones(n)
        made[1] = value
        return made

    return weights


WRONG = {
    "sums-overflow": lambda n: np.full(n, 1e308),
    "one-is-huge": _one(1e308),
    "huge-total": _one(1e101),
    "vanishing": lambda n: np.full(n, 5e-324),
    "infinite": _one(np.inf),
    "missing": _one(np.nan),
    "below-nothing": _one(-1.0),
    "nothing": np.zeros,
    "too-few": lambda n: np.ones(n - 1),
    "two-columns": lambda n: np.ones((n, 2)),
    "one-huge-number": lambda _: 1e308,
}


@over_all
@pytest.mark.parametrize("name", WRONG)
def test_weights_that_no_sum_takes_are_refused(case: Case, name: str) -> None:
    X, y = case.learn()
    wrong = WRONG[name](len(y) if y is not None else X.shape[0])
    with pytest.raises(ValueError, match=r"[Ww]eight"):
        case.new().fit(X, y, sample_weight=wrong)
    if not hasattr(case.estimator, "partial_fit"):
        return
    model = fitted(case)
    before = answers(model, X)
    with pytest.raises((ValueError, AttributeError), match=r"[Ww]eight|pieces|lbfgs|path|partial_fit"):
        model.partial_fit(X, y, sample_weight=wrong)
    assert all((answers(model, X)[each] == before[each]).all() for each in before)


@over_all
@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e30, 1e90])
def test_answers_are_finite_or_the_size_is_refused(case: Case, size: float) -> None:
    X, y = case.learn()
    n = len(y) if y is not None else X.shape[0]
    new = case.new()
    if "max_iter" in new.get_params():
        new.set_params(max_iter=50)  # what such sizes break they break at once
    with np.errstate(all="ignore"):
        try:
            model = new.fit(X, y, sample_weight=np.full(n, size))
            found = answers(model, X)
        except ValueError:
            return
    for name, values in found.items():
        assert values.dtype.kind not in "fc" or not np.isnan(values).any(), name
