"""What becomes of an item that is learnt or forgotten, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..data.text_layout import NAIVE_BAYES, ONLINE
from ..errors import DataError

# What became of one item: counted now; known under this label, nothing changed; moved here from another label; of one
# that the filter was to label by itself: not sure enough, or of a class that has too many.
Outcome = Literal["learnt", "already known", "relabelled", "forgotten", "not known", "unsure", "held back"]


def label_among(labels: Sequence[str], label: str, where: str = "", whose: str = "the filter's") -> int:
    """Return the place of a label among `whose` labels; DataError, which begins with `where`, names those there are."""
    if label in labels:
        return labels.index(label)
    from difflib import get_close_matches  # here, because who gives a known label does not need it

    close = get_close_matches(label, labels, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(map(repr, labels[:20])) + ", …" * (len(labels) > 20)
    raise DataError(f"{where}expected one of {whose} labels, {listed}; got {label!r}.{hint}")


def require_left(items: float) -> None:
    """Raise DataError for a filter that would know nothing."""
    if not items:
        raise DataError("Expected that something is left in the filter; this is all it knows. Delete its file instead.")


def refuse_minimised(model: str) -> None:
    """Raise DataError unless a model of this name can learn on and forget."""
    if model not in (NAIVE_BAYES, ONLINE):
        raise DataError(
            f"expected a model that learns on and forgets; this one is {model!r}, learnt by minimising over all items "
            "at once. Train anew with all of them, or train with --model online or naive-bayes."
        )


def require_label(classes: Sequence[Any], has: int, wanted: int | None) -> None:
    """Raise DataError for an item that is to be forgotten under one label, if any, and has another."""
    if wanted is not None and has != wanted:
        raise DataError(
            f"this item was learnt as {classes[has]!r}, not as {str(classes[wanted])!r}; nothing was changed. "
            f"To take that back, forget it --as {classes[has]}."
        )
