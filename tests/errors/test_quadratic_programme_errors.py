"""Refusals of `QP`, word for word."""

import numpy as np
import pytest

from deciban import QP
from deciban.errors import InfeasibleError, UnboundedError
from errors.refusals import refused

NONE = np.zeros((0, 2))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((np.eye(2), [0.0], [[1.0]], [0.0]), "Q has the shape (2, 2), but c has 1 costs. Q must be (1, 1)."),
        (
            (np.eye(2), [0.0, 0.0], [[1.0]], [0.0]),
            "A has the shape (1, 1), but there are 1 bounds in a and 2 costs in c. A must be (1, 2).",
        ),
        (
            (np.eye(2), [0.0, np.nan], NONE, []),
            "c contains NaN or infinity. All numbers of a programme must be finite.",
        ),
        (
            ([[np.inf]], [0.0], [[1.0]], [0.0]),
            "Q contains NaN or infinity. All numbers of a programme must be finite.",
        ),
        ((np.eye(2), [[0.0, 1.0]], NONE, []), "c has the shape (1, 2). It must be a vector."),
        (([1.0, 2.0], [0.0, 0.0], NONE, []), "Q has 1 dimension(s). It must be a matrix."),
        (
            (np.diag([1.0, -2.0]), [0.0, 0.0], NONE, []),
            "Q is not positive semi-definite: its smallest eigenvalue is -2. QP minimises convex objectives. Give one.",
        ),
    ],
)
def test_what_is_no_programme(given, text):
    with refused(text, ValueError):
        QP(*given)


def test_rows_that_contradict_each_other():
    text = (
        "no z satisfies A z ≥ a: a mixture of the rows 0, 1 asks 0 to be above 0. A programme must have a point that "
        "satisfies all rows. Relax or drop one of these rows."
    )
    with refused(text, InfeasibleError):
        QP([[1.0]], [0.0], [[1.0], [-1.0]], [1.0, 1.0]).solve()


def test_an_objective_without_a_minimum():
    text = (
        "the objective falls for ever along the direction (0, 1). A programme must have a minimum. Add a constraint, "
        "or curvature to Q, along it."
    )
    with refused(text, UnboundedError):
        QP(np.diag([1.0, 0.0]), [0.0, -1.0], NONE, []).solve()
