"""Writes docs/decisions.md: costs, thresholds and conformal sets on real data, and whether what they promise holds.

python docs/decisions.py

The data are read from where the benchmarks read theirs; without them nothing is written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from data_sets import MissingError
from decisions_cases import (
    ALPHAS,
    DRAWS,
    SETS,
    SPLITS,
    Held,
    Priced,
    Sets,
    Setting,
    heard,
    held,
    judged,
    many_classes,
    priced,
)
from decisions_prose import COMMANDS, CONFORMAL, COSTS, INTRODUCTION, RATES, READING_COSTS, READING_RATES, SIZES
from judging import prose

from deciban.evaluation import examples_needed, negatives_needed

ASKED = (0.05, 0.01, 0.005, 0.001, 0.0001)


def percent(share: float) -> str:
    return f"{100 * share:.{1 if share >= 0.0995 or share == 0 else 2}f}\N{NO-BREAK SPACE}%"


def table(titles: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    return "\n".join(
        [f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}", *(f"| {' | '.join(row)} |" for row in rows)]
    )


def of_sizes() -> str:
    """How many examples of a class a rate takes."""
    rows = [
        [
            f"{100 * rate:g} %",
            f"{negatives_needed(rate, 0.95):,}",
            f"{negatives_needed(rate, 0.99):,}",
            f"{negatives_needed(rate, 0.95, 5):,}",
            f"{examples_needed(rate):,}",
        ]
        for rate in ASKED
    ]
    titles = ["at most", "95 % sure", "99 % sure", "95 % sure, five mistakes allowed", "on average"]
    return table(titles, rows)


def of_rates(found: dict[str, list[Held]]) -> str:
    """What thresholds promised and did."""
    rows = [
        [name, each.how, percent(each.rate), percent(each.mean), percent(each.broken), percent(each.recall)]
        for name, several in found.items()
        for each in several
    ]
    return table(["", "threshold", "asked", "false positives, mean", "above what was asked", "spam found"], rows)


def of_costs(found: dict[str, list[Priced]]) -> str:
    """What answers cost."""
    rows = [
        [name, f"{each.cost:g}", *(f"{paid:.3f}" for paid in each.paid)]
        for name, several in found.items()
        for each in several
    ]
    return table(
        ["", "ham called spam costs", "most probable", "by the costs", "cheapest before", "or unsure, 0.3"], rows
    )


def of_sets(found: dict[str, list[Sets]]) -> str:
    """What sets left out, and how large they were."""
    rows = [
        [name, percent(each.alpha), *map(percent, (each.worst, each.missed, each.one, each.none)), f"{each.size:.2f}"]
        for name, several in found.items()
        for each in several
    ]
    titles = ["", "α", "left out, worst class", "left out, mean class", "sets of one label", "of none", "labels a set"]
    return table(titles, rows)


def measured() -> dict[str, Setting]:
    """What every model says of what it has not learnt."""
    found = {}
    for name, (load, models) in SETS.items():
        split = load()
        for model, make in models.items():
            found[f"{name}, {model}"] = judged(make, split)
            print(f"{name}, {model}", file=sys.stderr, flush=True)
    return found


def write(page: Path) -> None:
    """All of it."""
    try:
        found = measured()
        news = many_classes()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    rates = {name: held(each.said) for name, each in found.items()}
    costs = {name: priced(each.said) for name, each in found.items()}
    sets = {name: [heard(each.said, alpha) for alpha in ALPHAS] for name, each in found.items()}
    sets["20 Newsgroups, naive-bayes"] = [heard(news.said, alpha) for alpha in ALPHAS]
    known = facts(rates, costs, sets, {**found, "20 Newsgroups": news})
    chapters = [
        prose(INTRODUCTION, known),
        COMMANDS.strip("\n"),
        prose(SIZES, known),
        of_sizes(),
        prose(RATES, known),
        of_rates(rates),
    ]
    chapters += [prose(READING_RATES, known), prose(COSTS, known), of_costs(costs), prose(READING_COSTS, known)]
    chapters += [prose(CONFORMAL, known), of_sets(sets)]
    page.write_text("\n\n".join(chapters) + "\n", encoding="utf-8")


def facts(
    rates: dict[str, list[Held]],
    costs: dict[str, list[Priced]],
    sets: dict[str, list[Sets]],
    settings: dict[str, Setting],
) -> dict[str, Any]:
    """What the prose names."""
    every = [each for several in rates.values() for each in several]
    paid = [each.paid for several in costs.values() for each in several]
    plain = [each.broken for each in every if each.key.endswith("plain")]
    return {
        "rates": {name: {each.key: told(each) for each in several} for name, several in rates.items()},
        "costs": {
            name: {int(each.cost): [f"{paid:.3f}" for paid in each.paid] for each in several}
            for name, several in costs.items()
        },
        "sets": {
            name: {round(100 * each.alpha): {"one": percent(each.one), "size": f"{each.size:.1f}"} for each in several}
            for name, several in sets.items()
        },
        "about": "; ".join(f"{name}: {each.about}" for name, each in settings.items()),
        "draws": f"{DRAWS:,}",
        "splits": SPLITS,
        "rows": len(paid),
        "cheaper": sum(each[-1] <= each[1] for each in paid),
        "plain": f"{percent(min(plain))} to {percent(max(plain))}",
        "worst": percent(max(each.broken for each in every if each.key.endswith("sure"))),
    }


def told(each: Held) -> dict[str, str]:
    """What the prose names of a row."""
    return {"mean": percent(each.mean), "broken": percent(each.broken), "recall": percent(each.recall)}


if __name__ == "__main__":
    write(Path(__file__).with_suffix(".md"))
