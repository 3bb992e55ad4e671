"""Which command lines are about typed columns, and what they may say. Loads nothing that judging a text needs not."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, escape
from .items import NUMBERS
from .output import quote

if TYPE_CHECKING:
    from ..table_models.served import ServedTable
    from .output import Remarks

TYPED = {"ignore": "--ignore", "category": "--category", "number": "--number"}
UNSEEN = {
    True: "it has the share of a category with no count",
    False: "it is none of the labels learnt",
}
"""The rule for a category that was never learnt, by whether the model is naive Bayes."""
_OF_TEXTS = {
    "words": "--words",
    "max_features": "--max-features",
    "hashed": "--hashed",
    "readable": "--readable or --unreadable",
    "binary": "--binary or --counts",
    "likelihood": "--likelihood",
}


def is_typed(examples: Sequence[str], given: Mapping[str, Any]) -> bool:
    """Return whether the columns of a table are to be learnt by their types: --label alone, or a file of numbers."""
    if given["text"] is not None:
        return False
    numbers = given["table_format"] == "svm" or any(path.lower().endswith(NUMBERS) for path in examples)
    return given["label"] is not None or (numbers and all("=" not in path or os.path.isfile(path) for path in examples))


def refuse_typed(given: Mapping[str, Any]) -> None:
    """Raise UsageError for what only typed columns have."""
    for option, name in TYPED.items():
        if given[option]:
            raise UsageError(f"Expected {name} only for typed columns, a table with --label alone; these are texts.")


def refuse_of_texts(given: Mapping[str, Any]) -> None:
    """Raise UsageError for what only texts have."""
    if given["model"] == "nbsvm":
        raise UsageError(
            "Expected a model of typed columns; nbsvm weighs the words of texts. Add --text COLUMN, or choose "
            "naive-bayes, discriminant, logistic, svm, perceptron, least-squares, kernel-svm or mlp."
        )
    for option, name in _OF_TEXTS.items():
        if given[option] is not None:
            raise UsageError(f"Expected {name} only with --text COLUMN; without it the columns are typed.")
    if given["kind"] != "auto":
        raise UsageError(f"Expected --kind only of files and texts; {given['kind']} came for a table of typed columns.")


def tell_known(known: int, n: int, remarks: Remarks) -> None:
    """Warn that rows equal training rows."""
    if known:
        remarks(
            f"Warning: {'all' if known == n else f'about {known:,}'} of these {n:,} rows equal rows that the model was "
            "trained on, so the figures flatter. Evaluate on rows that it was not trained on."
        )


def refuse_text(text: str | None) -> None:
    """Raise UsageError where a column of texts is named to a model of typed columns."""
    if text is not None:
        raise UsageError(f"Expected no --text with a model of typed columns; --text {escape(text)} came. Leave it out.")


def tell_leaks(errors: Mapping[str, float], label: str | None, remarks: Remarks) -> None:
    """Warn of columns that alone tell the label, with their errors."""
    of = "the label" if label is None else f"'{escape(label)}'"
    for own, error in list(errors.items())[:5]:
        remarks(
            f"Warning: column '{escape(own)}' alone tells {of}: {100.0 * error:.3g} % wrong. If it is another form of "
            f"the label, or known only after it, leave it out: --ignore {quote(own)}."
        )
    if len(errors) > 5:
        remarks(f"Warning: so do {len(errors) - 5:,} more columns.")


def tell_unseen(served: ServedTable, verbose: bool, remarks: Remarks) -> None:
    """Say once of each column which of its categories were never learnt."""
    if not verbose:
        return
    for own in dict.fromkeys(own for own, _ in served.unseen):
        labels = {label: n for (column, label), n in served.unseen.items() if column == own}
        listed = ", ".join(f"'{escape(label)}'" for label in list(labels)[:5]) + ", …" * (len(labels) > 5)
        n = sum(labels.values())
        remarks(
            f"Column '{escape(own)}': {n:,} {'row has' if n == 1 else 'rows have'} a category that was never learnt "
            f"({listed}); {UNSEEN[served.model.name == 'naive-bayes']}."
        )
