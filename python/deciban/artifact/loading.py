"""The one way back from a file to a model, whatever its kind."""

from __future__ import annotations

import os
from typing import Any

from .. import store

_MACHINES = ("kernel-svm", "support-vector-regression", "one-class-svm")
_NETWORKS = ("mlp", "mlp-regressor")


def load(path: str | os.PathLike[str]) -> Any:
    """The model in a .deciban file: a `TextClassifier`, a `NaiveBayes`, a `LinearTable`, `KernelTable` or
    `NetworkTable`, a kernel machine, or a multilayer perceptron.

    Raises NoInputError where there is no such file, DataError for what is not a whole, unaltered .deciban file.
    """
    stored = store.read(path, tables=True)
    if store.of_table(stored.header) and {"linear", "coded"} & stored.header.keys():
        from ..table_models.recipes import from_stored

        return from_stored(stored)
    if store.of_table(stored.header):
        if stored.header.get("model") in _MACHINES:
            from ..kernel_machines.stored import restored

            return restored(stored)
        if stored.header.get("model") in _NETWORKS:
            from ..mlp.stored import restored as network

            return network(stored)
        from ..models.naive_bayes import NaiveBayes

        return NaiveBayes.from_stored(stored)
    from ..text.classifier import TextClassifier

    return TextClassifier.from_stored(stored)
