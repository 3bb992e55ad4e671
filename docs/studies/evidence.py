"""Values that docs/studies/evidence.md names, from the numbers of benchmarks/studies/evidence.json."""

from __future__ import annotations

from typing import Any

from study_filters import digits, percent, table, thousands

MODELS = ("model", "label", "prior", "strongest for", "and against", "all others", "total, dB")
FEATURES = ("feature", "mean of its decibans", "speaks for", "bits")
STABLE = ("model", "learnt", "total, dB", "± by resamples", "± by the posterior", "same label", "same sign")


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the tables, and the names of what claims are about."""
    stable = {name.replace("-", "_"): sizes for name, sizes in numbers["stability"].items()}
    columns = {name: (decibans, bits) for name, decibans, _, bits in numbers["importance"]["adult"]["features"]}
    return {
        "table_of_models": table(MODELS, (weighed(name, each) for name, each in numbers["models"].items())),
        "table_of_features": lambda name: table(FEATURES, map(feature, numbers["importance"][name]["features"])),
        "table_of_stability": table([*STABLE, f"{numbers['top']} strongest the same"], of_stability(numbers)),
        "stable": stable,
        "columns": columns,
        "few": next(iter(stable["logistic"])),
        "many": list(stable["logistic"])[-1],
    }


def weighed(name: str, each: dict[str, Any]) -> list[str]:
    """Return what a model says of the message; what is not named is the difference to the total."""
    sides = each["for"], each["against"]
    told = [", ".join(f"{plain(term)} {decibans:+.1f}" for term, decibans in side) or "nothing" for side in sides]
    rest = each["total"] - each["prior"] - sum(decibans for side in sides for _, decibans in side)
    return [name, each["label"], f"{each['prior']:+.1f}", *told, f"{rest:+.1f}", f"{each['total']:.1f}"]


def feature(each: tuple[str, float, str, float]) -> list[str]:
    """Return a feature, what a model makes of it, and what there is to it."""
    name, decibans, label, bits = each
    return [plain(name), f"{decibans:.2f}", label, f"{bits:.4f}"]


def plain(name: str) -> str:
    """Return a name that does not end a cell."""
    return name.replace("|", "/")


def of_stability(numbers: dict[str, Any]) -> list[list[str]]:
    """Return a row a model and number of messages learnt."""
    return [
        [
            name,
            thousands(int(n)),
            digits(each["size"], 0),
            digits(each["spread"], 1),
            "" if each["doubt"] is None else digits(each["doubt"], 1),
            percent(each["same_label"]),
            percent(each["same_sign"], 0),
            percent(each["overlap"], 0),
        ]
        for name, sizes in numbers["stability"].items()
        for n, each in sizes.items()
    ]
