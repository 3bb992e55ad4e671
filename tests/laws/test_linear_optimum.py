"""A law of linear classifiers: nobody near by does better, NBSVM by what its weights are made of."""

import numpy as np
import pytest

from deciban import NBSVM
from laws.declared import BAYES, KINDS, clouds, model, over


def pulled(fitted, X, y):
    """f (N, d), r (d,) and κ, of which NBSVM's weights are r ∘ (κ + v); v itself for all others."""
    if not isinstance(fitted, NBSVM):
        return X, np.ones(X.shape[1]), 0.0
    f = np.asarray(fitted._features(X), dtype=np.float64)
    p, q = 1.0 + f[y == 1].sum(axis=0), 1.0 + f[y == 0].sum(axis=0)
    return f, np.log(p / p.sum()) - np.log(q / q.sum()), fitted.pull_[0]


@over(of=KINDS)
def test_no_weights_near_by_are_better(name):
    X, y = clouds(8)
    at_the_minimum = {"interpolation": 1.0} if name in BAYES else {}
    fitted = model(name, **at_the_minimum).fit(X, y)
    signs, (f, r, kappa) = 2.0 * y - 1.0, pulled(fitted, X, y)

    def objective(v, b):
        loss = fitted._loss().value(signs, f @ (r * (kappa + v)) + b).sum()
        return fitted.C * loss + fitted._penalty().value(v)

    rounding = 1e-6 if name in BAYES else 1e-12  # r is in single precision where f is
    weights = fitted.weights_ if hasattr(fitted, "weights_") else fitted.coef_
    v, b, proof = weights[0] / r - kappa, fitted.intercept_[0], fitted.certificate_
    assert objective(v, b) == pytest.approx(proof.primal, rel=rounding)
    for step in 0.01 * np.random.default_rng(8).normal(size=(50, 5)):
        assert objective(v + step[:4], b + step[4]) >= proof.dual - rounding * proof.primal
