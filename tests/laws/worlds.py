"""Made-up worlds, in which the parameters of a distribution are known because they were drawn from its prior."""

import numpy as np
from scipy import stats
from scipy.special import xlogy

from deciban.distributions import Bernoulli, Categorical, Complement, Mixed, Multinomial, Poisson

WORDS = 30  # the length of a document


def truth(family, d, C, rng):
    """Parameters of C classes, drawn from the prior of the family."""
    if isinstance(family, Mixed):
        return tuple(truth(part, len(js), C, rng) for js, part in family.parts)
    if isinstance(family, Bernoulli):
        return rng.beta(family.alpha, family.beta, (C, d))
    if isinstance(family, Categorical):
        return [rng.dirichlet(np.full(K, family.alpha), C) for K in family.sizes]
    if isinstance(family, Multinomial):
        return rng.dirichlet(np.full(d, family.alpha), C)
    if isinstance(family, Poisson):
        return rng.gamma(family.alpha, 1 / family.beta, (C, d))
    variance = 1 / rng.gamma(family.nu / 2, 2 / (family.nu * family.variance), (1 if family.shared else C, d))
    variance = np.broadcast_to(variance, (C, d))
    return rng.normal(family.mean, np.sqrt(variance / family.kappa)), np.sqrt(variance)


def rows(family, parameters, y, rng):
    """X (N, d): a row of class y_i each."""
    if isinstance(family, Mixed):
        X = np.zeros((len(y), family.d))
        for (js, part), own in zip(family.parts, parameters, strict=True):
            X[:, js] = rows(part, own, y, rng)
        return X
    if isinstance(family, Bernoulli):
        return (rng.random((len(y), parameters.shape[1])) < parameters[y]).astype(float)
    if isinstance(family, Categorical):
        drawn = [[rng.choice(share.shape[1], p=share[c]) for c in y] for share in parameters]
        return np.array(drawn, dtype=float).T
    if isinstance(family, Multinomial):
        return rng.multinomial(WORDS, parameters[y]).astype(float)
    if isinstance(family, Poisson):
        return rng.poisson(parameters[y]).astype(float)
    mean, deviation = parameters
    return rng.normal(mean[y], deviation[y])


def log_density(family, X, parameters):
    """(N, C) log p(x | c) of the truth; with two classes the complement model is the multinomial one."""
    if isinstance(family, Mixed):
        parts = zip(family.parts, parameters, strict=True)
        return sum(log_density(part, X[:, js], own) for (js, part), own in parts)
    if isinstance(family, Categorical):
        return sum(np.log(share[:, codes.astype(int)]).T for share, codes in zip(parameters, X.T, strict=True))
    x = X[:, None, :]
    if isinstance(family, Bernoulli):
        return np.where(x > 0, np.log(parameters), np.log1p(-parameters)).sum(axis=2)
    if isinstance(family, Multinomial):
        return xlogy(x, parameters).sum(axis=2)
    if isinstance(family, Poisson):
        return stats.poisson.logpmf(x, parameters).sum(axis=2)
    return stats.norm.logpdf(x, *parameters).sum(axis=2)


def posterior_draws(family, seen, x, often, rng):
    """(often, C) log p(x | c) for parameters drawn from their posterior given the counts; x (d,)."""
    if isinstance(family, Mixed):
        parts = zip(family.parts, seen.parts, strict=True)
        return sum(posterior_draws(part, own, x[list(js)], often, rng) for (js, part), own in parts)
    known = ~np.isnan(x)
    if isinstance(family, Bernoulli):
        a, b = seen.s + family.alpha, seen.seen - seen.s + family.beta
        phi = rng.beta(a, b, (often, *a.shape))
        return np.where(known, np.where(x > 0, np.log(phi), np.log1p(-phi)), 0.0).sum(axis=2)
    if isinstance(family, Categorical):
        counts = np.split(family._known(seen).s, np.cumsum(family.sizes)[:-1], axis=1)
        total = np.zeros((often, len(seen.n)))
        for j in np.flatnonzero(known):
            for c, count in enumerate(counts[j]):
                total[:, c] += np.log(rng.dirichlet(count + family.alpha, often)[:, int(x[j])])
        return total
    if isinstance(family, Multinomial):
        a = family.count_draws(seen) + family.alpha
        phi = np.stack([rng.dirichlet(own, often) for own in a], axis=1)
        sign = -1 if isinstance(family, Complement) else 1
        return sign * (np.where(x > 0, np.log(phi), 0.0) * x).sum(axis=2)
    if isinstance(family, Poisson):
        rate = rng.gamma(seen.s + family.alpha, 1 / (seen.seen + family.beta), (often, *seen.s.shape))
        return np.where(known, np.nan_to_num(x) * np.log(rate) - rate, 0.0).sum(axis=2)
    m, kappa, nu, scatter = family.posterior(seen)
    shape = (often, 1, m.shape[1]) if family.shared else (often, *m.shape)
    tau = rng.gamma(nu[0] / 2 if family.shared else nu / 2, 2 / (scatter[0] if family.shared else scatter), shape)
    mu = rng.normal(m, 1 / np.sqrt(kappa * tau))
    density = 0.5 * (np.log(tau) - np.log(2 * np.pi) - tau * (x - mu) ** 2)
    return np.where(known, density, 0.0).sum(axis=2)
