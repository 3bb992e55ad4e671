"""One library's fits of a data frame in Spark: what the first and the second fit of a session take.

    python spark_fit.py FOLDER SETTINGS

Settings: `side` ("deciban" or "spark-ml"), `model` ("logistic" or "bayes"), `threads`, `partitions`, `repeats` (how
often the frame has the rows of FOLDER), and of logistic regression `C`, `tol`, and `best`, the least objective. Where
`tol` is None, the loosest tolerance of `ladder` that comes within `CLOSE` of the best is printed, and nothing is
timed; where `best` is None, it is Deciban's in memory. The frame is read from Parquet in each fit; a fit of a few
rows comes first, so that what a session loads once is nobody's price. Processor seconds are those of this process, of
the Java machine and of all of Spark's workers.

    min over w, b   C Σ_i ℓ(y_i (x_i·w + b)) + ‖w‖²/2;   Spark ML divides all of it by C N
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import timed
from scipy import sparse

CLOSE = 1e-6
TICKS = os.sysconf("SC_CLK_TCK")

folder, settings = timed.arguments()
side, C, repeats = settings["side"], settings.get("C", 1.0), settings["repeats"]
X, y = sparse.csr_array(sparse.load_npz(folder / "rows.npz")), np.load(folder / "labels.npy")


def objective(w: Any, b: float) -> float:
    """P(w, b) of all rows of the frame, by NumPy."""
    margins = np.where(y > 0, 1.0, -1.0) * (X @ w + b)
    return float(repeats * C * np.logaddexp(0.0, -margins).sum() + 0.5 * w @ w)


def start_session() -> Any:
    """Start Spark in this machine, with workers of this Python."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{settings['threads']}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "4g").config("spark.log.level", "ERROR")
    return builder.config("spark.sql.files.minPartitionNum", str(settings["partitions"])).getOrCreate()


def processor_seconds() -> float:
    """Processor seconds of this process and of all below it, whether they have ended or not."""
    return sum(map(_ticks, _family(os.getpid()))) / TICKS


def _family(pid: int) -> list[int]:
    children = [int(each) for task in Path(f"/proc/{pid}/task").glob("*/children") for each in task.read_text().split()]
    return [pid, *(each for child in children for each in _family(child))]


def _ticks(pid: int) -> int:
    """Return user and system ticks of a process, and of those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15]))


def deciban_logistic(frame: Any, tol: float) -> tuple[Any, float]:
    """Fit ours; return weights and intercept."""
    from deciban import LogisticRegression
    from deciban.distributed import fit

    model = LogisticRegression(C=C, tol=tol, max_iter=10_000)
    fit(model, frame, "label", columns="features", engine=session)
    return model.coef_[0], float(model.intercept_[0])


def spark_logistic(frame: Any, tol: float) -> tuple[Any, float]:
    """Fit Spark ML's by L-BFGS; return weights and intercept."""
    from pyspark.ml.classification import LogisticRegression

    strength = 1.0 / (C * frame.count())
    model = LogisticRegression(regParam=strength, standardization=False, tol=tol, maxIter=10_000).fit(frame)
    return model.coefficients.toArray(), float(model.intercept)


def deciban_bayes(frame: Any, tol: float) -> Any:
    """Count ours; return log P(word | class)."""
    from deciban import NaiveBayes
    from deciban.distributed import fit

    model = NaiveBayes("multinomial", alpha=1.0, calibration=None)
    return fit(model, frame, "label", columns="features", engine=session).feature_log_prob_


def spark_bayes(frame: Any, tol: float) -> Any:
    """Count Spark ML's; return log P(word | class)."""
    from pyspark.ml.classification import NaiveBayes

    return NaiveBayes(modelType="multinomial", smoothing=1.0).fit(frame).theta.toArray()


def timed_fits(frame: Any, tol: float) -> tuple[Any, dict[str, float]]:
    """Fit twice; return what was found, wall and processor seconds of each."""
    numbers = {}
    for name in ("first", "second"):
        started, cpu = time.perf_counter(), processor_seconds()
        found = fit_by(frame, tol)
        numbers |= {f"{name}_s": time.perf_counter() - started, f"{name}_cpu_s": processor_seconds() - cpu}
    return found, numbers


def distance(found: tuple[Any, float]) -> float:
    """Return how far weights and intercept are from the best objective, relative to it."""
    return objective(*found) / settings["best"] - 1.0


def loosest(frame: Any) -> float:
    """Return the loosest tolerance that comes close enough; the tightest where none does."""
    for tol in settings["ladder"]:
        if distance(fit_by(frame, tol)) <= CLOSE:
            return float(tol)
    return float(settings["ladder"][-1])


def minimise(frame: Any) -> dict[str, float]:
    """Fit logistic regression; return the times, and how close it came."""
    found, numbers = timed_fits(frame, settings["tol"])
    return {**numbers, "apart": distance(found)}


def count(frame: Any) -> dict[str, float]:
    """Count for naive Bayes; return the times, and the largest difference from what NumPy counts."""
    found, numbers = timed_fits(frame, 0.0)
    counts = repeats * np.vstack([X[y == label].sum(axis=0) for label in np.unique(y)]) + 1.0
    return {**numbers, "apart": float(np.abs(np.log(counts / counts.sum(axis=1, keepdims=True)) - found).max())}


def best_in_memory() -> float:
    """Return the objective that Deciban reaches in memory at a proven gap of 1e-9."""
    from deciban import LogisticRegression

    model = LogisticRegression(C=repeats * C, tol=1e-9, max_iter=10_000).fit(X, y)
    return objective(model.coef_[0], float(model.intercept_[0]))


warnings.simplefilter("ignore")
minimises = settings["model"] == "logistic"
if minimises and settings["best"] is None:
    print(json.dumps({"best": best_in_memory()}))
    sys.exit()
FITS = {
    ("deciban", "logistic"): deciban_logistic,
    ("deciban", "bayes"): deciban_bayes,
    ("spark-ml", "logistic"): spark_logistic,
    ("spark-ml", "bayes"): spark_bayes,
}
fit_by: Any = FITS[side, settings["model"]]
session = start_session()
fit_by(session.read.parquet(str(folder / "few")), 1e-3)
frame = session.read.parquet(str(folder / "rows"))
if minimises and settings["tol"] is None:
    print(json.dumps({"tol": loosest(frame)}))
else:
    distribution = "deciban" if side == "deciban" else "pyspark"
    numbers = minimise(frame) if minimises else count(frame)
    print(json.dumps({"numbers": numbers, "versions": {distribution: version(distribution)}}))
session.stop()
