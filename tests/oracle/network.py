"""Networks by another route: their error as one formula, derived by HIPS autograd, and steps number by number."""

from math import sqrt

import autograd.numpy as anp
from autograd import grad

UNITS = {
    "logistic": lambda s: 1.0 / (1.0 + anp.exp(-s)),
    "tanh": anp.tanh,
    "identity": lambda s: s,
    "relu": lambda s: anp.maximum(0.0, s),
    "linear": lambda s: s,
    "softmax": lambda s: anp.exp(s) / anp.sum(anp.exp(s), axis=1, keepdims=True),
}


def squared(output, h, y):
    return 0.5 * anp.sum((h - y) ** 2, axis=1)


def cross_entropy(output, h, y):
    against = anp.sum((1.0 - y) * anp.log(1.0 - h), axis=1) if output == "logistic" else 0.0
    return -anp.sum(y * anp.log(h), axis=1) - against


ERRORS = {"squared": squared, "cross_entropy": cross_entropy}


def signals(parameters, x, activation, masks=()):
    """s of the last layer."""
    layers = list(zip(parameters[::2], parameters[1::2], strict=True))
    h = x
    for layer, (W, b) in enumerate(layers[:-1]):
        h = UNITS[activation](anp.dot(h, W) + b)
        h = h * masks[layer] if len(masks) else h
    return anp.dot(h, layers[-1][0]) + layers[-1][1]


def errors(parameters, x, y, network, masks=()):
    """(n,) the error of each example."""
    h = UNITS[network.output.name](signals(parameters, x, network.activation.name, masks))
    return ERRORS[network.error.name](network.output.name, h, y)


def gradients(network, x, y, weight, masks=()):
    """Of Σ weight · error, by each array of weights and by x."""

    def total(parameters, x):
        return anp.sum(weight[:, 0] * errors(parameters, x, y, network, masks))

    return grad(total, 0)(network.parameters, x), grad(total, 1)(network.parameters, x)


def momentum(w, g, v, eta, mu, decay, nesterov):
    """w and v of one number after a step (Polyak 1964; Nesterov 1983)."""
    g = g + decay * w
    v = mu * v - eta * g
    return w + (mu * v - eta * g if nesterov else v), v


def adam(w, g, m, q, t, eta, beta1, beta2, epsilon, decay):
    """w, m and q of one number after step t, from 1 (Kingma & Ba, ICLR 2015, algorithm 1)."""
    g = g + decay * w
    m = beta1 * m + (1 - beta1) * g
    q = beta2 * q + (1 - beta2) * g**2
    return w - eta * (m / (1 - beta1**t)) / (sqrt(q / (1 - beta2**t)) + epsilon), m, q


def nats(s, output):
    """(n, C) log-odds up to what all classes share."""
    if s.shape[1] == 1:
        return anp.hstack([0.0 * s, s])
    return s if output == "softmax" else -anp.log(1.0 + anp.exp(-s))


def integrated(network, x, baseline, label, against, places=20_000):
    """(d,) integrated gradients by the midpoint rule, of many places."""
    t = (anp.arange(places) + 0.5) / places

    def total(rows):
        each = nats(signals(network.parameters, rows, network.activation.name), network.output.name)
        return anp.sum(each[:, label] - each[:, against])

    return (x - baseline) * grad(total)(baseline + t[:, None] * (x - baseline)).mean(axis=0)
