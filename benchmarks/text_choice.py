"""What choosing a model of texts costs, and what the models are worth beside TF-IDF and LinearSVC.

    python benchmarks/text_choice.py [SET …] [--record]

Of each set a fifth is held out; of `sms-500` all but 500, and `20news-unequal` are short posts of eight groups, the
first of which has thirty times as many as the last. `TextClassifier` learns the rest by `auto` and by each model that
`auto` tries, and so does scikit-learn's TfidfVectorizer(ngram_range=(1, 2)) with LinearSVC, all in turn, some rounds. A
line is one of them: the least processor seconds of its fit, from texts to model, and the errors in a hundred held-out
texts; the last one of a set says how many times as long as the best single model `auto` takes.
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
from numpy.typing import NDArray
from run import begin_record, keep_record

from deciban import TextClassifier
from deciban.text.model_defaults import QUICKEST_FIRST as MODELS

SETS = ("mr", "sms", "sms-500", "20news-unequal", "korean-reviews", "imdb", "20news")
UNEQUAL = (900, 500, 220, 120, 90, 60, 40, 30)
"""Posts of each group of `20news-unequal`, of 100 words at most."""
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


def examples(name: str) -> tuple[list[Any], NDArray[Any], NDArray[np.bool_]]:
    """Texts, their labels, and which are held out."""
    rng = np.random.default_rng(0)
    items, y = texts(f"{name.partition('-')[0] if name in ('sms-500', '20news-unequal') else name}.parquet")
    if name == "20news-unequal":
        groups = rng.choice(np.unique(y), len(UNEQUAL), replace=False)
        some = [rng.permutation(np.flatnonzero(y == c))[:n] for c, n in zip(groups, UNEQUAL, strict=True)]
        y = np.repeat(groups, [len(each) for each in some])
        items = [b" ".join(_body(items[i]).split()[:100]) for i in np.concatenate(some)]
    held = rng.random(len(items)) < (1.0 - 500 / len(items) if name == "sms-500" else 0.2)
    return items, y, held


def _body(post: str | bytes) -> bytes:
    """A post without its headers."""
    return (post.encode() if isinstance(post, str) else post).partition(b"\n\n")[2]


def measure(name: str) -> list[dict[str, Any]]:
    """One row for each side."""
    items, y, held = examples(name)
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
