"""Linear classifiers by general-purpose minimisers, written as the textbook writes them: slow and obvious."""

import numpy as np
from scipy.optimize import LinearConstraint, minimize
from scipy.special import logsumexp
from sklearn.svm import LinearSVC


def logistic(X, y, C, l2=1.0):
    """min C·Σ ln(1 + e^(−y(x·w + b))) + ½·l2·‖w‖², y = ±1: w, b and the value."""

    def objective(z):
        s = X @ z[:-1] + z[-1]
        u = -C * y / (1.0 + np.exp(y * s))
        return C * np.logaddexp(0.0, -y * s).sum() + 0.5 * l2 * z[:-1] @ z[:-1], np.append(
            X.T @ u + l2 * z[:-1], u.sum()
        )

    found = minimize(objective, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=_DIGITS)
    return found.x[:-1], found.x[-1], found.fun


def softmax(X, y, C):
    """min C·Σ [log Σ_k e^(s_ik) − s_iy] + ½‖W‖², y = 0 … K − 1: W (K, d), b (K,) and the value."""
    K, (_, d) = y.max() + 1, X.shape
    truth = np.eye(K)[y]

    def objective(z):
        W, b = z[: K * d].reshape(K, d), z[K * d :]
        s = X @ W.T + b
        norm = logsumexp(s, axis=1, keepdims=True)
        u = C * (np.exp(s - norm) - truth)
        value = C * (norm[:, 0] - (truth * s).sum(axis=1)).sum() + 0.5 * (W * W).sum()
        return value, np.append(u.T @ X + W, u.sum(axis=0))

    found = minimize(objective, np.zeros(K * d + K), jac=True, method="L-BFGS-B", options=_DIGITS)
    return found.x[: K * d].reshape(K, d), found.x[K * d :], found.fun


def support_vectors(X, y, C=None):
    """The quadratic programme in (b, w, ξ), of the hard margin where C is None:

    min ½‖w‖² + C·Σ ξ_i   subject to   y_i (x_i·w + b) ≥ 1 − ξ_i,   ξ ≥ 0
    """
    N, d = X.shape
    slack = 0 if C is None else N
    Q, cost = np.diag(np.r_[0.0, np.ones(d), np.zeros(slack)]), np.r_[np.zeros(1 + d), np.full(slack, C or 0.0)]
    A = np.column_stack([y, y[:, None] * X, np.eye(N)[:, :slack]])
    found = minimize(
        lambda z: 0.5 * z @ Q @ z + cost @ z,
        np.r_[np.zeros(1 + d), np.ones(slack)],
        jac=lambda z: Q @ z + cost,
        method="SLSQP",
        constraints=[LinearConstraint(A, np.ones(N), np.inf)],
        bounds=[(None, None)] * (1 + d) + [(0.0, None)] * slack,
        options={"ftol": 1e-13, "maxiter": 2000},
    )
    return found.x[1 : 1 + d], found.x[0], found.fun


def zones(X, y, w, b, near=1e-5):
    """How many lie outside the margin, on it, inside it, and on the wrong side, one by one."""
    count = [0, 0, 0, 0]
    for x, label in zip(X, y, strict=True):
        slack = 1.0 - label * (float(x @ w) + b)
        if abs(slack) <= near:
            count[1] += 1
        else:
            count[0 if slack < 0.0 else 2 if slack <= 1.0 else 3] += 1
    return tuple(count)


def nbsvm(X, y, C, alpha, beta):
    """Wang & Manning (ACL 2012), equations 2 to 7 for y = ±1: w and b of sign(f̂·w + b), the squared hinge inside."""
    f = (X > 0).astype(float)
    p, q = alpha + f[y > 0].sum(axis=0), alpha + f[y < 0].sum(axis=0)
    r = np.log((p / np.abs(p).sum()) / (q / np.abs(q).sum()))
    # A constant feature so large that what it costs vanishes is an intercept that costs nothing.
    inner = LinearSVC(C=C, dual=False, tol=1e-10, max_iter=100_000, intercept_scaling=1e4).fit(f * r, y)
    w, b = inner.coef_[0], inner.intercept_[0]
    return r * ((1.0 - beta) * np.abs(w).mean() + beta * w), b


_DIGITS = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
