"""Values that docs/studies/decisions.md names, from the numbers of benchmarks/studies/decisions.json."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from study_filters import share, table, thousands

from deciban.evaluation import examples_needed, negatives_needed

ASKED = (0.05, 0.01, 0.005, 0.001, 0.0001)
WAYS = {"plain": "the share on the examples", "average": "on average", "sure": "95 % sure"}
SIZES = ("at most", "95 % sure", "99 % sure", "95 % sure, five mistakes allowed", "on average")
RATES = ("", "threshold", "asked", "false positives, mean", "above what was asked", "spam found")
COSTS = ("", "ham called spam costs", "most probable", "by the costs", "cheapest before", "or unsure, {}")
SETS = ("", "α", "left out, worst class", "left out, mean class", "sets of one label", "of none", "labels a set")


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the tables, and what is said of all of their rows."""
    rates, costs = numbers["rates"], numbers["costs"]
    rows = [row for prices in costs.values() for row in prices.values()]
    dear = [prices["100"] for prices in costs.values()]
    return {
        "about": about,
        "table_of_sizes": table(SIZES, map(needed, ASKED)),
        "table_of_rates": table(RATES, of_rates(rates)),
        "table_of_costs": table([title.format(numbers["unsure"]) for title in COSTS], of_costs(costs)),
        "table_of_sets": table(SETS, of_sets(numbers["sets"])),
        "broken": {way: [each[way]["broken"] for asked in rates.values() for each in asked.values()] for way in WAYS},
        "rows": len(rows),
        "cheaper": sum(row["unsure"] < row["costs"] for row in rows),
        "dear": {way: fmean(row[way] for row in dear) for way in ("costs", "cheapest")},
    }


def about(name: str, setting: dict[str, Any]) -> str:
    """Return how many examples a model learnt, and how many it judged."""
    counts = setting["judged"]
    if isinstance(counts, dict):
        judged = " and ".join(f"{thousands(n)} {label}" for label, n in counts.items())
    else:
        judged = thousands(counts)
    return f"{name}: {thousands(setting['learnt'])} learnt, {judged} judged"


def needed(rate: float) -> list[str]:
    """Return how many examples of a class a rate takes."""
    sizes = negatives_needed(rate, 0.95), negatives_needed(rate, 0.99), negatives_needed(rate, 0.95, 5)
    return [f"{100 * rate:g} %", *map(thousands, (*sizes, examples_needed(rate)))]


def of_rates(rates: dict[str, Any]) -> list[list[str]]:
    """Return what thresholds promised and did."""
    return [
        [name, told, *(share(each[way][key]) for key in ("rate", "mean", "broken", "recall"))]
        for name, asked in rates.items()
        for each in asked.values()
        for way, told in WAYS.items()
    ]


def of_costs(costs: dict[str, Any]) -> list[list[str]]:
    """Return what answers cost."""
    return [
        [name, price, *(f"{paid:.3f}" for paid in row.values())]
        for name, prices in costs.items()
        for price, row in prices.items()
    ]


def of_sets(sets: dict[str, Any]) -> list[list[str]]:
    """Return what sets left out, and how large they were."""
    return [
        [name, *(share(each[key]) for key in ("alpha", "worst", "missed", "one", "none")), f"{each['size']:.2f}"]
        for name, alphas in sets.items()
        for each in alphas.values()
    ]
