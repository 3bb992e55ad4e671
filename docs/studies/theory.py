"""Values that docs/studies/theory.md names, from the numbers of benchmarks/studies/theory.json."""

from __future__ import annotations

from typing import Any

from study_filters import hundredths, listed, table, thousands

SEEN = ("examples learnt, features", "support vectors", "error on those learnt", "error on those held out")
BOUNDS = {
    "binomial": "test set, exact: `binomial(errors, n)`",
    "hoeffding": "test set, E + ε: `hoeffding(n)`",
    "pac_bayes": "margins: `pac_bayes(margins)`",
    "compression": "support vectors: `compression(count, n)`",
    "support_vectors": "support vectors, expected: `support_vectors(count, n)`",
    "vc": "dimension: `vc(n, d + 1, E_in)`",
    "vc_sauer": "dimension, counted closer: `vc(…, growth='sauer')`",
}


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the problems by shorter names, the tables, and which bounds say nothing."""
    problems = numbers["problems"]
    vacuous = {
        told: [title for title, each in problems.items() if each["bounds"][name] is None]
        for name, told in BOUNDS.items()
    }
    return {
        **dict(zip(("cancer", "a9a", "mnist"), problems.values(), strict=True)),
        "table_of_bounds": table(["", *problems], [*of_problems(problems), *of_bounds(problems)]),
        "table_of_curves": of_curves(numbers["curves"]),
        "table_of_labellings": of_labellings(numbers["labellings"]),
        "bound": bound,
        "needed": needed,
        "vacuous": "; ".join(f"{told} for {listed(titles)}" for told, titles in vacuous.items() if titles),
        "cells": len(BOUNDS) * len(problems),
        "silent": sum(map(len, vacuous.values())),
        "left_over": [abs(p["bias"] + p["unbiased"] - p["biased"] - p["loss"]) for p in numbers["parts"].values()],
        "miscounted": sum(d["counted"] != d["cover"] for each in numbers["labellings"].values() for d in each.values()),
        "possible": all(
            each[d]["counted"] == 2 ** int(n)
            for n, each in numbers["labellings"].items()
            for d in each
            if int(n) <= int(d) + 1
        ),
    }


def of_problems(problems: dict[str, Any]) -> list[list[str]]:
    """Return what each machine learnt, a row a question."""
    return [list(row) for row in zip(SEEN, *map(show, problems.values()), strict=True)]


def show(problem: dict[str, Any]) -> list[str]:
    """Return what a machine learnt, and how often it erred."""
    inside, outside = problem["in_sample"] / problem["n"], problem["errors"] / problem["test"]
    return [
        f"{thousands(problem['n'])}, {thousands(problem['d'])}",
        thousands(problem["support"]),
        f"{hundredths(inside)} %",
        f"{hundredths(outside)} % of {thousands(problem['test'])}",
    ]


def bound(value: float | None) -> str:
    """Return a bound in percent, or that it says nothing."""
    return "vacuous" if value is None else f"{hundredths(value)} %"


def needed(n: int | None) -> str:
    """Return a number of examples, or that there is none."""
    return "none is enough" if n is None else thousands(n)


def of_bounds(problems: dict[str, Any]) -> list[list[str]]:
    """Return what each bound says of each problem."""
    return [[told, *(bound(each["bounds"][name]) for each in problems.values())] for name, told in BOUNDS.items()]


def of_curves(curves: dict[str, Any]) -> str:
    """Return the learning curves, in sample and out of sample."""
    sizes = next(iter(curves.values()))
    rows = [
        [model, *(f"{hundredths(each['in'], 1)} / {hundredths(each['out'], 1)}" for each in curve.values())]
        for model, curve in curves.items()
    ]
    return table(["E_in / E_out, %", *(f"{thousands(int(n))} examples" for n in sizes)], rows)


def of_labellings(labellings: dict[str, Any]) -> str:
    """Return how many labellings are possible, counted and by Cover's formula."""
    titles = ["points", "labellings", *(f"d = {d}: counted / Cover" for d in next(iter(labellings.values())))]
    rows = [
        [n, 2 ** int(n), *(f"{d['counted']} / {d['cover']}" for d in each.values())] for n, each in labellings.items()
    ]
    return table(titles, rows)
