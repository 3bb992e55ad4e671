"""Classifiers of texts as .deciban files: `text_layout` describes the header and the tensors."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ..store import Stored
from .classifier import TextClassifier
from .parameters import parameters_of
from .restoring import from_stored
from .served import ServedText


def header_of(model: TextClassifier) -> dict[str, Any]:
    """Return what the file's header keeps."""
    return model.model_.header()


def arrays_of(model: TextClassifier) -> dict[str, NDArray[Any]]:
    """Return what the file's tensors keep."""
    return model.model_.arrays()


def restore(stored: Stored) -> TextClassifier:
    """Return the classifier in a file that `store.read` has checked."""
    model, served = from_stored(stored), ServedText.from_stored(stored)
    found = TextClassifier(**parameters_of(model))
    found._become(model, 0.0, served)
    return found
