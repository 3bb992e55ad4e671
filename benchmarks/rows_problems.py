"""Raw text to rows of words and pairs of words: vectorisers side by side."""

from __future__ import annotations

from typing import Any

from problems import READING, Faster, Floor, Problem


def rows(name: str, title: str, data: str, ours: dict[str, Any], rival: str, times: float) -> Problem:
    """Raw text to rows of words and pairs of words, then the rows of the test set."""
    shared = {"words": [1, 2], "norm": "l2"}
    theirs = f"sklearn.feature_extraction.text.{rival}"
    return Problem(
        name=name,
        title=f"{title}: raw text to rows of words and pairs, beside {rival}",
        kind="rows",
        data=data,
        sides={
            "deciban": {"estimator": "deciban.TextVectorizer", "parameters": shared | ours},
            "scikit-learn": {"estimator": theirs, "parameters": {"ngram_range": [1, 2]}},
        },
        goals=(
            Faster("fit_s", "scikit-learn", times),
            Faster("fit_growth_mb", "scikit-learn", 3 if rival == "TfidfVectorizer" else 1),
        ),
        floors=(
            Floor("fit_s", "train", READING, "tokenise and hash"),
            Floor("predict_s", "test", READING, "tokenise and hash"),
        ),
    )


_HOW = {
    "": ({"max_features": None, "use_idf": True}, "TfidfVectorizer", 60),
    "-hashed": ({"hashed_bits": 20, "readable": False}, "HashingVectorizer", 20),
}
_DATA = {"imdb": "IMDB", "20news": "20 Newsgroups by date", "korean-reviews": "Korean film reviews"}

ROWS = tuple(
    rows(f"rows-{data}{name}", title, f"{data}.parquet", *how)
    for data, title in _DATA.items()
    for name, how in _HOW.items()
)
