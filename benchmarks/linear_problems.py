"""The linear problems: one objective each, and every solver that can minimise it."""

from __future__ import annotations

from typing import Any

from problems import STREAMING, Faster, Floor, NoWorse, Problem

MATRICES = {
    "a9a": ("a9a, 32,561 × 123 of 0 and 1", "a9a.svm.xz", "svmlight"),
    "20news": ("20 Newsgroups TF-IDF, ten groups against ten", "20news.parquet", "tfidf-halves"),
    "imdb": ("IMDB TF-IDF", "imdb.parquet", "tfidf"),
    "mnist": ("MNIST, even against odd", "mnist.npz", "parity"),
    "imdb-pairs": ("IMDB TF-IDF of words and pairs", "imdb.parquet", "tfidf-pairs"),
}
STEPS = [1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
OURS = [0.5, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6]
# The rivals' solvers of each objective, -s of LIBLINEAR by number.
RIVALS = {
    "logistic": ("liblinear:7", "liblinear:0", "cyanure", "sklearn:lbfgs", "sklearn:newton-cholesky"),
    "hinge": ("liblinear:3", "sklearn:dual"),
    "squared_hinge": ("liblinear:1", "liblinear:2", "cyanure", "sklearn:dual"),
    "l1": ("liblinear:6", "cyanure", "skglm", "sklearn:liblinear"),
}
WIDE = {"20news", "imdb", "imdb-pairs"}


def solver(name: str, data: str, loss: str, C: float, times: float = 1.0) -> Problem:
    """Seconds to 1e-3 and 1e-6 of the best objective, conversions included; the best rival of each is to be beaten."""
    title, file, how = MATRICES[data]
    rivals = [one for one in RIVALS[loss] if not (data in WIDE and one.endswith("newton-cholesky"))]
    sides: dict[str, dict[str, Any]] = {"deciban": {"solver": "deciban", "ladder": OURS}}
    sides |= {rival: {"solver": rival, "ladder": STEPS} for rival in rivals}
    measures = ("to_1e-3_s", "to_1e-6_s")
    faster = tuple(Faster(measure, rival, times) for rival in rivals for measure in measures)
    lighter = tuple(NoWorse("fit_growth_mb", rival, "lower") for rival in rivals if rival.startswith("liblinear"))
    return Problem(
        name=name,
        title=f"{title}: {loss}, C = {C:g}",
        kind="linear",
        data=file,
        sides=sides,
        goals=(*faster, *lighter),
        floors=(Floor("to_1e-3_s", "train", STREAMING, "read X once"),),
        options={"matrix": how, "loss": loss, "C": C},
        runs=3,
    )


LINEAR = (
    *(
        solver(f"linear-{data}-{loss}-{C:g}", data, loss, C)
        for data in ("a9a", "20news", "imdb", "mnist")
        for loss in RIVALS
        for C in (0.1, 1.0, 10.0)
    ),
    solver("linear-imdb-pairs-squared_hinge-1", "imdb-pairs", "squared_hinge", 1.0, 2.0),
    solver("linear-imdb-pairs-logistic-1", "imdb-pairs", "logistic", 1.0, 2.0),
)
