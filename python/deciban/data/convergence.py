"""A fit that did not converge warns once, however many fits it is made of.

Solvers never warn: they return a status, which the certificate tells with its advice. `warned_once` stands about every
fit; the outermost one warns. The command gathers what would be warned of and tells it in its own words.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os.path import dirname, join
from typing import Any

# Statuses of fits that sought an optimum and did not reach it, other than because somebody ended them.
_SHORT = ("exhausted", "out of time", "overflow")
# Files whose frames are not those of the caller: ours, and what stands about a fit.
_WITHIN = (dirname(dirname(__file__)), "contextlib.py", join("sklearn", "callback"))

_gathered: ContextVar[list[str] | None] = ContextVar("gathered", default=None)


@contextmanager
def gathered() -> Iterator[list[str]]:
    """Collect the warnings of the fits within instead of issuing them."""
    found: list[str] = []
    token = _gathered.set(found)
    try:
        yield found
    finally:
        _gathered.reset(token)


@contextmanager
def warned_once(model: Any = None) -> Iterator[None]:
    """Issue at most one `ConvergenceWarning` for the fit of `model` and all fits within, if no fit is about it."""
    with gathered() as within:
        yield
    own = message(model)
    told = own or (_together(within) if within else "")
    outer = _gathered.get()
    if not told:
        return
    if outer is not None:
        outer.append(told)
        return
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(told, ConvergenceWarning, stacklevel=_outside())


def message(model: Any) -> str:
    """Return how the last fit of the model fell short of an optimum and what to do; nothing where it did not.

    A model that seeks none says so by `_seeks_optimum`.
    """
    known = getattr(model, "__dict__", {})
    proof = known.get("_proof") or getattr(known.get("_found"), "proof", None)
    if proof is None or proof.status not in _SHORT or not getattr(model, "_seeks_optimum", lambda: True)():
        return ""
    gap = "" if proof.relative_gap is None else f", relative gap {proof.relative_gap:.1e}"
    advice = proof.advice[:1].upper() + proof.advice[1:]
    ended = f"{proof.status} after {proof.iterations:,} iterations{gap}"
    return f"{type(model).__name__} did not converge ({ended}). {advice}."


def _together(within: list[str]) -> str:
    return (
        within[0]
        if len(within) == 1
        else f"{len(within):,} of the fits within did not converge. The first: {within[0]}"
    )


def _outside() -> int:
    """Count the frames up to the caller of the package, so that the warning shows his line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and any(part in frame.f_code.co_filename for part in _WITHIN):
        level, frame = level + 1, frame.f_back
    return level
