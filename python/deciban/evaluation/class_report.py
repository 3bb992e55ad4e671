"""Precision and recall, class by class."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ClassReport:
    """One class: how much of what was given its name bears it, how much of it was found, their harmonic mean.

    None where nothing was given that name, or nothing bears it.
    """

    label: Hashable
    support: int
    precision: float | None
    recall: float | None
    f1: float | None


def by_class(truth: Indices, verdict: Indices, names: tuple[Hashable, ...]) -> tuple[ClassReport, ...]:
    """Of each class, from the places (N,) of the true classes, −1 for none of them, and of the verdicts."""
    from sklearn.metrics import precision_recall_fscore_support

    measures = precision_recall_fscore_support(truth, verdict, labels=range(len(names)), zero_division=np.nan)
    return tuple(
        ClassReport(name, int(support), *(None if np.isnan(v) else float(v) for v in (precision, recall, f1)))
        for name, precision, recall, f1, support in zip(names, *measures, strict=True)
    )
