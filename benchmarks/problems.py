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
class Agrees:
    """The rival's answer lies at most `most` from ours: labels, as the share of the test set that differs; scores of
    features, as the largest difference.
    """

    rival: str
    most: float


@dataclass(frozen=True)
class Floor:
    """What the machine allows: `measure` cannot be less than bytes / (rate · cores), rate in bytes a second a core;
    where `flop` says how many operations the work has, than flop / (rate · cores).
    """

    measure: str
    corpus: Literal["train", "test"]
    rate: float
    work: str
    flop: float | None = None


Goal = Faster | NoWorse | Below | Agrees

COUNTING = 0.45e9
"""Tokenise, hash and count into 2^20 buckets, one pass, bytes a second a core."""

READING = 1.15e9
"""Tokenise and hash, one pass, small tables, bytes a second a core: 1.0 to 1.3 measured."""

STREAMING = 31e9
"""Read a matrix that no cache holds, once, bytes a second a core: 62 GB/s measured on two (33 to 38 on one alone)."""

PRODUCT = 57e9
"""A product of double-precision matrices by NumPy's BLAS, operations a second a core: 115 GFLOP/s measured on two."""


@dataclass(frozen=True)
class Problem:
    """One comparison.

    kind      which runner: "text", "rows" and "matrix" (fit and predict inside a process), "linear" (fits, ever
              tighter), "mail" (whole commands), "message" (one command)
    data      the file in the data folder; None where the data are simulated
    sides     by name, ours first: its settings
    options   how the data are used
    runs      so many of each side unless the command line says otherwise; None: the command line's default
    """

    name: str
    title: str
    kind: Literal["text", "rows", "mail", "message", "matrix", "linear"]
    data: str | None
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


def pairs(name: str, title: str, data: str) -> Problem:
    """Raw text to a model as `TextClassifier("naive-bayes")` is by default, of words and pairs of words, which in texts
    of this size are more distinct ones than it keeps."""
    return Problem(
        name=name,
        title=f"{title}: raw text to a model of words and pairs of words, then the test set",
        kind="text",
        data=data,
        sides={
            "deciban": {"model": "naive-bayes"},
            "scikit-learn": {"vectorizer": {"ngram_range": [1, 2]}, "classifier": {}},
        },
        goals=(
            Faster("fit_s", "scikit-learn", 20),
            NoWorse("accuracy", "scikit-learn", "higher"),
            NoWorse("fit_growth_mb", "scikit-learn", "lower"),
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


Estimator = tuple[str, dict[str, Any]]
Rivals = dict[str, Estimator]


def matrix(
    data: str,
    model: str,
    name: str,
    ours: Estimator,
    rivals: Rivals,
    goals: tuple[Goal, ...],
    floors: tuple[Floor, ...] = (),
    **options: Any,
) -> Problem:
    """A matrix in memory to a fitted model, then the test set's labels."""
    title, file, how = MATRICES[data]
    sides = {
        side: {"estimator": estimator, "parameters": parameters}
        for side, (estimator, parameters) in {"deciban": ours, **rivals}.items()
    }
    lighter = (NoWorse("fit_growth_mb", rival, "lower") for rival in rivals)
    return Problem(
        name=f"matrix-{data}-{name}",
        title=f"{title}: {model}, {name}",
        kind="matrix",
        data=file,
        sides=sides,
        goals=(*goals, *lighter),
        floors=(Floor("fit_s", "train", STREAMING, "read X once"), *floors),
        options={"matrix": how, **options},
    )


MATRICES = {
    "20news": ("20 Newsgroups, word counts as CSR", "20news.parquet", "counts"),
    "imdb": ("IMDB, word counts as CSR", "imdb.parquet", "counts"),
    "codes": ("20 Newsgroups, 1,000 words as dense codes 0 to 3", "20news.parquet", "codes"),
    "mnist": ("MNIST, 60,000 × 784", "mnist.npz", "pixels"),
    "normal": ("simulated, 200,000 × 54, two normal classes", None, "normal"),
}
SHAPES = {"mnist": (60_000, 784), "normal": (200_000, 54)}
LIKELIHOODS = {
    "multinomial": ("MultinomialNB", {}),
    "bernoulli": ("BernoulliNB", {}),
    "complement": ("ComplementNB", {"class_prior": "uniform"}),  # scikit-learn's ignores how large the classes are
    "categorical": ("CategoricalNB", {}),
    "gaussian": ("GaussianNB", {}),
}


def bayes(data: str, likelihood: str, times: float) -> Problem:
    """Naive Bayes, both sides' defaults; our Gaussian is Student's t, theirs the normal density."""
    rival, parameters = LIKELIHOODS[likelihood]
    same = () if likelihood == "gaussian" else (Agrees("scikit-learn", 0),)
    return matrix(
        data,
        "naive Bayes",
        likelihood,
        ("deciban.NaiveBayes", {"likelihood": likelihood, **parameters}),
        {"scikit-learn": (f"sklearn.naive_bayes.{rival}", {})},
        (Faster("fit_s", "scikit-learn", times), *same),
        (Floor("predict_s", "test", STREAMING, "read X once"),),
    )


def discriminant(data: str, name: str, parameters: dict[str, Any], rivals: Rivals, *goals: Goal) -> Problem:
    """Normal classes with covariances; the product that every covariance needs is the floor."""
    ours = ("deciban.models.discriminant.GaussianDiscriminant", parameters)
    rows, d = SHAPES[data]
    floor = Floor("fit_s", "train", PRODUCT, "one product XᵀX", flop=rows * d**2)
    return matrix(data, "discriminant", name, ours, rivals, goals, (floor,))


LDA = "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
QDA = "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"


def discriminants(data: str, regularised: dict[str, Any]) -> tuple[Problem, ...]:
    """One covariance, one shrunk, one for each class."""
    return (
        discriminant(
            data,
            "shared",
            {"covariance": "shared"},
            {"lda-svd": (LDA, {"solver": "svd"}), "lda-lsqr": (LDA, {"solver": "lsqr"})},
            Faster("fit_s", "lda-svd", 5),
            Faster("fit_s", "lda-lsqr", 1),
        ),
        discriminant(
            data,
            "shrunk",
            {"covariance": "shared", "shrinkage": "ledoit-wolf"},
            {"lda-lsqr": (LDA, {"solver": "lsqr", "shrinkage": "auto"})},
            Faster("fit_s", "lda-lsqr", 1),
        ),
        discriminant(
            data,
            "per-class",
            {"covariance": "per_class", **regularised},
            {"qda": (QDA, {"reg_param": 0.01})},
            Faster("fit_s", "qda", 3),
        ),
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
    pairs("text-20news-pairs", "20 Newsgroups by date", "20news.parquet"),
    pairs("text-imdb-pairs", "IMDB", "imdb.parquet"),
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
    *(
        bayes(data, likelihood, 3)
        for data in ("20news", "imdb")
        for likelihood in ("multinomial", "bernoulli", "complement")
    ),
    bayes("codes", "categorical", 10),
    bayes("mnist", "gaussian", 3),
    bayes("normal", "gaussian", 3),
    *discriminants("mnist", {"shrinkage": "ledoit-wolf"}),
    *discriminants("normal", {}),
    matrix(
        "20news",
        "choice of features",
        "mutual-information",
        ("deciban.features.mutual_information.MutualInformation", {}),
        {"scikit-learn": ("sklearn.feature_selection.mutual_info_classif", {"discrete_features": True})},
        (Faster("fit_s", "scikit-learn", 50), Agrees("scikit-learn", 1e-10)),
        once_beyond_s=60,
    ),
)
