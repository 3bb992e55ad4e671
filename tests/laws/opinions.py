"""What classifiers may say of examples: sure and unsure, right and wrong, of two classes and of many."""

import numpy as np
from hypothesis import strategies as st

from deciban.evaluation.judgements import Judgements


def of_odds(s, y, classes=("ham", "spam")):
    """Judgements of two classes from log-odds (N,) of the second one."""
    s, y = np.asarray(s, dtype=float), np.asarray(y, dtype=np.intp)
    return Judgements(classes, y, np.column_stack([-np.logaddexp(0.0, s), -np.logaddexp(0.0, -s)]))


def two(N, apart=1.5, sharp=1.0, rate=0.4, classes=("ham", "spam"), seed=0):
    """Two classes whose log-odds are normal, `apart` from each other; beyond `sharp` 1 they promise too much."""
    random = np.random.default_rng(seed)
    y = random.random(N) < rate
    return of_odds(sharp * 2.0 * apart * (random.normal(size=N) / 2.0 + apart * (y - 0.5)), y, classes)


def many(N, C, apart=2.0, classes=None, seed=0):
    """C classes."""
    random = np.random.default_rng(seed)
    y = random.integers(0, C, N)
    s = random.normal(size=(N, C))
    s[np.arange(N), y] += apart
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    return Judgements(tuple(classes or (f"class {c}" for c in range(C))), y, np.minimum(log_p, 0.0))


CERTAIN = np.array([[0.0, -np.inf]] * 2 + [[-np.inf, 0.0]] * 3)

TWO = {
    "many examples": two(2000),
    "few": two(30),
    "nearly perfect": two(3000, 2.2),
    "too sure": two(400, 0.8, 6.0),
    "ties": of_odds(np.repeat([-2.0, -0.5, 0.0, 1.0], 20), np.tile([0, 1, 1, 0, 1], 16)),
    "all alike": of_odds(np.zeros(12), np.arange(12) % 2),
    "certain and right": Judgements(("a", "b"), np.array([0, 0, 1, 1, 1]), CERTAIN),
    "certain and wrong": Judgements(("a", "b"), np.array([1, 1, 0, 0, 0]), CERTAIN),
    "one class": of_odds(np.linspace(-3.0, 1.0, 40), np.zeros(40)),
    "the other class": of_odds(np.linspace(-3.0, 1.0, 40), np.ones(40)),
    "one example": of_odds([0.5], [1]),
    "labels that are no words": two(60, classes=(False, True)),
    "long names": two(60, classes=("나비 $x_1$ 정상 메일함에서 온 것", "<script> & a name that goes on and on\n")),
}
MANY = {
    "three": many(500, 3),
    "a class without examples": Judgements(("a", "b", "c"), np.array([0, 1, 1]), np.log(np.full((3, 3), 1 / 3))),
    "one class of three": Judgements(("a", "b", "c"), np.array([1, 1]), np.log(np.full((2, 3), 1 / 3))),
    "ten": many(900, 10, classes=range(10)),
    "thirty": many(1000, 30),
    "forty, of long names": many(1000, 40, classes=[f"comp.sys.ibm.pc.hardware.{c}" for c in range(40)]),
}
EVERY = {**TWO, **MANY}

ODDS = st.lists(st.sampled_from([-9.0, -2.0, -0.5, 0.0, 0.25, 1.0, 4.0]), min_size=1, max_size=40)


@st.composite
def opinions(draw):
    """Log-odds with ties, and labels."""
    s = draw(ODDS)
    y = draw(st.lists(st.integers(0, 1), min_size=len(s), max_size=len(s)))
    return of_odds(s, y)
