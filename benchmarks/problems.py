"""The problems, as data: what is compared, with which settings, and what is to be reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Faster:
    """The rival's median of `measure` is at least `times` ours."""

    measure: str
    rival: str
    times: float


@dataclass(frozen=True)
class NoWorse:
    """Our median of `measure` is no worse than the rival's; `better` says which way."""

    measure: str
    rival: str
    better: Literal["higher", "lower"]


@dataclass(frozen=True)
class Below:
    """Our median of `measure` is below `limit`."""

    measure: str
    limit: float


@dataclass(frozen=True)
class Floor:
    """What the machine allows: `measure` cannot be less than bytes / (rate · cores). Bytes a second a core."""

    measure: str
    corpus: Literal["train", "test"]
    rate: float
    work: str


Goal = Faster | NoWorse | Below

COUNTING = 0.45e9
"""Tokenise, hash and count into 2^20 buckets, one pass, bytes a second a core."""

READING = 1.15e9
"""Tokenise and hash, one pass, small tables, bytes a second a core: 1.0 to 1.3 measured."""


@dataclass(frozen=True)
class Problem:
    """One comparison.

    kind      which runner: "text" (fit and predict inside a process), "mail" (whole commands), "message" (one command)
    data      the file in the data folder
    sides     by name, ours first: its settings
    options   how the data are used
    runs      so many of each side unless the command line says otherwise; None: the command line's default
    """

    name: str
    title: str
    kind: Literal["text", "mail", "message"]
    data: str
    sides: dict[str, dict[str, Any]]
    goals: tuple[Goal, ...]
    floors: tuple[Floor, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    runs: int | None = None


def text(name: str, title: str, data: str, vw: str) -> Problem:
    """Raw text to a fitted model, then the test set's labels."""
    return Problem(
        name=name,
        title=title,
        kind="text",
        data=data,
        sides={
            "deciban": {"model": "naive-bayes", "words": [1, 1], "max_features": 10_000, "alpha": 1.0, "binary": True},
            "scikit-learn": {"vectorizer": {}, "classifier": {}},
            "scikit-learn-alike": {"vectorizer": {"binary": True, "max_features": 10_000}, "classifier": {}},
            "vowpal-wabbit": {"arguments": vw, "raw": True},
            "vowpal-wabbit-prepared": {"arguments": vw},
        },
        goals=(
            Faster("fit_s", "scikit-learn", 20),
            NoWorse("accuracy", "scikit-learn", "higher"),
            NoWorse("peak_mb", "scikit-learn", "lower"),
            NoWorse("fit_growth_mb", "scikit-learn", "lower"),
            Faster("fit_s", "vowpal-wabbit", 8),
            Faster("fit_s", "vowpal-wabbit-prepared", 8),
        ),
        floors=(
            Floor("fit_s", "train", COUNTING, "tokenise, hash and count"),
            Floor("predict_s", "test", READING, "tokenise and hash"),
        ),
    )


def mail(name: str, title: str, data: str, shape: Literal["mbox", "folder"]) -> Problem:
    """Raw mail to a trained filter, then scores for the other half: whole commands."""
    return Problem(
        name=f"{name}-{shape}",
        title=f"{title}, {'one mbox a class' if shape == 'mbox' else 'one file a message'}",
        kind="mail",
        data=data,
        sides={"deciban": {}, "bogofilter": {"cache_mb": 16}},
        goals=(
            Faster("train_s", "bogofilter", 5),
            Faster("classify_s", "bogofilter", 5),
            NoWorse("one_minus_roca_percent", "bogofilter", "lower"),
        ),
        floors=(
            Floor("train_s", "train", COUNTING, "tokenise, hash and count"),
            Floor("classify_s", "test", READING, "tokenise and hash"),
        ),
        options={"shape": shape},
    )


PROBLEMS = (
    text(
        "text-20news",
        "20 Newsgroups by date: raw text to fitted model, then the test set",
        "20news.parquet",
        "--loss_function logistic --ngram 2 -b 24 --oaa 20",
    ),
    text(
        "text-imdb",
        "IMDB: raw text to fitted model, then the test set",
        "imdb.parquet",
        "--loss_function logistic --ngram 2 -b 22",
    ),
    *(
        mail("mail-spamassassin", "SpamAssassin's corpus, half and half", "spamassassin.tar.xz", shape)
        for shape in ("mbox", "folder")
    ),
    *(
        mail("mail-trec07", "TREC 2007, the first 5,000 then 5,000", "trec07p-head.tar.xz", shape)
        for shape in ("mbox", "folder")
    ),
    Problem(
        name="message",
        title="one message, whole process",
        kind="message",
        data="spamassassin.tar.xz",
        sides={"deciban": {}, "bogofilter": {"cache_mb": 4}},
        goals=(Below("wall_ms", 100),),
        runs=30,
    ),
)
