"""Networks of every activation, output, error and depth, for the laws, and points for them."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from deciban import MLPClassifier, MLPRegressor
from deciban.networks.layers import CATALOGUE, PAIRS
from deciban.networks.network import Network

HIDDEN = {"no": (), "one": (6,), "two": (5, 4)}
EVERY = {
    f"{activation.name}-{output.name}-{error.name}-{depth}": (activation(), output(), error(), hidden)
    for activation in CATALOGUE
    for output, error in PAIRS
    for depth, hidden in HIDDEN.items()
    if hidden or activation is CATALOGUE[0]  # without hidden units there is nothing to activate
}
# Outputs of which class is which: a single unit of two classes, and one a class.
CLASSIFIERS = {name: each for name, each in EVERY.items() if each[1].name != "linear"}
# To what is said of rows the error that was learnt from does not matter.
SCORES = {name: each for name, each in CLASSIFIERS.items() if each[2].name == "cross_entropy"}
# Where more say no more: no hidden layer, and two with the error that belongs to the output.
FEW = {
    name: each
    for name, each in EVERY.items()
    if not each[3] or (each[3] == HIDDEN["two"] and (each[1].name == "linear" or each[2].name == "cross_entropy"))
}
FORMS = {"dense": np.asarray, "csr": sparse.csr_array}


def over(cases=EVERY):
    """The law is asked of each of these networks."""
    return pytest.mark.parametrize("name", list(cases))


forms = pytest.mark.parametrize("form", list(FORMS))


def network(name, d=4, K=3, seed=0, size=1.0):
    """A network of this name, all numbers of it drawn, biases too."""
    activation, output, error, hidden = EVERY[name]
    random, sizes = np.random.default_rng(seed), (d, *hidden, K)
    if activation.name == "identity":
        size *= 0.5  # nothing keeps its signals small, and where they are large the oracle's 1 − h has no digits
    weights = [size * random.normal(size=pair) for pair in pairwise(sizes)]
    return Network(weights, [random.normal(size=units) for units in sizes[1:]], activation, output, error)


def rows(seed, n=9, d=4):
    """(n, d), a third of them 0."""
    random = np.random.default_rng(seed)
    return random.normal(size=(n, d)) * (random.random((n, d)) > 1 / 3)


def targets(name, seed, n=9, K=3):
    """(n, K) of any numbers, of probabilities, or of those that sum to 1, as the output has them."""
    random, output = np.random.default_rng(seed), EVERY[name][1].name
    if output == "linear":
        return random.normal(size=(n, K))
    if output == "logistic":
        return random.random((n, K))
    return random.dirichlet(np.ones(K), n)


def clouds(seed=0, n=40, d=4, C=3, apart=1.0):
    """X (n, d), y (n,): classes that overlap, every one of them there."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % C)
    X = random.normal(size=(n, d)) + apart * random.normal(size=(C, d))[y]
    return X * (random.random((n, d)) > 0.2), y


def model(name, **more):
    """An untrained estimator of this name; few epochs, of all examples at once, in float64."""
    activation, output, error, hidden = EVERY[name]
    options = {
        "hidden_layer_sizes": hidden,
        "activation": activation.name,
        "dtype": "float64",
        "batch_size": None,
        "max_iter": 4,
    }
    if output.name == "linear":
        return MLPRegressor(**{**options, **more})
    return MLPClassifier(**{**options, "output": output.name, "error": error.name, **more})


def flat(fitted):
    """All weights of a model in one row."""
    return np.concatenate([np.ravel(each) for each in fitted.network_.parameters])
