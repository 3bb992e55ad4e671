"""How much memory many classes may take: what is beyond it is refused before it is asked for."""

from __future__ import annotations

import os

from deciban.errors import DataError, escape

SETTING = "DECIBAN_MEMORY"
"""The environment variable that says how many gigabytes a fit may take for its classes."""
GIGABYTES = 4.0
COPIES = 4.0
"""Copies of the counts of a word, as measured: tables of threads, the book, weights, their form that judges."""
_BYTES = 8  # of a float64
# More labels than that, most of them of one row, are names of rows or measurements; the second while rows follow.
_UNLIKELY = (1000, 8192)


def has_room(classes: int, numbers: float) -> bool:
    """Return whether so many numbers a class are within the limit."""
    return _BYTES * classes * numbers <= 1e9 * _limit()


def require_room(classes: int, numbers: float, where: str = "y holds") -> None:
    """Raise unless a fit may take the memory that it needs for its classes.

    Parameters
    ----------
    classes : int
        Number of classes.
    numbers : float
        Numbers that the fit keeps for a class, with all copies that are there at once.
    where : str
        Subject of the message: where the labels come from, and a verb.

    Raises
    ------
    DataError
        If they are more than `DECIBAN_MEMORY` gigabytes, by default 4.
    """
    if not has_room(classes, numbers):
        raise DataError(
            f"{where} {classes:,} distinct labels: a fit of them takes about "
            f"{_BYTES * classes * numbers / 1e9:,.1f} GB. At most {_limit():g} GB are expected. "
            f"Check that these are the labels, keep fewer features, or set {SETTING} to more gigabytes."
        )


def require_labels(classes: int, rows: int, column: str | None, more: bool = False) -> None:
    """Raise DataError for a column of a table most of whose values no two rows share; `more` rows may follow."""
    if classes > _UNLIKELY[more] and 2 * classes > rows:
        raise DataError(
            f"--label {escape(column or '')} names a column with {classes:,} distinct values in {rows:,} rows; is it "
            "the label? A column with few values, each of many rows, is expected. Name another one with --label."
        )


def _limit() -> float:
    told = os.environ.get(SETTING, "")
    try:
        limit = float(told) if told else GIGABYTES
    except ValueError:
        limit = -1.0
    if not limit > 0.0:
        raise DataError(
            f"{SETTING}={told!r} in the environment. A number of gigabytes above 0 is expected, such as 16."
        )
    return limit
