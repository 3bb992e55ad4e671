"""What choosing a model of texts costs, and what the models are worth beside TF-IDF and LinearSVC.

    python benchmarks/text_choice.py [SET …] [--record]

Of each set a fifth is held out. `TextClassifier` learns the rest by `auto` and by each model that `auto` tries, and so
does scikit-learn's TfidfVectorizer(ngram_range=(1, 2)) with LinearSVC, all in turn, some rounds. A line is one of them:
the least processor seconds of its fit, from texts to model, and the errors in a hundred held-out texts; the last one of
a set says how many times as long as the best single model `auto` takes.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from compared_sets import texts
from run import begin_record, keep_record

from deciban import TextClassifier
from deciban.text.model_defaults import SIMPLEST_FIRST as MODELS

SETS = ("mr", "sms", "korean-reviews", "imdb", "20news")
ROUNDS = 2
MOST = 3.0
"""`auto` is to take at most so many times as long as the best single model."""


def rival() -> Any:
    """Words and pairs by TF-IDF, and a linear support vector machine."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    return make_pipeline(TfidfVectorizer(ngram_range=(1, 2), decode_error="replace"), LinearSVC())


SIDES: dict[str, Callable[[], Any]] = {
    "auto": lambda: TextClassifier("auto"),
    **{model: lambda model=model: TextClassifier(model) for model in MODELS},  # type: ignore[misc]
    "tf-idf and LinearSVC": rival,
}


def measure(name: str) -> list[dict[str, Any]]:
    """One row for each side."""
    items, y = texts(f"{name}.parquet")
    held = np.random.default_rng(0).random(len(items)) < 0.2
    inside, outside = ([item for item, out in zip(items, held, strict=True) if out == side] for side in (False, True))
    rows = [{"set": name, "side": side, "seconds": np.inf} for side in SIDES]
    for _ in range(ROUNDS):
        for row, make in zip(rows, SIDES.values(), strict=True):
            started = process_time()
            fitted = make().fit(inside, y[~held])
            row["seconds"] = min(row["seconds"], process_time() - started)
            row["errors"] = 100.0 * float(np.mean(fitted.predict(outside) != y[held]))
    return rows


def main() -> int:
    """Measure, print, and keep the record if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help=f"names of sets, of {', '.join(SETS)}")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for name in asked.sets:
        rows = measure(name)
        found += rows
        for row in rows:
            print(f"{name:15} {row['side']:21} {row['seconds']:8.2f} s   {row['errors']:5.2f} % errors", flush=True)
        best = min((row for row in rows if row["side"] in MODELS), key=lambda row: row["errors"])
        ratio = rows[0]["seconds"] / best["seconds"]
        print(
            f"{'!' if ratio > MOST else ' '} auto takes {ratio:.1f} times as long as the best, {best['side']}",
            flush=True,
        )
    if asked.record:
        keep_record(begin_record(rows=found), "text-choice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
