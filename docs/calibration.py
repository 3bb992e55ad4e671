"""Writes docs/calibration.md: what probabilities are worth before and after calibration.

python docs/calibration.py

The data are read from where the benchmarks read theirs; without them nothing is written.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import sklearn
from calibration_cases import BINS, LEARNT, MOST, PIECE, SETS, Measured, followed, measure
from calibration_prose import FEEDBACK, INTRODUCTION, READING
from data_sets import HELD_OUT, SEED, MissingError
from judging import prose

TITLES = ("model", "calibration", "error, %", "log loss", "ECE, %")
HALF_LIVES = (1000.0, None)

Found = dict[str, dict[str, dict[str, Measured]]]


def percent(share: float) -> str:
    return f"{100 * share:.2f}"


def loss(nats: float) -> str:
    """Three digits, and no powers of ten."""
    return f"{nats:.4f}" if nats < 10 else f"{nats:,.0f}"


def line(model: str, method: str, each: Measured, chosen: bool) -> str:
    """One row of a table; what "auto" takes bears a star."""
    star = " \\*" if chosen else ""
    told = [model, method + star, percent(each.errors / each.n), loss(each.log_loss), percent(each.ece)]
    return f"| {' | '.join(told)} |"


def table(rows: dict[str, tuple[str, dict[str, Measured]]]) -> str:
    """One data set."""
    lines = [f"| {' | '.join(TITLES)} |", f"|{' --- |' * len(TITLES)}"]
    for model, (auto, found) in rows.items():
        lines += [line(model, method, each, method == auto) for method, each in found.items()]
    return "\n".join(lines)


def told(each: Measured) -> Any:
    """What the prose names of a row."""
    error, ece = (f"{percent(share)}\N{NO-BREAK SPACE}%" for share in (each.errors / each.n, each.ece))
    return SimpleNamespace(loss=loss(each.log_loss), error=error, ece=ece)


def wins(found: Found, ours: str, theirs: str) -> int:
    """How often the first has the lower log loss."""
    cases = [methods for models in found.values() for methods in models.values()]
    return sum(methods[ours].log_loss < methods[theirs].log_loss for methods in cases)


def often(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def facts(found: Found, autos: dict[tuple[str, str], str]) -> dict[str, Any]:
    """What the prose names."""
    cases = [(name, model) for name, models in found.items() for model in models]
    best = [min(found[n][m][method].log_loss for method in list(found[n][m])[1:5]) for n, m in cases]
    within = sum(found[n][m][autos[n, m]].log_loss <= 1.01 * least for (n, m), least in zip(cases, best, strict=True))
    named: dict[str, Any] = {
        name: {model: {method: told(each) for method, each in methods.items()} for model, methods in models.items()}
        for name, models in found.items()
    }
    return {
        **named,
        "cases": len(cases),
        "within": within,
        "bins": BINS,
        "most": f"{MOST:,}",
        "held_out": f"{100 * HELD_OUT:g} %",
        "seed": SEED,
        "scikit": sklearn.__version__,
        "platt_sigmoid": wins(found, "platt", "scikit-learn, sigmoid"),
        "isotonic_isotonic": wins(found, "isotonic", "scikit-learn, isotonic"),
        "temperature_temperature": wins(found, "temperature", "scikit-learn, temperature"),
        "chosen": ", ".join(f"{name} {often(n)}" for name, n in sorted(Counter(autos.values()).items())),
    }


def feedback() -> tuple[str, dict[str, Any]]:
    """The table of the stream, and what the prose names of it."""
    lines = ["| calibration | feedback | log loss |", "| --- | --- | --- |"]
    known: dict[str, Any] = {"learnt": f"{LEARNT:,}", "piece": PIECE}
    for method in ("temperature", "platt", "beta", "isotonic"):
        for half_life in HALF_LIVES:
            model = followed(method, half_life)
            assert model.suffered_ is not None
            if half_life is not None:
                lines.append(f"| {method} | none | {loss(model.suffered_.frozen)} |")
                known[f"{method}_frozen"] = loss(model.suffered_.frozen)
            how = "all alike" if half_life is None else f"half-life {half_life:,.0f}"
            lines.append(f"| {method} | {how} | {loss(model.suffered_.log_loss)} |")
            known[f"{method}_{'all' if half_life is None else 'recent'}"] = loss(model.suffered_.log_loss)
            known["told"] = f"{model.suffered_.n:,.0f}"
            print(method, half_life, model.suffered_, file=sys.stderr, flush=True)
    return "\n".join(lines), known


def measured() -> tuple[Found, dict[tuple[str, str], str], list[str]]:
    """The rows by data set and model, what "auto" took, and a chapter of each set."""
    found: Found = {}
    autos, chapters = {}, []
    for name, (title, load, models) in SETS.items():
        split, rows = load(), {}
        for model, (make, view) in models.items():
            rows[model] = measure(make, view(split))
            print(f"{name}, {model}: {rows[model]}", file=sys.stderr, flush=True)
            autos[name, model] = rows[model][0]
        found[name] = {model: methods for model, (_, methods) in rows.items()}
        about = f"{len(split[1]):,} examples to learn from, {len(split[3]):,} held out."
        chapters.append(f"## {title}\n\n{about}\n\n{table(rows)}")
    return found, autos, chapters


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    try:
        found, autos, chapters = measured()
        stream, told_of_it = feedback()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    known = {**facts(found, autos), **told_of_it}
    texts = [prose(text, known) for text in (INTRODUCTION, READING)]
    page = [*texts, *chapters, prose(FEEDBACK, known), stream]
    Path(__file__).with_suffix(".md").write_text("\n\n".join(page) + "\n", encoding="utf-8")
