"""How a study keeps what it measures: benchmarks/studies/NAME.json, which the page docs/NAME.md is written from."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from data_sets import MissingError

DOCS = Path(__file__).parents[2] / "docs"
DIGITS = 8
"""Significant digits of a number that is kept."""


def record(script: str, measure: Callable[[], dict[str, Any]]) -> None:
    """Measure, and write the numbers beside the script; without its data nothing is written."""
    warnings.simplefilter("ignore")  # scikit-learn's, of columns that do not vary and of solvers that stopped
    try:
        found = measure()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    Path(script).with_suffix(".json").write_text(as_text(found), encoding="utf-8")


def report(*what: Any) -> None:
    """Show what has just been measured."""
    print(*what, file=sys.stderr, flush=True)


def draw(name: str, figure: Any) -> None:
    """Write a picture that takes the fitted model beside its page in docs/; others are drawn from the numbers."""
    from deciban.report import svg

    (DOCS / name).write_text(svg(figure), encoding="utf-8")


def as_text(found: dict[str, Any]) -> str:
    """Return JSON, with a list that holds no others on one line."""
    text = json.dumps(rounded(found), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return re.sub(r"\[\n\s+[^\[\]{}]*?\n\s+\]", _on_one_line, text)


def _on_one_line(found: re.Match[str]) -> str:
    return f"[{' '.join(found[0][1:-1].split())}]"


def rounded(value: Any) -> Any:
    """Return groups and lists whose numbers have so many digits; what is NaN is missing."""
    if isinstance(value, dict):
        return {str(key): rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    if hasattr(value, "item"):  # of NumPy
        return rounded(value.item() if value.ndim == 0 else value.tolist())
    if isinstance(value, float):
        return None if value != value else float(f"{value:.{DIGITS}g}")
    return value
