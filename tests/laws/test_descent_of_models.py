"""Laws of gradient descent as models use it: all examples, a few, or one a step; three rules to stop by."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import LinearRegression, LogisticRegression
from deciban.solvers import Descent, Status

WAYS = {"batch": None, "mini-batch": 8, "stochastic": 1}


def cloud():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 3))
    s = X @ [1.0, -2.0, 0.5] + 0.3
    return X, s + 0.3 * random.normal(size=120), s + random.logistic(size=120) > 0.0


@pytest.mark.parametrize("batch", WAYS.values(), ids=WAYS.keys())
def test_every_way_comes_near_the_optimum(batch):
    X, y, label = cloud()
    # the more terms a step is of, the longer it may be
    most = 3000 if batch is None else 300
    how = Descent(batch=batch)
    best = LogisticRegression(tol=1e-9).fit(X, label)
    down = LogisticRegression(solver=how, max_iter=most).fit(X, label)
    assert best.certificate_.primal <= down.certificate_.primal * (1.0 + 1e-9)
    assert down.certificate_.primal <= 1.02 * best.certificate_.primal
    line, down = (LinearRegression(solver=each, max_iter=most).fit(X, y) for each in ("auto", how))
    assert_allclose(down.coef_, line.coef_, atol=0.1)


@pytest.mark.parametrize("batch", WAYS.values(), ids=WAYS.keys())
@pytest.mark.parametrize("family", [LogisticRegression, LinearRegression])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_stops_by_iterations_by_a_small_gradient_and_by_a_small_error(batch, family):
    X, y, label = cloud()
    y = label if family is LogisticRegression else y

    def learnt(most=500, **rule):
        model = family(solver=Descent(batch=batch, **rule), max_iter=most, tol=1e-15).fit(X, y)
        return model, int(np.max(model.n_iter_))

    model, steps = learnt(most=3)
    assert steps == 3
    assert model.status_ is Status.EXHAUSTED
    for rule in ({"gradient": 0.3}, {"error": 0.6}):
        model, steps = learnt(**rule)
        assert steps < 500
        assert model.status_ is Status.CONVERGED
