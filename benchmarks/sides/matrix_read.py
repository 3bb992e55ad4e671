"""What a matrix side begins with: the matrix that was prepared, and the estimator by its dotted name."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse


def matrix(folder: Path, split: str) -> tuple[Any, Any]:
    """X (dense, or CSR as CountVectorizer leaves it) and y of "train" or "test", in memory."""
    X, y = folder / f"{split}-dense.npy", np.load(folder / f"{split}-y.npy")
    if X.exists():
        return np.load(X), y
    parts = tuple(np.load(folder / f"{split}-{name}.npy") for name in ("data", "indices", "indptr"))
    return sparse.csr_matrix(parts, shape=json.loads((folder / f"{split}-shape.json").read_text())), y


def named(path: str) -> Any:
    """A class or function from its dotted name."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def made(settings: dict[str, Any]) -> Any:
    """The estimator of the settings; JSON has no tuples, which parameters are."""
    parameters = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings["parameters"].items()
    }
    return named(settings["estimator"])(**parameters)
