"""A process of its own that learns with every estimator and prints what came out, to the bit, as JSON: id → digest.

`python bytes_of_fits.py N_JOBS`: the law compares processes of different settings of threads. The data are large enough
for BLAS and for the core to use several.
"""

import hashlib
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from laws.estimators import CASES, Case, answers

# Of more numbers than this OpenBLAS shares even an inner product among threads.
MANY, FEW, D = 10_500, 700, 40


def rows(n: int, C: int) -> tuple[Any, Any, Any]:
    """X (n, D) of measurements, y (n,) of C classes that overlap, and the generator."""
    random = np.random.default_rng(7)
    y = np.arange(n) % C
    X, mixed = random.normal(size=(n, D)), np.eye(D) + 0.3 * random.normal(size=(D, D))
    X = np.einsum("ij,jk->ik", X, mixed) + 0.7 * np.eye(D)[y]  # not by BLAS, whose threads may change the last bits
    return X, y, random


def texts(n: int) -> tuple[list[str], Any]:
    """n texts of a vocabulary of thousands, and their classes."""
    random = np.random.default_rng(8)
    y = np.arange(n) % 2
    drawn = [random.zipf(1.3, 12) % 3000 + 40 * c for c in y]
    return [" ".join(f"w{word}" for word in words) for words in drawn], np.array(["ham", "spam"])[y]


def large(case: Case) -> tuple[Any, Any]:
    """Data like those of the case, but more."""
    slow = any(part in case.id for part in ("svm", "svr", "one-class", "kernel", "calibrated"))
    n = FEW if slow and "linear" not in case.id and "texts" not in case.id else MANY
    if case.data in ("texts", "only-texts"):
        X, y = texts(1500 if any(part in case.id for part in ("kernel", "auto", "least-squares")) else 6000)
        return X, None if case.data == "only-texts" else y
    X, y, random = rows(n, 3 if case.data.endswith("three") else 2)
    if case.data == "target":
        return X, (X * np.linspace(-1.0, 1.0, D)).sum(axis=1) + random.normal(size=n)
    if case.data == "unlabelled":
        return X, None
    if case.data == "present":
        return (X > 0.0).astype(float), y
    return (np.floor(np.abs(X)) if case.data.startswith("counts") else X), y


def digest_of(case: Case, n_jobs: int | None) -> str:
    """What the case's estimator learnt and says."""
    X, y = large(case)
    model = case.new(**({"n_jobs": n_jobs} if "n_jobs" in case.estimator.get_params() else {}))
    model = model.fit(X) if y is None else model.fit(X, y)
    told = hashlib.blake2b()
    for name, values in sorted(answers(model, X[:500]).items()):
        told.update(name.encode() + np.ascontiguousarray(values).astype(str).tobytes())
    for name in ("coef_", "intercept_", "dual_coef_", "scores_", "means_", "covariance_", "whitening_"):
        if isinstance(value := getattr(model, name, None), np.ndarray):
            told.update(name.encode() + np.ascontiguousarray(value).tobytes())
    proof = getattr(model, "certificate_", None)
    if proof is not None:
        told.update(repr((proof.digest, proof.primal, proof.dual, proof.kkt_violation, proof.iterations)).encode())
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder, "model.deciban"))
        told.update(Path(folder, "model.deciban").read_bytes())
    return told.hexdigest()


def main() -> None:
    """Print the digests of the cases whose ids are given, or of all."""
    n_jobs = None if sys.argv[1] == "None" else int(sys.argv[1])
    warnings.simplefilter("ignore")  # few passes are enough
    asked = sys.argv[2:]
    print(json.dumps({case.id: digest_of(case, n_jobs) for case in CASES if not asked or case.id in asked}))


if __name__ == "__main__":
    main()
