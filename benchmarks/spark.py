"""Deciban beside Spark ML on one data frame, in one machine's Spark of two threads: logistic regression, naive Bayes.

    python benchmarks/spark.py [PROBLEM …] [--runs 3] [--record]

PySpark is the one installed beside this Python. Rows of sparse vectors lie in Parquet, as Spark ML writes them, in
sixteen files, in which the rows of a data set come several times. Each run of a side is a fresh session, sides in turn;
its first fit and its second are timed, as Java compiles in the first what it finds frequent. Logistic regression stops
at the loosest tolerance that comes within 1e-6 of the best objective.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import environment
import numpy as np
from compared_sets import sparse, texts
from kinds.matrix import said
from measure import FailedError, Numbers, Side, in_turn, middle, ratio
from run import begin_record, keep_record, told
from scipy import sparse as sp

FILES, FEW, THREADS = 16, 400, 2
LADDERS = {"deciban": [1e-2, 1e-3, 1e-4, 1e-5, 1e-6], "spark-ml": [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]}
MEASURES = ("first_s", "first_cpu_s", "second_s", "second_cpu_s")
_LISTS = [("indices", "integer"), ("values", "double")]
VECTOR = {
    "type": "udt",
    "class": "org.apache.spark.ml.linalg.VectorUDT",
    "pyClass": "pyspark.ml.linalg.VectorUDT",
    "sqlType": {
        "type": "struct",
        "fields": [
            {"name": "type", "type": "byte", "nullable": False, "metadata": {}},
            {"name": "size", "type": "integer", "nullable": True, "metadata": {}},
            *(
                {
                    "name": name,
                    "type": {"type": "array", "elementType": kind, "containsNull": False},
                    "nullable": True,
                    "metadata": {},
                }
                for name, kind in _LISTS
            ),
        ],
    },
}
"""Spark's schema of a vector, as Parquet files keep it."""


@dataclass(frozen=True)
class Problem:
    """What is fitted: to the rows of which set, how often each comes, and what is compared."""

    name: str
    title: str
    model: str
    rows: str
    repeats: int
    C: float = 1.0


PROBLEMS = (
    Problem("a9a", "logistic regression of a9a", "logistic", "a9a", 32, 1 / 32),
    Problem("imdb", "logistic regression of the words of IMDB", "logistic", "imdb", 8, 1e-3),
    Problem("imdb-bayes", "multinomial naive Bayes of the words of IMDB", "bayes", "imdb", 8),
)


def words() -> tuple[Any, Any]:
    """Counts of the 20,000 most frequent words of IMDB's training texts."""
    from sklearn.feature_extraction.text import CountVectorizer

    items, y = texts("imdb.parquet")
    X = CountVectorizer(max_features=20_000).fit_transform(items[:25_000])
    return sp.csr_array(X, dtype=float), (y[:25_000] == "pos").astype(float)


SETS = {"a9a": lambda: sparse("a9a.svm.xz", 123), "imdb": words}


def prepare(problem: Problem, folder: Path) -> None:
    """Write the rows once for NumPy, and repeated as Parquet for Spark."""
    X, y = SETS[problem.rows]()
    X, y = sp.csr_array(X), (y > 0).astype(float)
    X.sort_indices()  # Spark ML refuses others
    sp.save_npz(folder / "rows.npz", X)
    np.save(folder / "labels.npy", y)
    shuffled = np.random.default_rng(0).permutation(np.tile(np.arange(len(y)), problem.repeats))
    for k, chosen in enumerate(np.array_split(shuffled, FILES)):
        write_parquet(X[chosen], y[chosen], folder / "rows" / f"part-{k}.parquet")
    few = np.argsort(y, kind="stable")[:: max(1, len(y) // FEW)]
    write_parquet(X[few], y[few], folder / "few" / "part-0.parquet")


def write_parquet(X: Any, y: Any, path: Path) -> None:
    """Write rows as a column of Spark's sparse vectors, and one of labels."""
    import pyarrow as pa
    from pyarrow import parquet

    n = len(y)
    lists = [pa.ListArray.from_arrays(pa.array(X.indptr, pa.int32()), pa.array(each)) for each in (X.indices, X.data)]
    of_all = [pa.array(np.zeros(n, np.int8)), pa.array(np.full(n, X.shape[1], np.int32)), *lists]
    vectors = pa.StructArray.from_arrays(of_all, ["type", "size", "indices", "values"])
    fields = [("features", VECTOR), ("label", "double")]
    schema = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in fields]
    said_to_spark = {"org.apache.spark.sql.parquet.row.metadata": json.dumps({"type": "struct", "fields": schema})}
    path.parent.mkdir(exist_ok=True)
    table = pa.table({"features": vectors, "label": y}).replace_schema_metadata(said_to_spark)
    parquet.write_table(table, path, row_group_size=20_000)


def contest(problem: Problem, runs: int) -> dict[str, Any]:
    """Prepare a problem, run both sides in turn, print, and return the record's entry."""
    versions: dict[str, str] = {}
    asked: dict[str, Any] = {
        "model": problem.model,
        "threads": THREADS,
        "partitions": FILES,
        "repeats": problem.repeats,
    }
    with tempfile.TemporaryDirectory(prefix="deciban-benchmark-") as scratch:
        prepare(problem, Path(scratch))

        def run(side: str, **more: Any) -> Any:
            settings = json.dumps({**asked, "side": side, **more})
            return said([sys.executable, environment.HERE / "sides" / "spark_fit.py", scratch, settings])

        def once(side: str) -> Numbers:
            came = run(side, tol=tols[side])
            versions.update(came["versions"])
            return came["numbers"]

        tols = dict.fromkeys(LADDERS)
        if problem.model == "logistic":
            asked["C"] = problem.C
            asked["best"] = run("deciban", best=None)["best"]
            tols = {side: run(side, tol=None, ladder=ladder)["tol"] for side, ladder in LADDERS.items()}
        sides = [Side(name, lambda name=name: once(name)) for name in LADDERS]
        results = in_turn(sides, runs, lambda text: told(f"{problem.name}: {text}"))
    ratios = {each: ratio(results["deciban"], results["spark-ml"], each) for each in MEASURES}
    print(f"\n{problem.name}: {problem.title}, each row {problem.repeats} times; tolerances {tols}")
    for name, found in ratios.items():
        ours, theirs = (middle(results[side], name) for side in LADDERS)
        said_of = f"{found.value:.2f} × ({found.low:.2f} to {found.high:.2f})"
        print(f"  {name:13} {ours:7.2f}, Spark ML {theirs:7.2f}: {said_of}", flush=True)
    print(f"  apart         { ({side: middle(results[side], 'apart') for side in LADDERS}) }", flush=True)
    return {
        "title": problem.title,
        "settings": {**asked, "tol": tols},
        "versions": versions,
        "runs": results,
        "ratios": {name: asdict(found) for name, found in ratios.items()},
    }


def main() -> int:
    """Measure, print, and keep the record if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help=", ".join(each.name for each in PROBLEMS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.problems) - {each.name for each in PROBLEMS}):
        parser.error(f"no problem is named {', '.join(unknown)}")
    if shutil.which("java") is None:
        raise SystemExit("Spark needs Java, which is missing: apt install default-jre-headless")
    record = begin_record(threads=THREADS, problems={})
    for problem in PROBLEMS:
        if not asked.problems or problem.name in asked.problems:
            try:
                record["problems"][problem.name] = contest(problem, asked.runs)
            except (environment.MissingError, FailedError) as reason:
                print(f"\nUNFINISHED  {problem.name}: {reason}", flush=True)
    if asked.record and record["problems"]:
        keep_record(record, "spark")
    return 0


if __name__ == "__main__":
    sys.exit(main())
