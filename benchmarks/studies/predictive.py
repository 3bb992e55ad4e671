"""Measures the exact predictive of words beside the posterior mean, on mail, newsgroups and SMS: docs/predictive.md.

python benchmarks/studies/predictive.py

The data are read from where the benchmarks read theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from data_sets import HELD_OUT, SEED, data, folders, texts
from recording import record, report
from scipy.optimize import minimize_scalar
from sklearn.model_selection import train_test_split

from deciban import NaiveBayes, TextVectorizer
from deciban.scores import log_posterior

ALPHAS, ESTIMATES = (1.0, 0.1, 0.01), ("bayes", "predictive")


def loss(score: Any, truth: Any, temperature: float = 1.0) -> float:
    """The mean of −log p(label | x) of scores (N, C), divided by a temperature."""
    return float(-log_posterior(score / temperature)[np.arange(len(truth)), truth].mean())


def sets() -> dict[str, Any]:
    """Texts and labels to learn from, and held out."""
    sms = pl.read_parquet(data("sms.parquet"))
    mail = folders("spamassassin.tar.xz")
    return {
        "20 Newsgroups": ("text", texts("20news.parquet")),
        "SMS": ("text", split(sms["text"].to_list(), sms["label"].to_numpy())),
        "SpamAssassin mail": ("mail", split(*mail)),
    }


def split(items: list[Any], labels: Any) -> Any:
    """Rows to learn from and rows held out, classes in proportion."""
    parts = train_test_split(items, labels, test_size=HELD_OUT, random_state=SEED, stratify=labels)
    return parts[0], parts[2], parts[1], parts[3]


def judge(alpha: float, estimate: str, counts: Any, y: Any, held: Any, labels: Any) -> dict[str, float]:
    """The share of errors, the log loss, the temperature at which it is smallest, and how small."""
    model = NaiveBayes(alpha=alpha, estimate=estimate).fit(counts, y)
    score, truth = model.predict_joint_log_proba(held), np.searchsorted(model.classes_, labels)
    best = minimize_scalar(lambda t: loss(score, truth, np.exp(t)), bounds=(-2.0, 6.0), method="bounded")
    error = float((score.argmax(axis=1) != truth).mean())
    return {"error": error, "log_loss": loss(score, truth), "temperature": float(np.exp(best.x)), "at_it": best.fun}


def measure() -> dict[str, Any]:
    """Both estimates on every set, for each alpha."""
    found: dict[str, Any] = {}
    for name, (kind, (train, y, test, labels)) in sets().items():
        vectorizer = TextVectorizer(max_features=None, kind=kind)
        counts = vectorizer.fit_transform(train)
        held = vectorizer.transform(test)
        for alpha in ALPHAS:
            both = {how: judge(alpha, how, counts, y, held, labels) for how in ESTIMATES}
            found.setdefault(name, {})[f"{alpha:g}"] = both
            report(name, alpha, both)
    return {"held_out": HELD_OUT, "seed": SEED, "sets": found}


if __name__ == "__main__":
    record(__file__, measure)
