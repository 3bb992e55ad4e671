"""Gaussian discriminant analysis by the book: example by example, with inverses, nothing shared with the package.

X (N, d), y (N,) of 0 … C−1, w (N,); shape "shared", "per_class" or "diagonal". Murphy, Conjugate Bayesian analysis of
the Gaussian distribution, 2007, section 8, with κ0 = alpha, m the mean of all, ν0 = d + 1 + alpha, Ψ0 = alpha·diag(v).
"""

import math

import numpy as np


def means(X, y, w, C):
    """x̄_c."""
    return np.array(
        [sum(wi * x for x, c, wi in zip(X, y, w, strict=True) if c == k) / w[y == k].sum() for k in range(C)]
    )


def deviations(X, y, w, C):
    """z = x − x̄_y."""
    return X - means(X, y, w, C)[y]


def scatter(Z, w):
    """Σ w z zᵀ."""
    return sum((wi * np.outer(z, z) for z, wi in zip(Z, w, strict=True)), np.zeros((Z.shape[1], Z.shape[1])))


def groups(y, C, shape):
    """The rows whose scatter makes one covariance, and the classes that have it."""
    if shape == "per_class":
        return [(y == c, [c]) for c in range(C)]
    return [(np.full(len(y), True), list(range(C)))]


def shaped(S, shape):
    """Features on their own where the covariance is diagonal."""
    return np.diag(np.diag(S)) if shape == "diagonal" else S


def squared_distance(A, B):
    """‖A − B‖², summed over all entries."""
    return float(((A - B) ** 2).sum())


def ledoit_wolf(Z, w, shape):
    """ρ: the mean squared error of S over its squared distance from the sphere; Ledoit & Wolf 2004, section 3.2."""
    N, p = w.sum(), Z.shape[1]
    S = shaped(scatter(Z, w) / N, shape)
    sphere = np.trace(S) / p * np.eye(p)
    error = sum(wi * squared_distance(shaped(np.outer(z, z), shape), S) for z, wi in zip(Z, w, strict=True)) / N**2
    return min(1.0, error / squared_distance(S, sphere))


def oracle_approximating(Z, w, shape):
    """ρ: the amount that is best if (1 − ρ) S + ρ sphere were the truth, iterated; Chen et al. 2010, section III.C.

    E tr(S − Σ)² of N Gaussian examples is (tr Σ² + tr² Σ)/N, or 2 tr Σ²/N where both are diagonal.
    """
    N, p = w.sum(), Z.shape[1]
    S = shaped(scatter(Z, w) / N, shape)
    square, trace = np.trace(S @ S), np.trace(S)
    rho, before = 0.5, 1.0
    while abs(rho - before) > 1e-15:
        before = rho
        truth = (1 - rho) * square + rho * trace**2 / p  # tr Σ̂S in the place of tr Σ²
        if shape == "diagonal":
            error, apart = 2 * (1 - 1 / p) * truth, (N + 2 - 2 / p) * truth - N / p * trace**2
        else:
            error, apart = truth + trace**2, (N + 1) * truth + (1 - N / p) * trace**2
        rho = min(1.0, error / apart)
    return rho


RULES = {"ledoit-wolf": ledoit_wolf, "auto": ledoit_wolf, "oracle-approximating": oracle_approximating}


def plug_in(X, y, w, C, shape, shrinkage=None):
    """Means and covariances (C of each) of the largest likelihood, shrunk."""
    Z, found = deviations(X, y, w, C), [None] * C
    for rows, classes in groups(y, C, shape):
        S = shaped(scatter(Z[rows], w[rows]) / w[rows].sum(), shape)
        rho = RULES[shrinkage](Z[rows], w[rows], shape) if isinstance(shrinkage, str) else shrinkage or 0.0
        for c in classes:
            found[c] = (1 - rho) * S + rho * np.trace(S) / len(S) * np.eye(len(S))
    return means(X, y, w, C), found


def posterior(X, y, w, C, shape, alpha):
    """m_c, κ_c, Ψ_c and ν_c of the normal-inverse-Wishart posterior; feature by feature where it is diagonal."""
    N, d = w.sum(), X.shape[1]
    m0 = w @ X / N
    v = w @ (X - m0) ** 2 / N
    n, mean, Z = np.array([w[y == c].sum() for c in range(C)]), means(X, y, w, C), deviations(X, y, w, C)
    found = []
    for c in range(C):
        rows, classes = next(group for group in groups(y, C, shape) if c in group[1])
        psi = alpha * np.diag(v) + scatter(Z[rows], w[rows])
        psi += sum(alpha * n[k] / (alpha + n[k]) * np.outer(mean[k] - m0, mean[k] - m0) for k in classes)
        nu = (1 if shape == "diagonal" else d) + 1 + alpha + n[classes].sum()
        found.append(((alpha * m0 + n[c] * mean[c]) / (alpha + n[c]), alpha + n[c], shaped(psi, shape), nu))
    return found


def log_normal(x, mean, S):
    """log N(x; mean, S)."""
    away = x - mean
    return -0.5 * (len(x) * math.log(2 * math.pi) + np.linalg.slogdet(S)[1] + away @ np.linalg.solve(S, away))


def log_student(x, mean, S, nu):
    """log of Student's density with squared scale S."""
    away, d = x - mean, len(x)
    top = math.lgamma((nu + d) / 2) - math.lgamma(nu / 2) - 0.5 * (d * math.log(nu * math.pi) + np.linalg.slogdet(S)[1])
    return top - (nu + d) / 2 * math.log1p(away @ np.linalg.solve(S, away) / nu)


def log_densities(X, y, w, C, queries, shape, estimate, alpha=1.0, shrinkage=None):
    """(queries, C) log p(x | c)."""
    d = X.shape[1]
    if estimate == "ml":
        mean, S = plug_in(X, y, w, C, shape, shrinkage)
        return np.array([[log_normal(x, mean[c], S[c]) for c in range(C)] for x in queries])
    known = posterior(X, y, w, C, shape, alpha)
    if estimate == "map":
        sharing = 1 if shape == "per_class" else C
        p = 1 if shape == "diagonal" else d
        return np.array([[log_normal(x, m, psi / (nu + p + 1 + sharing)) for m, _, psi, nu in known] for x in queries])
    if shape == "diagonal":
        return np.array([[sum(_feature(x, j, *each) for j in range(d)) for each in known] for x in queries])
    return np.array(
        [
            [log_student(x, m, psi * (k + 1) / (k * (nu - d + 1)), nu - d + 1) for m, k, psi, nu in known]
            for x in queries
        ]
    )


def _feature(x, j, m, kappa, psi, nu):
    one = slice(j, j + 1)
    return log_student(x[one], m[one], psi[one, one] * (kappa + 1) / (kappa * nu), nu)


def posteriors(densities, prior):
    """p(c | x) by Bayes' rule."""
    joint = np.exp(densities - densities.max(axis=1, keepdims=True)) * prior
    return joint / joint.sum(axis=1, keepdims=True)
