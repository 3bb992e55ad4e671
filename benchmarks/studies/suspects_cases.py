"""The data sets, models and searches of suspects.py."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from data_sets import SEED, data

from deciban import LogisticRegression, TextClassifier
from deciban.evaluation.label_errors import copies_of, out_of_fold
from deciban.evaluation.suspects import Labelled, Suspects

try:
    from cleanlab import __version__ as cleanlab_version
    from cleanlab.count import num_label_issues
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores
except ImportError:
    cleanlab_version = ""

FOLDS, RATES, SLICE = 5, (0.02, 0.05, 0.1), 4000


def texts(name: str, most: int | None = None) -> tuple[Any, Any]:
    """The texts to learn from, or so many of them at random."""
    frame = pl.read_parquet(data(name)).filter(pl.col("split") != "test")
    frame = frame if most is None else frame.sample(most, seed=SEED)
    return frame["text"].to_list(), frame["label"].to_numpy()


def mail() -> tuple[Any, Any]:
    """Messages of SpamAssassin's corpus, in the order of their names."""
    with tarfile.open(data("spamassassin.tar.xz")) as packed:
        files = ((each.name.split("/"), packed.extractfile(each)) for each in packed if each.isfile())
        found = sorted((path, file.read()) for path, file in files if file is not None and len(path) == 3)
    labels = ["spam" if path[1].startswith("spam") else "ham" for path, _ in found]
    return [message for _, message in found], np.array(labels)


def shares() -> tuple[Any, Any]:
    """Columns in units of their standard deviations."""
    frame = pl.read_csv(data("spambase.csv"), infer_schema_length=None)
    frame = frame.drop("split") if "split" in frame.columns else frame
    X = frame.drop("spam").to_numpy().astype(np.float64)
    return X / X.std(axis=0), frame["spam"].to_numpy()


def of_text(model: str, kind: str = "text") -> Any:
    """A text classifier with its defaults."""
    return TextClassifier(model, kind=kind)


SETS: dict[str, tuple[Callable[[], tuple[Any, Any]], dict[str, Callable[[], Any]]]] = {
    "sms": (
        partial(texts, "sms.parquet"),
        {model: partial(of_text, model) for model in ("naive-bayes", "logistic")},
    ),
    "mail": (
        mail,
        {model: partial(of_text, model, "mail") for model in ("naive-bayes", "logistic")},
    ),
    "news": (
        partial(texts, "20news.parquet", SLICE),
        {"naive-bayes": partial(of_text, "naive-bayes")},
    ),
    "mr": (partial(texts, "mr.parquet"), {"nbsvm": partial(of_text, "nbsvm")}),
    "spambase": (shares, {"logistic": LogisticRegression}),
}


def flipped(y: Any, rate: float) -> tuple[Any, Any]:
    """The labels, of which a share drawn at random is another now, and (N,) which."""
    random, (classes, place) = np.random.default_rng(SEED), np.unique(y, return_inverse=True)
    at = random.choice(len(y), round(rate * len(y)), replace=False)
    place = place.copy()
    place[at] = (place[at] + random.integers(1, len(classes), len(at))) % len(classes)
    return classes[place], np.isin(np.arange(len(y)), at)


def searched(make: Callable[[], Any], X: Any, y: Any, rate: float) -> dict[str, Any]:
    """Plant errors and look for them, three times by the same out-of-fold probabilities; and count how many planted
    errors near-duplicates gave away, of how many such suspects."""
    labels, bad = flipped(y, rate)
    classes, place = np.unique(labels, return_inverse=True)
    model, weight = make(), np.ones(len(y))
    given = Labelled(place.astype(np.intp), tuple(classes.tolist()), copies_of(model, X), weight)
    log_p = out_of_fold(model, X, labels, None, given.fold(FOLDS, SEED))
    found: Suspects = given.suspects(log_p)
    own = np.argsort(log_p[np.arange(len(y)), place], kind="stable")
    copies = [bad[each.place] for each in found if each.kind == "duplicate"]
    searches = {
        "Deciban": _search(bad, found.order, [each.place for each in found], found.wrong),
        "p(label)": _search(bad, own),
    }
    if cleanlab_version:
        searches["cleanlab"] = _of_cleanlab(bad, place, np.exp(log_p))
    copied = {"named": len(copies), "planted": int(np.sum(copies))}
    return {"planted": int(bad.sum()), "searches": searches, "copies": copied}


def _search(bad: Any, order: Any, listed: Any = (), wrong: float | None = None) -> dict[str, Any]:
    """How many of k planted errors are among the first k; of those listed, how many they are and how many of them were
    planted, and how many labels are said to be wrong."""
    found: dict[str, Any] = {"first": int(bad[order[: int(bad.sum())]].sum())}
    if wrong is None:
        return found
    return {**found, "listed": len(listed), "hits": int(bad[list(listed)].sum()), "wrong": float(wrong)}


def _of_cleanlab(bad: Any, place: Any, p: Any) -> dict[str, Any]:
    """Its issues first, then the rest by its score."""
    p = p / p.sum(axis=1, keepdims=True)
    issues = find_label_issues(place, p, return_indices_ranked_by="normalized_margin", n_jobs=1)
    score = get_label_quality_scores(place, p, method="normalized_margin")
    rest = np.argsort(score, kind="stable")
    order = np.concatenate([issues, rest[~np.isin(rest, issues)]]).astype(np.intp)
    return _search(bad, order, issues, num_label_issues(place, p))
