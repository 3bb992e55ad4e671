"""Small problems of kernel machines, and which quadratic programme takes which."""

import numpy as np
import pytest
from hypothesis import strategies as st

from deciban.kernel_solvers import KernelProblem
from deciban.kernel_solvers.qp import CATALOGUE
from deciban.kernels import RBF, Linear, Polynomial
from tiers import examples

TOY = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
SIDES = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
MACHINES = {
    "classification": lambda kernel, X, y, c: KernelProblem.classification(kernel, X, y, 2.0 * c),
    "nu-classification": lambda kernel, X, y, c: KernelProblem.nu_classification(kernel, X, y, c, 0.3),
    "one-class": lambda kernel, X, y, c: KernelProblem.one_class(kernel, X, c, 0.25),
    "regression": lambda kernel, X, y, c: KernelProblem.regression(kernel, X, y + X[:, 0], c, 0.2),
    "nu-regression": lambda kernel, X, y, c: KernelProblem.nu_regression(kernel, X, y + X[:, 0], c, 0.4),
    "absolute": lambda kernel, X, y, c: KernelProblem.regression(kernel, X, X[:, 1], c, 0.0),
}
KERNELS = [Linear(), RBF(0.3), Polynomial(0.5, 1.0, 2)]
CASES = [
    pytest.param(machine, kernel, solver, id=f"{machine}-{kernel.name}-{solver.NAME}")
    for machine in MACHINES
    for kernel in KERNELS
    for solver in CATALOGUE
    if solver.NAME == "dual-qp" or kernel == Linear()
]
over = pytest.mark.parametrize(("machine", "kernel", "solver"), CASES)
over_solvers = pytest.mark.parametrize("solver", CATALOGUE, ids=lambda solver: solver.NAME)
seeds = st.integers(0, 2**32 - 1)
few = examples(8)


def data(seed, N=30, d=3):
    """X (N, d), y (N,) of −1 and +1 that overlap, c (N,)."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d))
    y = np.where(X[:, 0] + 0.6 * random.normal(size=N) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, random.uniform(0.5, 2.0, N)
