"""Duals of every kernel machine, small."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from deciban.kernel_solvers import KernelProblem
from deciban.kernels import RBF, Gaussian, Kernel, Linear, Multiquadric, Polynomial


def cloud(seed: int, N: int, d: int = 3) -> tuple[Any, Any]:
    """X (N, d), and classes of −1 and +1 that overlap."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.7 * random.normal(size=N) > 0.8, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


MACHINES = ("classification", "separated", "nu", "one class", "regression", "nu regression", "weighted")
KERNELS: tuple[Kernel, ...] = (Linear(), Polynomial(0.5, 1.0, 2), RBF(0.7), Gaussian(1.5), RBF(0.3) + Linear())


def machine(kind: str, kernel: Kernel, seed: int = 0, N: int = 60, n_jobs: int | None = None) -> KernelProblem:
    """One of `MACHINES` over a cloud."""
    X, y = cloud(seed, N)
    random = np.random.default_rng(seed + 1)
    c = random.choice([0.0, 0.5, 1.0, 3.0], size=N) if kind == "weighted" else np.ones(N)
    if kind == "separated":
        y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
        X[:, 0] += 0.3 * y
        return KernelProblem.classification(kernel, X, y, np.full(N, np.inf), n_jobs)
    if kind == "nu":
        return KernelProblem.nu_classification(kernel, X, y, c, 0.4, n_jobs)
    if kind == "one class":
        return KernelProblem.one_class(kernel, X, c, 0.3, n_jobs)
    if kind == "regression":
        return KernelProblem.regression(kernel, X, np.sin(X[:, 0]) + X[:, 1], np.full(N, 2.0), 0.1, n_jobs)
    if kind == "nu regression":
        return KernelProblem.nu_regression(kernel, X, np.sin(X[:, 0]) + X[:, 1], np.full(N, 2.0), 0.4, n_jobs)
    return KernelProblem.classification(kernel, X, y, 2.0 * c, n_jobs)


def as_csr(problem: KernelProblem) -> KernelProblem:
    """The same over a sparse X."""
    from dataclasses import replace

    return replace(problem, X=sparse.csr_matrix(problem.X))


__all__ = ["KERNELS", "MACHINES", "Multiquadric", "as_csr", "cloud", "machine"]
