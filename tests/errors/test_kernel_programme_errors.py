"""Refusals of the quadratic programmes of kernel machines, word for word."""

import numpy as np
import pytest

from deciban.errors import DataError, NotSeparableError
from deciban.kernel_solvers import KernelProblem, Limits
from deciban.kernel_solvers.qp import CATALOGUE, DualQP, PrimalQP
from deciban.kernels import RBF, Linear, Polynomial, Precomputed
from errors.refusals import refused

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [3.0, 1.0]])
Y = np.array([1.0, -1.0, 1.0, -1.0])
ONES = np.ones(4)


def many(N, d):
    """N rows of d zeros, which nothing stores."""
    rows = np.broadcast_to(0.0, (N, d))
    return KernelProblem.one_class(Linear(), rows, np.ones(N), 0.5)


@pytest.mark.parametrize(
    ("solver", "problem", "text"),
    [
        (
            DualQP(),
            many(2001, 1),
            "factorises a matrix of all variables and takes 2,000 at most; these are 2,001",
        ),
        (
            DualQP(),
            KernelProblem.classification(Precomputed(), np.diag([1.0, 1.0, 1.0, -0.5]), Y, ONES),
            "needs a positive semi-definite Gram matrix, else the programme is not convex; the smallest eigenvalue of "
            "this one is -0.5",
        ),
        (
            DualQP(),
            KernelProblem.nu_classification(RBF(), X, np.array([1.0, -1.0, -1.0, -1.0]), ONES, 0.75),
            "needs coefficients of group 0 that can sum to 1.5; their bounds let them reach 0 to 1",
        ),
        (
            PrimalQP(),
            KernelProblem.one_class(Linear(), X, ONES, 1.5),
            "needs coefficients of group 0 that can sum to 6; their bounds let them reach 0 to 4",
        ),
        (
            PrimalQP(),
            KernelProblem.classification(RBF(), X, Y, ONES),
            "needs the kernel 'linear', which has a weight for each feature; 'rbf' has not",
        ),
        (PrimalQP(), many(3, 2001), "takes 2,000 features and 4,000,000 values at most; X is 3 × 2,001"),
        (PrimalQP(), many(5000, 1000), "takes 2,000 features and 4,000,000 values at most; X is 5,000 × 1,000"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_a_programme_cannot_solve_it_says(solver, problem, text):
    assert solver.refusal(problem) == text


@pytest.mark.parametrize("solver", CATALOGUE, ids=lambda solver: solver.NAME)
def test_a_hard_margin_that_is_not_there(solver):
    crossed = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    problem = KernelProblem.classification(Linear(), crossed, np.array([1.0, 1.0, -1.0, -1.0]), np.inf * ONES)
    text = (
        "the hard margin (C=inf) needs classes that the kernel separates, and it does not separate these: one mixture "
        "of examples of either class (rows 0, 1, 2, 3) is the same point. Give a finite C, which lets errors have a "
        "price."
    )
    with refused(text, NotSeparableError):
        solver.solve(problem, Limits())


@pytest.mark.parametrize("solver", CATALOGUE, ids=lambda solver: solver.NAME)
def test_targets_that_no_function_comes_near(solver):
    line = np.array([[0.0], [1.0], [2.0], [3.0]])
    problem = KernelProblem.regression(Linear(), line, Y, np.inf * ONES, 0.1)
    text = (
        "an infinite C asks for a score within epsilon of every target, and no function of this kernel has that. "
        "Give a finite C, which lets errors have a price, or a larger epsilon."
    )
    with refused(text, DataError):
        solver.solve(problem, Limits())


def test_a_kernel_that_overflows():
    kernel = Polynomial(1.0, 1.0, 200)
    text = (
        "the values of Polynomial(scale=1.0, shift=1.0, degree=200) left the range of a float64: scale the columns "
        "down, or choose smaller parameters"
    )
    with refused(text, DataError):
        DualQP().solve(KernelProblem.classification(kernel, 100.0 * X, Y, ONES), Limits())
