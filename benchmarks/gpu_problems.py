"""What is learnt on a device: three problems of RBF machines, each of a seed or a file, and each in a small size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import environment
import numpy as np

Part = tuple[Any, Any]


@dataclass(frozen=True)
class DeviceProblem:
    """`parts(rows, asked)` are float32 rows and labels to learn from and to judge; `ladder` the sizes at which the
    CPU's side is tried, `agreed` the size at which CPU and device must find the same."""

    name: str
    title: str
    C: float
    rows: int
    asked: int
    ladder: tuple[int, ...]
    agreed: int
    parts: Callable[[int, int], tuple[Part, Part]]

    def small(self) -> DeviceProblem:
        """The same in seconds on a CPU."""
        title = "digits of scikit-learn, 600 × 64, ten classes" if self.name == "mnist" else f"{self.title}, cut to 600"
        made = _digits if self.name == "mnist" else self.parts
        return DeviceProblem(self.name, title, self.C, 600, 300, (600,), 300, made)


def _mnist(rows: int, asked: int) -> tuple[Part, Part]:
    with np.load(environment.data("mnist.npz")) as images:
        parts = [(images[f"x_{split}"], images[f"y_{split}"]) for split in ("train", "test")]
    X, Z = ((part[0].reshape(len(part[0]), -1) / np.float32(255.0)).astype(np.float32) for part in parts)
    y, truth = (part[1].astype(np.int64) for part in parts)
    return (X[:rows], y[:rows]), (Z[:asked], truth[:asked])


def _digits(rows: int, asked: int) -> tuple[Part, Part]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    X = (X / 16.0).astype(np.float32)
    return (X[:rows], y[:rows]), (X[rows : rows + asked], y[rows : rows + asked])


def _forest(rows: int, asked: int) -> tuple[Part, Part]:
    """Ten correlated numbers and two one-hot codes, of 4 and of 40, like those of a forest's cover; two classes by a
    curved surface and by the codes, one label in ten wrong."""
    r = np.random.default_rng(54)
    n = rows + asked
    mixing, soils = r.normal(size=(10, 10)) / np.sqrt(10.0), r.normal(size=44)
    numbers = r.normal(size=(n, 10)) @ mixing
    codes = np.zeros((n, 44))
    codes[np.arange(n), r.integers(0, 4, n)] = 1.0
    codes[np.arange(n), 4 + np.minimum(r.geometric(0.1, n) - 1, 39)] = 1.0
    f = np.sin(2.0 * numbers[:, 0]) + numbers[:, 1] * numbers[:, 2] + numbers[:, 3] + 0.7 * (codes @ soils)
    y = (f > np.median(f)) ^ (r.random(n) < 0.1)
    X = np.hstack([(numbers - numbers.mean(axis=0)) / numbers.std(axis=0), codes]).astype(np.float32)
    return (X[:rows], y[:rows].astype(np.int64)), (X[rows:], y[rows:].astype(np.int64))


def _dense(rows: int, asked: int) -> tuple[Part, Part]:
    """2,000 features of rows of length 1; two classes by two hidden directions and their product, with noise."""
    r = np.random.default_rng(2000)
    n, d, step = rows + asked, 2000, 20_000
    hidden = r.normal(size=(d, 3)).astype(np.float32)
    X, f = np.empty((n, d), dtype=np.float32), np.empty(n)
    for i in range(0, n, step):
        part = r.standard_normal((min(step, n - i), d), dtype=np.float32)
        seen = part @ hidden / np.float32(np.sqrt(d))
        f[i : i + step] = seen[:, 0] + seen[:, 1] * seen[:, 2] + 0.5 * r.normal(size=len(part))
        X[i : i + step] = part / np.linalg.norm(part, axis=1, keepdims=True)
    y = (f > 0.0).astype(np.int64)
    return (X[:rows], y[:rows]), (X[rows:], y[rows:])


PROBLEMS = (
    DeviceProblem(
        "mnist", "MNIST, 60,000 × 784, ten classes", 10.0, 60_000, 10_000, (5_000, 20_000, 60_000), 10_000, _mnist
    ),
    DeviceProblem(
        "forest", "simulated, 500,000 × 54, two classes", 1.0, 500_000, 50_000, (10_000, 40_000, 500_000), 10_000,
        _forest,
    ),
    DeviceProblem(
        "dense", "simulated, 400,000 × 2,000, two classes", 1.0, 400_000, 50_000, (5_000, 20_000, 400_000), 5_000,
        _dense,
    ),
)  # fmt: skip
