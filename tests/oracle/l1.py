"""Convex problems with corners by splitting w = p − n, p ≥ 0, n ≥ 0: smooth with bounds, for L-BFGS-B.

Byrd, Lu, Nocedal & Zhu, SIAM Journal on Scientific Computing 16, 1995; the splitting is in Schmidt's thesis (2010).
"""

import numpy as np
from scipy.optimize import minimize


def optimum(X, y, c, loss, l1, l2, intercept):
    """min Σ c ℓ(y, X·w + b) + l1·‖w‖₁ + ½·l2·‖w‖², the value alone."""
    d = X.shape[1]

    def objective(z):
        w, b = z[:d] - z[d : 2 * d], z[2 * d]
        s = X @ w + b
        u = c * loss.slope(y, s)
        g = X.T @ u
        value = c @ loss.value(y, s) + l1 * z[: 2 * d].sum() + 0.5 * l2 * w @ w
        return value, np.concatenate([g + l1 + l2 * w, l1 - g - l2 * w, [u.sum() if intercept else 0.0]])

    bounds = [(0.0, None)] * (2 * d) + [(None, None) if intercept else (0.0, 0.0)]
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
    return minimize(objective, np.zeros(2 * d + 1), jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun
