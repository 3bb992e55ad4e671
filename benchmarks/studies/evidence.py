"""Weighs one message by every model, and measures what models go by and how stable that is: docs/evidence.md.

python benchmarks/studies/evidence.py

The data are read from where the benchmarks read theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from data_sets import SEED, Split, at_random, data, table
from recording import record, report
from sklearn.base import clone

import deciban
from deciban import TextClassifier
from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.text_layout import MODELS
from deciban.evaluation.importance import Importance

SIZES, RESAMPLES, ITEMS, TOP, ROWS = (150, 600, 2400), 20, 30, 10, 400
WATCHED = ("naive-bayes", "logistic", "nbsvm")
FOR, AGAINST = 4, 2
Z = 1.959963984540054


def messages() -> Split:
    """SMS, three tenths held out, and so many to learn from."""
    frame = pl.read_parquet(data("sms.parquet"))
    X, y, held_out, truth = at_random(np.array(frame["text"].to_list(), dtype=object), frame["label"].to_numpy())
    most = max(SIZES)
    return X[:most].tolist(), y[:most], held_out.tolist(), truth


def weighed(model: Any, text: str) -> dict[str, Any]:
    """Return what a model says of one message: label, prior, the strongest terms of either side, and the total."""
    (why,) = model.explain([text])
    strongest = {"for": why.for_label(FOR), "against": why.against_label(AGAINST)}
    terms = {side: [[str(term.feature), term.decibans] for term in each] for side, each in strongest.items()}
    return {"label": str(why.label), "prior": why.prior_decibans, "total": why.decibans, **terms}


def strongest(found: Importance) -> dict[str, Any]:
    """The strongest features, and the bits of the class."""
    features = [[str(each.feature), each.decibans, str(each.label), each.bits] for each in found]
    return {"class_bits": found.class_bits, "features": features}


def resampled(name: str, texts: list[str], labels: Any, items: list[str]) -> dict[str, Any]:
    """Return how stable the explanations of these items are, in decibans and shares."""
    model = TextClassifier(name, random_state=0)
    found = deciban.explanation_stability(model, texts, labels, items, resamples=RESAMPLES, top=TOP, seed=SEED)
    sign = np.concatenate([[t.same_sign for t in item.terms[:TOP] if t.decibans] for item in found])
    return {
        "size": np.mean([abs(item.total.decibans) for item in found]),
        "spread": np.mean([item.total.deviation for item in found]),
        "doubt": doubt(model, texts, labels, items) if name == "naive-bayes" else None,
        "same_label": found.same_label,
        "same_sign": sign.mean(),
        "overlap": found.overlap,
    }


def doubt(model: Any, texts: list[str], labels: Any, items: list[str]) -> float:
    """The mean of the standard deviations that the posterior gives, in decibans."""
    width = np.diff(clone(model).fit(texts, labels).credible_interval(items))[:, 0]
    return float(width.mean() / (2.0 * Z) * DECIBANS_PER_NAT)


def stability(X: Any, y: Any, items: list[str]) -> dict[str, Any]:
    """By model and number of messages learnt."""
    random = np.random.default_rng(SEED).permutation(len(y))
    found: dict[str, Any] = {name: {} for name in WATCHED}
    for name in WATCHED:
        for n in SIZES:
            found[name][str(n)] = resampled(name, [X[i] for i in random[:n]], y[random[:n]], items)
            report(name, n, found[name][str(n)])
    return found


def of_columns() -> Importance:
    """Return what naive Bayes goes by in Adult."""
    X, y, test, truth = table("adult.csv", "income")
    return deciban.evidence_importance(deciban.NaiveBayes("auto").fit(X, y), test[:ROWS], truth[:ROWS], top=TOP)


def example(held_out: list[str], truth: Any) -> str:
    """The first held out that is spam and of 80 to 120 characters."""
    return next(text for text, label in zip(held_out, truth, strict=True) if label == "spam" and 80 <= len(text) <= 120)


def measure() -> dict[str, Any]:
    """One message, what models go by, and how stable it is."""
    X, y, held_out, truth = messages()
    models = {name: TextClassifier(name, random_state=0).fit(X, y) for name in MODELS}
    text = example(held_out, truth)
    importance = {
        name: strongest(deciban.evidence_importance(models[name], held_out[:ROWS], truth[:ROWS], top=TOP))
        for name in ("naive-bayes", "logistic")
    }
    return {
        "learnt": len(y),
        "message": text,
        "models": {name: weighed(model, text) for name, model in models.items()},
        "rows": ROWS,
        "importance": {**importance, "adult": strongest(of_columns())},
        "items": ITEMS,
        "resamples": RESAMPLES,
        "top": TOP,
        "stability": stability(X, y, held_out[:ITEMS]),
    }


if __name__ == "__main__":
    record(__file__, measure)
