"""A fit that did not converge warns once, however many fits it is made of.

Solvers never warn: they return a status, which the certificate tells with its advice. `warn_once` stands about every
fit; the outermost one warns. The command gathers what would be warned of and tells it in its own words.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os.path import dirname, join
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deciban.data.declared_types import Estimator

# Statuses of fits that sought an optimum and did not reach it, other than because somebody ended them.
_SHORT = ("exhausted", "out of time", "overflow")
# Files whose frames are not those of the caller: ours, and what stands about a fit.
_WITHIN = (dirname(dirname(__file__)), "contextlib.py", join("sklearn", "callback"))

_gathered: ContextVar[list[str] | None] = ContextVar("gathered", default=None)
_interrupted: ContextVar[list[str] | None] = ContextVar("interrupted", default=None)


@contextmanager
def gather_warnings() -> Iterator[list[str]]:
    """Collect the warnings of the fits within instead of issuing them."""
    found: list[str] = []
    token = _gathered.set(found)
    try:
        yield found
    finally:
        _gathered.reset(token)


@contextmanager
def refuse_interrupted() -> Iterator[None]:
    """Raise KeyboardInterrupt if Ctrl-C ended a fit within, which tells it by its status only: for who fits several
    models, and has no status of its own."""
    came: list[str] = []
    token = _interrupted.set(came)
    try:
        yield
    finally:
        _interrupted.reset(token)
    if came:
        raise KeyboardInterrupt


@contextmanager
def warn_once(model: Any = None) -> Iterator[None]:
    """Issue at most one `ConvergenceWarning` for the fit of `model` and all fits within, if no fit is about it."""
    with gather_warnings() as within:
        yield
    came = _interrupted.get()
    if came is not None and getattr(_proof_of(model), "status", "") == "interrupted":
        came.append(type(model).__name__)
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


def message(model: Estimator) -> str:
    """Return how the last fit of the model fell short of an optimum and what to do; nothing where it did not.

    A model that seeks none says so by `_seeks_optimum`.
    """
    proof = _proof_of(model)
    if proof is None or proof.status not in _SHORT or not getattr(model, "_seeks_optimum", lambda: True)():
        return ""
    gap = "" if proof.relative_gap is None else f", relative gap {proof.relative_gap:.1e}"
    advice = proof.advice[:1].upper() + proof.advice[1:]
    ended = f"{proof.status} after {proof.iterations:,} iterations{gap}"
    return f"{type(model).__name__} did not converge ({ended}). {advice}."


def _proof_of(model: Any) -> Any:
    known = getattr(model, "__dict__", {})
    return known.get("_proof") or getattr(known.get("_found"), "proof", None)


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
