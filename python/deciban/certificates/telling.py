"""A certificate in words, from what a file keeps of it: one line, or all lines with their headings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from .bound import Bound, Probabilities, best

# What one line has room for.
_ROOM = 200
_LEAST = 24


def line(proof: Mapping[str, Any]) -> str:
    """Status, data, optimum, the best bound, calibration, how to reproduce: one line of 200 characters at most.

    What to do about the status stands behind it, as far as there is room; where there is too little, the log loss and
    the counts of the classes are left to `headed`.
    """
    status = _plain(str(proof["status"]).partition(":")[0])
    for counts, loss in ((2, True), (2, False), (0, False)):
        parts = _data(proof, counts), _gap(proof), _best(proof), _calibration(proof, loss), _again(proof, 12)
        rest = "; ".join(_plain(each) for each in parts)
        room = _ROOM - len(status) - len(rest) - 4
        if room >= -2:
            break
    if proof["advice"] and room >= _LEAST:
        status += f": {_cut(_plain(str(proof['advice'])), room)}"
    return _cut(f"{status}; {rest}", _ROOM)


def headed(proof: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Headings and what stands behind them; a heading that is empty is the one above."""
    return [(heading, _plain(text)) for heading, text in _rows(proof)]


def _rows(proof: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "ended", str(proof["status"])
    if proof["advice"]:
        yield "what to do", str(proof["advice"])
    yield "data", f"{_data(proof, 20)}; digest {proof['digest']}"
    yield "minimised", str(proof["objective"])
    yield "optimum", _optimum(proof)
    yield from trusted(proof)
    yield "reproduce", f"{_again(proof, 64)}: the same examples and parameters give the same model"


def trusted(proof: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """When to believe the model: its bounds and its probabilities; nothing of what an earlier version wrote."""
    heading, error = "bounds", proof.get("training_error")
    if type(error) is float:
        yield heading, f"training error: {error:.4g}"
        heading = ""
    bounds, how = _read(proof)
    for said in _grouped(bounds):
        yield heading, _plain(said)
        heading = ""
    if any(each.delta for each in bounds):
        yield heading, "all but those of support vectors and leave-one-out hold together with probability 95 %"
    if how is not None:
        yield "calibration", _plain(str(how))


def _grouped(bounds: Iterable[Bound]) -> Iterator[str]:
    """What each says; those that do not apply for one reason, one behind the other, together."""
    for (applies, why), group in groupby(bounds, lambda each: (each.applies, "" if each.applies else each.condition)):
        each = list(group)
        if applies or len(each) == 1:
            yield from map(str, each)
        else:
            yield f"{', '.join(one.name for one in each)}: do not apply: {why}"


def _read(proof: Mapping[str, Any]) -> tuple[tuple[Bound, ...], Probabilities | None]:
    """What is told of bounds and probabilities; nothing where a file has something else in their place."""
    try:
        told = proof.get("calibration")
        bounds = tuple(Bound.from_json(each) for each in proof.get("bounds") or ())
        return bounds, Probabilities.from_json(told) if told else None
    except (ValueError, TypeError):
        return (), None


def _data(proof: Mapping[str, Any], most: int) -> str:
    counts = proof.get("class_counts") or {}
    told = ", ".join(f"{_cut(_plain(str(label)), 20)}: {count:,.10g}" for label, count in counts.items())
    told = f"{len(counts):,} classes" if len(counts) > most else told
    return f"{proof['n']:,.10g} examples{f' ({told})' if told else ''}, {proof['d']:,} features"


def _gap(proof: Mapping[str, Any]) -> str:
    if proof["relative_gap"] is not None:
        return f"gap {proof['relative_gap']:.1e}"
    return "no gap (not convex)" if proof["kkt_violation"] is not None else "no gap (a stream)"


def _optimum(proof: Mapping[str, Any]) -> str:
    told = [f"{proof['primal']:.10g}"]
    if proof["dual"] is not None:
        told.append(f"nothing is below {proof['dual']:.10g}")
    told.append(_gap(proof).replace("gap ", "relative gap ", 1) if proof["dual"] is not None else _gap(proof))
    if proof["kkt_violation"] is not None:
        told.append(f"largest KKT violation {proof['kkt_violation']:.1e}")
    return ", ".join([*told, f"{proof['iterations']:,} iterations"])


def _best(proof: Mapping[str, Any]) -> str:
    bounds, _ = _read(proof)
    return best(bounds) if bounds else "bounds not told"


def _calibration(proof: Mapping[str, Any], loss: bool) -> str:
    _, told = _read(proof)
    if told is None:
        return "calibration not told"
    told = told if loss else replace(told, log_loss=None)
    return _cut(f"calibration: {told}".replace("none: ", "none, "), 60)


def _again(proof: Mapping[str, Any], signs: int) -> str:
    seed = "no seed" if proof["seed"] is None else f"seed {proof['seed']}"
    return f"deciban {proof['version']}, {seed}, data {str(proof['digest'])[:signs]}"


def _plain(text: str) -> str:
    """On one line, without what a terminal obeys."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
