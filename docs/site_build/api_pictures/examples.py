"""The examples that the pictures of the API are drawn from, all made here, with seeds of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciban.evaluation import Judgements

Floats = NDArray[np.float64]
Labels = NDArray[np.str_]
NAMES = ("A", "B", "C")
"""Of classes."""
AXES = ("x₁", "x₂")


def make_clouds(classes: int = 2, count: int = 24, apart: float = 1.35, seed: int = 3) -> tuple[Floats, Labels]:
    """Return examples of normal distributions, one a class, each with a shape of its own."""
    random, X = np.random.default_rng(seed), []
    for c in range(classes):
        angle = 2.0 * np.pi * c / classes + 0.5
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        X.append(random.normal(size=(count, 2)) * [0.55, 1.0] @ turn.T + apart * turn[:, 0])
    return np.concatenate(X), np.repeat(NAMES[:classes], count)


def make_moons(count: int = 28, noise: float = 0.2, seed: int = 5) -> tuple[Floats, Labels]:
    """Return examples of two half circles, one in the other."""
    random, turn = np.random.default_rng(seed), np.linspace(0.0, np.pi, count)
    upper, lower = (
        np.column_stack([np.cos(turn), np.sin(turn)]),
        np.column_stack([1 - np.cos(turn), 0.5 - np.sin(turn)]),
    )
    X = np.concatenate([upper, lower])
    return X + noise * random.normal(size=X.shape), np.repeat(NAMES[:2], count)


def make_wave(count: int = 28, noise: float = 0.2, seed: int = 2) -> tuple[Floats, Floats]:
    """Return examples of a function of one feature: a sine."""
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(-3.0, 3.0, count))
    return x[:, None], np.sin(1.3 * x) + noise * random.normal(size=count)


def make_line(count: int = 24, noise: float = 0.5, seed: int = 2) -> tuple[Floats, Floats]:
    """Return examples of a function of one feature: a straight line."""
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(0.0, 5.0, count))
    return x[:, None], 1.0 + 0.7 * x + noise * random.normal(size=count)


def make_scores(count: int = 600, factor: float = 2.5, seed: int = 1) -> tuple[Floats, NDArray[np.int64]]:
    """Return log-odds (n,) of an overconfident classifier, so many times too large, and the classes 0 and 1."""
    random = np.random.default_rng(seed)
    odds = random.normal(size=count) * 1.6 + random.choice([-1.0, 1.0], count)
    y = (random.uniform(size=count) < 1.0 / (1.0 + np.exp(-odds - 0.5))).astype(np.int64)
    return factor * odds, y


def make_judgements(count: int = 600) -> Judgements:
    """Return what that classifier predicts of these examples."""
    odds, y = make_scores(count)
    log_p = np.column_stack([-np.logaddexp(0.0, odds), -np.logaddexp(0.0, -odds)])
    return Judgements(("ham", "spam"), y, log_p)


REVIEWS = (
    ("a warm and funny film, wonderful actors", "good"),
    ("wonderful story, warm and moving", "good"),
    ("funny, moving, never boring", "good"),
    ("the actors are wonderful, the music too", "good"),
    ("a moving film with a warm heart", "good"),
    ("a boring story and bad actors", "bad"),
    ("bad, boring, far too long", "bad"),
    ("the plot is dull and the film too long", "bad"),
    ("dull music, a bad plot", "bad"),
    ("too long, never funny, dull", "bad"),
)
TEXTS, VERDICTS = (list(each) for each in zip(*REVIEWS, strict=True))
UNSEEN = "a warm film, warm and wonderful actors, never too long, never dull"
