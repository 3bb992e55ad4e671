"""The cases of networks.py: a network by hand, two moons, digits, networks that fail, and evidence."""

from __future__ import annotations

from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import train_test_split

from deciban import MLPClassifier
from deciban.networks import layers
from deciban.networks.layers import PAIRS, CrossEntropy, Softmax
from deciban.networks.network import Network, draw_weights

STEP = 1e-5
"""How far a weight goes to each side for a finite difference."""
AGREE = 1e-8
"""How far gradients and finite differences of the page may be apart."""
DEEP = 6
"""Hidden layers of the deep networks."""


class Split(NamedTuple):
    """What is learnt from, and the third that is held out."""

    X: Any
    y: Any
    held: Any
    truth: Any


def split(X: Any, y: Any) -> Split:
    """Classes in proportion."""
    train, held, own, truth = train_test_split(X, y, test_size=1 / 3, random_state=0, stratify=y)
    return Split(train, own, held, truth)


# --- by hand -----------------------------------------------------------------------------------------------


class ByHand(NamedTuple):
    """One example through two inputs, two hidden units and two outputs; lists by unit, weights [unit][input]."""

    x: list[float]
    y: list[float]
    below: list[list[float]]
    b1: list[float]
    above: list[list[float]]
    b2: list[float]
    s1: list[float]
    h1: list[float]
    s2: list[float]
    h2: list[float]
    error: float
    d2: list[float]
    d1: list[float]

    def rows(self) -> list[tuple[str, int, int, int, float]]:
        """Of each weight its name, its place (array of `Network.parameters`, row, column), and δ_j h_i."""
        found = []
        for layer, (delta, inputs) in enumerate(((self.d1, self.x), (self.d2, self.h1))):
            for j in range(2):
                found += [(f"w{'¹²'[layer]}_{j + 1}{i + 1}", 2 * layer, i, j, delta[j] * inputs[i]) for i in range(2)]
                found.append((f"b{'¹²'[layer]}_{j + 1}", 2 * layer + 1, -1, j, delta[j]))
        return found


def by_hand() -> ByHand:
    """The formulas, unit by unit, in plain Python."""
    x, y = [1.0, 2.0], [0.0, 1.0]
    below, b1 = [[0.5, -0.25], [0.75, 0.5]], [0.1, -0.5]
    above, b2 = [[1.0, -0.5], [-1.5, 0.25]], [0.0, 0.2]
    s1 = [sum(w * i for w, i in zip(row, x, strict=True)) + b for row, b in zip(below, b1, strict=True)]
    h1 = [1 / (1 + exp(-s)) for s in s1]
    s2 = [sum(w * i for w, i in zip(row, h1, strict=True)) + b for row, b in zip(above, b2, strict=True)]
    h2 = [exp(s) / sum(map(exp, s2)) for s in s2]
    error = -sum(target * log(h) for target, h in zip(y, h2, strict=True))
    d2 = [h - target for h, target in zip(h2, y, strict=True)]
    d1 = [sum(d2[k] * above[k][j] for k in range(2)) * h1[j] * (1 - h1[j]) for j in range(2)]
    return ByHand(x, y, below, b1, above, b2, s1, h1, s2, h2, error, d2, d1)


def compared(hand: ByHand) -> list[tuple[str, float, float, float]]:
    """Of each weight its name, and ∂𝓔/∂w by hand, by the code, and by finite differences."""
    weights = [np.array(hand.below).T, np.array(hand.above).T]
    biases = [np.array(hand.b1), np.array(hand.b2)]
    network = Network(weights, biases, layers.Logistic(), Softmax(), CrossEntropy())
    x, y = np.array([hand.x]), np.array([hand.y])
    found = network.gradients(x, y, np.ones((1, 1)))[3]
    numbers = differences(network, x, y)
    rows = []
    for name, which, i, j, own in hand.rows():
        place: Any = j if i < 0 else (i, j)
        rows.append((name, own, float(found[which][place]), float(numbers[which][place])))
    check(rows)
    return rows


def check(rows: list[tuple[str, float, float, float]]) -> None:
    """Return what the page says of them."""
    for name, *three in rows:
        if max(three) - min(three) > AGREE:
            raise AssertionError(f"{name}: {three}")


def differences(network: Network, x: Any, y: Any) -> list[Any]:
    """(𝓔(w + ε) − 𝓔(w − ε)) / 2ε of every weight, one by one; 𝓔 is the sum over the examples."""

    def error() -> float:
        s, h = network.forward(x)
        return float(network.error.value(network.output, s, h, y).sum())

    found = []
    for array in network.parameters:
        slopes = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            kept = array[place]
            array[place] = kept + STEP
            above = error()
            array[place] = kept - STEP
            slopes[place] = (above - error()) / (2 * STEP)
            array[place] = kept
        found.append(slopes)
    return found


def catalogue() -> int:
    """How many networks, one for each activation, output and error that fit together, pass the same comparison."""
    random = np.random.RandomState(0)
    x, count = random.standard_normal((5, 4)), 0
    y = np.eye(3)[[0, 1, 2, 1, 0]]
    for activation in layers.CATALOGUE:
        for output, error in PAIRS:
            weights, biases = draw_weights((4, 6, 5, 3), activation(), 0, np.float64)
            network = Network(weights, biases, activation(), output(), error())
            found = network.gradients(x, y, np.ones((5, 1)))[3]
            for one, other in zip(found, differences(network, x, y), strict=True):
                if np.abs(one - other).max() > AGREE:
                    raise AssertionError(f"{activation.name}, {output.name}, {error.name}")
            count += 1
    return count


# --- what is learnt ----------------------------------------------------------------------------------------


def moons() -> tuple[Split, list[MLPClassifier]]:
    """Two moons: without a hidden layer, and with one."""
    data = split(*make_moons(400, noise=0.2, random_state=0))
    declared = {"activation": "tanh", "learning_rate": 0.02, "batch_size": 32, "max_iter": 100, "dtype": "float64"}
    return data, [MLPClassifier(hidden, random_state=0, **declared).fit(data.X, data.y) for hidden in ((), (16,))]


def digits() -> Split:
    """Handwritten digits, 8 × 8 grey values from 0 to 1."""
    X, y = load_digits(return_X_y=True)
    return split(X / 16.0, y)


def reader(data: Split) -> MLPClassifier:
    """Digits with two hidden layers; a fifth of what is learnt from says when to stop."""
    model = MLPClassifier((64, 32), batch_size=32, early_stopping=True, validation_fraction=0.2, dtype="float64")
    return model.set_params(random_state=0).fit(data.X, data.y)


def deep(data: Split, activation: str) -> MLPClassifier:
    """Digits with many layers, by plain descent."""
    model = MLPClassifier((32,) * DEEP, activation, solver="descent", learning_rate=0.05, batch_size=64, max_iter=15)
    return model.set_params(n_iter_no_change=4, dtype="float64", random_state=0).fit(data.X, data.y)


def hot(data: Split, scale: float) -> MLPClassifier:
    """Digits whose grey values go up to `scale`, by long steps."""
    model = MLPClassifier((64,), solver="descent", learning_rate=0.2, batch_size=64, max_iter=30, dtype="float64")
    return model.set_params(random_state=0).fit(scale * data.X, data.y)
