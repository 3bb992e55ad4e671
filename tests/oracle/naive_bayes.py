"""Naive Bayes for counts by the book: lists, loops and `math.log`, nothing shared with the package.

Rows are lists of numbers, labels 0 … C−1, weights whole or not. Every function is the formula it names.
"""

import math


def estimated(count, total, outcomes, alpha, estimate):
    """The share of one of `outcomes` outcomes, seen `count` times of `total`."""
    if estimate == "bayes":  # posterior mean of a symmetric Dirichlet; Laplace's rule for alpha = 1
        return (count + alpha) / (total + alpha * outcomes)
    if estimate == "map":  # posterior mode
        return (count + alpha - 1) / (total + (alpha - 1) * outcomes)
    return count / total


def bernoulli_parameters(rows, labels, weights, C, alpha, estimate):
    """φ_{j|c} = N_jc / N_c, smoothed."""
    phi = []
    for c in range(C):
        members = [(row, w) for row, label, w in zip(rows, labels, weights, strict=True) if label == c]
        N_c = sum(w for _, w in members)
        N_jc = [sum(w for row, w in members if row[j] == 1) for j in range(len(rows[0]))]
        phi.append([estimated(k, N_c, 2, alpha, estimate) for k in N_jc])
    return phi


def multinomial_parameters(rows, labels, weights, C, alpha, estimate):
    """φ_{k|c} = (α + Σ_i 1{y_i=c} count_ik) / (αV + Σ_i 1{y_i=c} n_i)."""
    V = len(rows[0])
    phi = []
    for c in range(C):
        members = [(row, w) for row, label, w in zip(rows, labels, weights, strict=True) if label == c]
        count = [sum(w * row[k] for row, w in members) for k in range(V)]
        phi.append([estimated(k, sum(count), V, alpha, estimate) for k in count])
    return phi


def bernoulli_log_density(row, phi_c):
    """Σ_j [x_j log φ_j + (1 − x_j) log(1 − φ_j)], absent features included."""
    total = 0.0
    for x, phi in zip(row, phi_c, strict=True):
        total += math.log(phi) if x == 1 else math.log(1 - phi)
    return total


def multinomial_log_density(row, phi_c):
    """Every word of the document once: Σ_k x_k log φ_k."""
    total = 0.0
    for x, phi in zip(row, phi_c, strict=True):
        total += x * math.log(phi)
    return total


def class_prior(labels, weights, C, option):
    """N_c / N, (1 + N_c) / (C + N) or 1 / C."""
    N_c = [sum(w for label, w in zip(labels, weights, strict=True) if label == c) for c in range(C)]
    N = sum(N_c)
    shares = {
        "fitted": [k / N for k in N_c],
        "smoothed": [(1 + k) / (C + N) for k in N_c],
        "uniform": [1 / C] * C,
    }
    return shares[option]


MODELS = {
    "bernoulli": (bernoulli_parameters, bernoulli_log_density),
    "multinomial": (multinomial_parameters, multinomial_log_density),
}


def joint(likelihood, rows, labels, weights, C, queries, *, alpha=1.0, estimate="bayes", prior="fitted"):
    """b_c = log p(x | y=c) + log p(y=c), one list a query."""
    parameters, log_density = MODELS[likelihood]
    phi = parameters(rows, labels, weights, C, alpha, estimate)
    pi = class_prior(labels, weights, C, prior)
    return [[log_density(row, phi[c]) + math.log(pi[c]) for c in range(C)] for row in queries]


def posterior(b):
    """log p(y=c | x) = b_c − [B + log Σ_c' e^{b_c' − B}], B = max b_c."""
    B = max(b)
    total = B + math.log(sum(math.exp(k - B) for k in b))
    return [k - total for k in b]
