"""Normal features by the book, in plain Python, and their posterior predictive by integration over the parameters.

    μ | σ² ~ N(m0, σ²/κ),      1/σ² ~ Gamma(ν/2, rate ν v0/2)

Murphy, Conjugate Bayesian analysis of the Gaussian distribution, 2007, section 3; Gelman et al., section 3.3.
"""

import math

import numpy as np
from scipy import integrate


def moments(values):
    """Weight, mean and scatter Σ w (x − mean)² of (x, w) pairs; mean 0 where there are none."""
    n = math.fsum(w for _, w in values)
    mean = math.fsum(w * x for x, w in values) / n if n else 0.0
    return n, mean, math.fsum(w * (x - mean) ** 2 for x, w in values)


def posterior(n, mean, scatter, m0, kappa, v0, nu):
    """m, κ, ν and scatter after n examples."""
    total = n + kappa
    m = (kappa * m0 + n * mean) / total
    return m, total, nu + n, nu * v0 + scatter + kappa * n * (mean - m0) ** 2 / total


def feature(classes, estimate, mean=None, kappa=1.0, variance=None, nu=1.0, shared=False):
    """[c] (location, variance, freedom or None) of one feature, whose (x, w) pairs are given class by class."""
    n, own_mean, scatter = moments([pair for values in classes for pair in values])
    if scatter == 0.0 and (variance is None or estimate == "ml"):
        return [(own_mean, math.inf, None)] * len(classes)  # what never varied is no evidence
    m0 = own_mean if mean is None else mean
    v0 = scatter / n if variance is None and n else variance or 0.0
    if estimate == "ml":
        found = [(m, k, k, s) for k, m, s in map(moments, classes)]
    else:
        found = [posterior(*moments(values), m0, kappa, v0, nu) for values in classes]
    if shared:
        prior = (0.0, 0.0) if estimate == "ml" else (nu, nu * v0)
        every = prior[0] + n, prior[1] + sum(s - prior[1] for *_, s in found)
        found = [(m, k, *every) for m, k, *_ in found]
    modes = 0 if estimate == "ml" else 2 + (len(classes) if shared else 1)
    if estimate == "bayes":  # Student's t: the spread of a new x about m, and of m itself
        return [(m, s / v * (1 + 1 / k), v) for m, k, v, s in found]
    return [(m, s / (v + modes), None) for m, k, v, s in found]


def parameters(rows, labels, weights, C, estimate, **prior):
    """[c][j] (location, variance, freedom); a missing value is in no feature's data."""
    columns = []
    for j in range(len(rows[0])):
        classes = [[] for _ in range(C)]
        for row, label, w in zip(rows, labels, weights, strict=True):
            if row[j] == row[j]:
                classes[label].append((row[j], w))
        columns.append(feature(classes, estimate, **prior))
    return [list(mine) for mine in zip(*columns, strict=True)]


def log_density(x, normal):
    """log N(x; location, variance), or of Student's t with that squared scale."""
    location, variance, nu = normal
    if variance == math.inf:
        return 0.0
    square = (x - location) ** 2 / variance
    if nu is None:
        return -0.5 * (math.log(2 * math.pi * variance) + square)
    top = math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2) - 0.5 * math.log(nu * math.pi * variance)
    return top - 0.5 * (nu + 1) * math.log(1 + square / nu)


def predictive_by_integration(x, samples, m0, kappa, v0, nu):
    """p(x | samples) = ∫ p(x | μ_0, σ²) p(μ, σ² | samples) dμ dσ², from the prior and the likelihood alone.

    Each sample has a mean of its own and all share σ²; x belongs to the first. Over log σ by adaptive quadrature;
    given σ over each μ by the trapezoid rule, whose error for such bells is rounding.
    """

    def of_sample(sample, sigma):
        middle, wide = (kappa * m0 + sum(sample)) / (kappa + len(sample)), sigma / math.sqrt(kappa + len(sample))
        mu = middle + wide * np.linspace(-12.0, 12.0, 201)
        log_p = -0.5 * kappa * ((mu - m0) / sigma) ** 2 - math.log(sigma)
        for value in sample:
            log_p = log_p - 0.5 * ((value - mu) / sigma) ** 2 - math.log(sigma * math.sqrt(2 * math.pi))
        return np.exp(log_p).sum() * (mu[1] - mu[0])

    def of_sigma(log_sigma, first):
        sigma = math.exp(log_sigma)
        prior = sigma ** -(nu + 2) * math.exp(-nu * v0 / (2 * sigma**2))  # inverse gamma in σ²
        found = math.prod(of_sample(sample, sigma) for sample in [first, *samples[1:]])
        return prior * found * 2 * sigma**2  # dσ² = 2σ² d log σ

    at = math.log(v0) / 2
    with_x, without = (
        integrate.quad(of_sigma, at - 6, at + 6, args=(first,), epsabs=0, epsrel=1e-9, limit=200)[0]
        for first in ([*samples[0], x], samples[0])
    )
    return with_x / without
