"""Naive Bayes by the book: lists, loops and `math.log`, nothing shared with the package.

Rows are lists of numbers, NaN where one is missing; labels 0 … C−1, weights whole or not. Every function is the
formula it names, one class and one feature after the other.
"""

import math
from functools import partial

from oracle import gaussian


def estimated(count, total, outcomes, alpha, estimate):
    """The share of one of `outcomes` outcomes, seen `count` times of `total`."""
    return share(count, total - count, alpha, alpha * (outcomes - 1), outcomes - 1, estimate)


def share(count, rest, alpha, beta, others, estimate):
    """The share of an outcome with prior alpha beside `others` outcomes with beta in all."""
    if estimate == "bayes":  # posterior mean of a Dirichlet; Laplace's rule for alpha = 1
        return (count + alpha) / (count + rest + alpha + beta)
    if estimate == "map":  # posterior mode
        return (count + alpha - 1) / (count + rest + alpha - 1 + beta - others)
    return count / (count + rest)


def known(rows, labels, weights, c, j):
    """Value and weight of feature j in the rows of class c that have it."""
    members = [(row[j], w) for row, label, w in zip(rows, labels, weights, strict=True) if label == c]
    return [(x, w) for x, w in members if x == x]


def each(rows, labels, weights, C, of):
    """[c][j] what `of` says of the known values of feature j in class c."""
    return [[of(j, known(rows, labels, weights, c, j)) for j in range(len(rows[0]))] for c in range(C)]


def bernoulli_parameters(rows, labels, weights, C, estimate, alpha=1.0, beta=1.0, binarize=None):
    """φ_{j|c} = N_jc / N_c, smoothed; N_c counts the rows that have the feature."""

    def of(j, values):
        there = sum(w for x, w in values if x > (binarize or 0))
        return share(there, sum(w for _, w in values) - there, alpha, beta, 1, estimate)

    return each(rows, labels, weights, C, of)


def multinomial_parameters(rows, labels, weights, C, estimate, alpha=1.0):
    """φ_{k|c} = (α + Σ_i 1{y_i=c} count_ik) / (αV + Σ_i 1{y_i=c} n_i)."""
    count = each(rows, labels, weights, C, lambda j, values: sum(w * x for x, w in values))
    return [[estimated(k, sum(mine), len(mine), alpha, estimate) for k in mine] for mine in count]


def complement_parameters(rows, labels, weights, C, estimate, alpha=1.0):
    """The same for all classes but c together."""
    others = [[(row, w) for row, y, w in zip(rows, labels, weights, strict=True) if y != c] for c in range(C)]
    pairs = [([row for row, _ in mine] or [[0] * len(rows[0])], [w for _, w in mine] or [1]) for mine in others]
    return [multinomial_parameters(own, [0] * len(own), w, 1, estimate, alpha)[0] for own, w in pairs]


def poisson_parameters(rows, labels, weights, C, estimate, alpha=1.0, beta=1.0):
    """λ_{j|c} = (events + alpha) / (examples + beta); the mode has one event less; ML has no prior."""
    added = {"bayes": (alpha, beta), "map": (alpha - 1, beta), "ml": (0, 0)}[estimate]

    def of(j, values):
        return (sum(w * x for x, w in values) + added[0]) / (sum(w for _, w in values) + added[1])

    return each(rows, labels, weights, C, of)


def categorical_parameters(rows, labels, weights, C, estimate, alpha=1.0, sizes=None):
    """φ_{k|j,c} = (α + Σ_i 1{y_i=c, x_ij=k}) / (αK_j + N_c), and behind them the share of a category never seen."""
    codes = [max([int(row[j]) for row in rows if row[j] == row[j]] or [0]) + 1 for j in range(len(rows[0]))]
    K = codes if sizes is None else [max(pair) for pair in zip(codes, sizes, strict=True)]

    def of(j, values):
        count = [sum(w for x, w in values if x == k) for k in range(K[j])]
        unseen = {"bayes": alpha, "map": alpha - 1, "ml": 0}[estimate]
        shares = [estimated(k, sum(count), K[j], alpha, estimate) for k in count]
        return [*shares, unseen / (sum(count) + unseen * K[j])]

    return each(rows, labels, weights, C, of)


def weighed(x, p):
    """x log p, with 0 log 0 = 0."""
    return 0.0 if x == 0 else x * (math.log(p) if p > 0 else -math.inf)


def summed(term, row, phi_c):
    """Σ_j of the features that are known."""
    return math.fsum(term(x, phi) for x, phi in zip(row, phi_c, strict=True) if x == x)


def coin(x, phi, binarize=None):
    """x log φ + (1 − x) log(1 − φ): an absent feature is included."""
    there = 1 if x > (binarize or 0) else 0
    return weighed(there, phi) + weighed(1 - there, 1 - phi)


def events(x, rate):
    """x log λ − λ − log x!"""
    return weighed(x, rate) - rate - math.lgamma(x + 1)


def category(x, shares):
    """log φ_x; every code beyond those that were seen is one never seen."""
    return weighed(1, shares[min(int(x), len(shares) - 1)])


def against(x, phi):
    """−x log φ̃."""
    return -weighed(x, phi)


MODELS = {
    "bernoulli": (bernoulli_parameters, partial(summed, coin)),
    "multinomial": (multinomial_parameters, partial(summed, weighed)),
    "complement": (complement_parameters, partial(summed, against)),
    "poisson": (poisson_parameters, partial(summed, events)),
    "categorical": (categorical_parameters, partial(summed, category)),
    "gaussian": (gaussian.parameters, partial(summed, gaussian.log_density)),
}


def class_prior(labels, weights, C, option):
    """N_c / N, (1 + N_c) / (C + N) or 1 / C."""
    N_c = [sum(w for label, w in zip(labels, weights, strict=True) if label == c) for c in range(C)]
    N = sum(N_c)
    shares = {
        "empirical": [k / N for k in N_c],
        "smoothed": [(1 + k) / (C + N) for k in N_c],
        "uniform": [1 / C] * C,
    }
    return shares[option]


def densities(likelihood, rows, labels, weights, C, queries, estimate="bayes", **prior):
    """log p(x | y=c), one list a query."""
    parameters, log_density = MODELS[likelihood]
    phi = parameters(rows, labels, weights, C, estimate, **prior)
    if prior.get("binarize") is not None:
        log_density = partial(summed, partial(coin, binarize=prior["binarize"]))
    return [[log_density(row, phi[c]) for c in range(C)] for row in queries]


def mixed_densities(parts, rows, labels, weights, C, queries, estimate="bayes"):
    """log p(x | y=c) = Σ_parts; `parts` are (columns, likelihood, prior)."""
    total = [[0.0] * C for _ in queries]
    for columns, likelihood, prior in parts:
        own, asked = ([[row[j] for j in columns] for row in table] for table in (rows, queries))
        found = densities(likelihood, own, labels, weights, C, asked, estimate, **prior)
        total = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(total, found, strict=True)]
    return total


def joint(likelihood, rows, labels, weights, C, queries, *, prior="empirical", **options):
    """b_c = log p(x | y=c) + log p(y=c), one list a query; `likelihood` is a name, or the parts of a mixed one."""
    of = densities if isinstance(likelihood, str) else mixed_densities
    pi = class_prior(labels, weights, C, prior)
    found = of(likelihood, rows, labels, weights, C, queries, **options)
    return [[b + math.log(p) for b, p in zip(row, pi, strict=True)] for row in found]


def posterior(b):
    """log p(y=c | x) = b_c − [B + log Σ_c' e^{b_c' − B}], B = max b_c."""
    B = max(b)
    total = B + math.log(sum(math.exp(k - B) for k in b))
    return [k - total for k in b]
