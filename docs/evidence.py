"""Writes docs/evidence.md: one message weighed by every model, what models go by, and how stable that is.

python docs/evidence.py

The data are read from where the benchmarks read theirs; without them nothing is written.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
from data_sets import SEED, MissingError, Split, at_random, data, table
from evidence_prose import COLUMNS, FAMILIES, GLOBAL, INTRODUCTION, ONE, READING, STABLE
from judging import prose
from sklearn.base import clone

import deciban
from deciban import TextClassifier
from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.text_layout import MODELS
from deciban.evaluation.importance import Importance

SIZES, RESAMPLES, ITEMS, TOP, ROWS = (150, 600, 2400), 20, 30, 10, 400
WATCHED = ("naive-bayes", "logistic", "nbsvm")
Z = 1.959963984540054


def messages() -> Split:
    """SMS, three tenths held out, and so many to learn from."""
    frame = pl.read_parquet(data("sms.parquet"))
    X, y, held_out, truth = at_random(np.array(frame["text"].to_list(), dtype=object), frame["label"].to_numpy())
    most = max(SIZES)
    return X[:most].tolist(), y[:most], held_out.tolist(), truth


def in_markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table."""
    lines = [f"| {' | '.join(header)} |", f"|{' --- |' * len(header)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def named(term: Any) -> str:
    return f"{str(term.feature).replace('|', '/')} {term.decibans:+.1f}"


def of_one(models: dict[str, Any], text: str) -> str:
    """What every model says of one message."""
    rows = []
    for name, model in models.items():
        (why,) = model.explain([text])
        for_, against = (", ".join(map(named, side)) or "nothing" for side in (why.for_label(4), why.against_label(2)))
        rest = why.decibans - why.prior_decibans - sum(t.decibans for t in why.for_label(4) + why.against_label(2))
        numbers = f"{why.prior_decibans:+.1f}", for_, against, f"{rest:+.1f}", f"{why.decibans:.1f}"
        rows.append([name, str(why.label), *numbers])
    return in_markdown(["model", "label", "prior", "strongest for", "and against", "all others", "total, dB"], rows)


def of_many(found: Importance) -> str:
    """The strongest features."""
    rows = [
        [str(each.feature).replace("|", "/"), f"{each.decibans:.2f}", str(each.label), f"{each.bits:.4f}"]
        for each in found
    ]
    return in_markdown(["feature", "mean of its decibans", "speaks for", "bits"], rows)


def of_resamples(X: Any, y: Any, items: list[str]) -> tuple[str, dict[str, Any]]:
    """How stable the explanations of these items are, by model and number of messages learnt."""
    rows, facts = [], {}
    random = np.random.default_rng(SEED).permutation(len(y))
    for name in WATCHED:
        for n in SIZES:
            part = random[:n]
            texts, labels, model = [X[i] for i in part], y[part], TextClassifier(name, random_state=0)
            found = deciban.explanation_stability(model, texts, labels, items, resamples=RESAMPLES, top=TOP, seed=SEED)
            sign = np.concatenate([[t.same_sign for t in item.terms[:TOP] if t.decibans] for item in found])
            spread = float(np.mean([item.total.deviation for item in found]))
            doubt = _doubt(model, texts, labels, items) if name == "naive-bayes" else None
            told = SimpleNamespace(
                same=f"{100 * found.same_label:.1f} %",
                sign=f"{100 * sign.mean():.0f} %",
                overlap=f"{100 * found.overlap:.0f} %",
                spread=f"{spread:.1f}",
                size=f"{np.mean([abs(item.total.decibans) for item in found]):.0f}",
                doubt="" if doubt is None else f"{doubt:.1f}",
            )
            facts[name, n] = told
            rows.append([name, f"{n:,}", told.size, told.spread, told.doubt, told.same, told.sign, told.overlap])
            print(rows[-1], file=sys.stderr, flush=True)
    header = ["model", "learnt", "total, dB", "± by resamples", "± by the posterior", "same label", "same sign"]
    return in_markdown([*header, f"{TOP} strongest the same"], rows), {
        name.replace("-", "_"): [facts[name, n] for n in SIZES] for name in WATCHED
    }


def _doubt(model: Any, texts: Any, labels: Any, items: list[str]) -> float:
    width = np.diff(clone(model).fit(texts, labels).credible_interval(items))[:, 0]
    return float(width.mean() / (2.0 * Z) * DECIBANS_PER_NAT)


def of_columns() -> Importance:
    """What naive Bayes goes by in Adult."""
    X, y, test, truth = table("adult.csv", "income")
    return deciban.evidence_importance(deciban.NaiveBayes("auto").fit(X, y), test[:ROWS], truth[:ROWS], top=TOP)


def fitted(X: list[str], y: Any) -> dict[str, Any]:
    """Every model of text."""
    models = {}
    for name in MODELS:
        print(name, file=sys.stderr, flush=True)
        models[name] = TextClassifier(name, random_state=0).fit(X, y)
    return models


def example(held_out: list[str], truth: Any) -> str:
    """The first held out that is spam and of 80 to 120 characters."""
    return next(text for text, label in zip(held_out, truth, strict=True) if label == "spam" and 80 <= len(text) <= 120)


def write(page: Path) -> None:
    """All of it."""
    try:
        X, y, held_out, truth = messages()
        adult = of_columns()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    models, text = fitted(X, y), example(held_out, truth)
    words = {
        name: deciban.evidence_importance(models[name], held_out[:ROWS], truth[:ROWS], top=TOP)
        for name in ("naive-bayes", "logistic")
    }
    resampled, stable = of_resamples(X, y, held_out[:ITEMS])
    known = {
        "rows": ROWS,
        "items": ITEMS,
        "resamples": RESAMPLES,
        "top": TOP,
        "learnt": f"{len(y):,}",
        "class_bits": f"{words['logistic'].class_bits:.3f}",
        "adult_bits": f"{adult.class_bits:.3f}",
        "capital": adult[0],
        "stable": stable,
        "models": len(models),
        "sizes": [f"{n:,}" for n in SIZES],
    }
    chapters = [
        prose(INTRODUCTION, known),
        prose(FAMILIES, known),
        prose(ONE, known),
        "> " + text.replace("\n", " "),
        of_one(models, text),
        prose(GLOBAL, known),
        *(f"{name}:\n\n{of_many(found)}" for name, found in words.items()),
        prose(COLUMNS, known),
        of_many(adult),
        prose(STABLE, known),
        resampled,
        prose(READING, known),
    ]
    page.write_text("\n\n".join(chapters) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write(Path(__file__).with_suffix(".md"))
