"""Rows and texts that are larger than memory: how much of it they take, and how near the machine's rate passes come.

    python benchmarks/beyond_memory.py rows  [--gigabytes 20] [--scratch FOLDER] [--record]
    python benchmarks/beyond_memory.py texts [--gigabytes 10] [--words 1,1 1,2] [--scratch FOLDER] [--record]

`rows`: the words of IMDB's reviews, repeated with noise, are encoded into so many bytes of files, and two processes fit
logistic regression to a relative gap of 1e-4. Each pass is timed beside two rates: that of the disk, which is read once
for it, and that of the core, which makes the same sums of one part that is in memory. The slower of the two is the
floor. `texts`: so many bytes of JSON lines, whose sentences are those of IMDB's reviews in another order, are learnt by
`deciban train` with `--memory 500MB`, beside the same of a part of them in memory: words alone, and with pairs.

Memory is what is resident in all processes together, but for pages of files, which the system takes back at will.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import environment
import numpy as np
from compared_sets import texts
from measure import family
from run import begin_record, keep_record
from scipy import sparse as sp

from deciban import LogisticRegression
from deciban.distributed import fit
from deciban.distributed.on_executors import OnExecutor
from deciban.distributed.passes import Direction, Look, Objective, Point, Times
from deciban.losses import Logistic
from deciban.threads import using

WORDS, WORKERS, TOL = 20_000, 2, 1e-4
PIECE = 1 << 30
"""Bytes of texts that are learnt in memory, to compare."""


# --- what is measured --------------------------------------------------------------------------------------


class Memory:
    """Watches the most that a process and those it started had resident, in MB: not mapped, and mapped from files."""

    def __init__(self, pid: int) -> None:
        self.pid, self.most, self.mapped = pid, 0.0, 0.0
        self._done, self._thread = threading.Event(), threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.2):
            own = [resident(each) for each in family(self.pid)]
            self.most = max(self.most, sum(anonymous for anonymous, _ in own))
            self.mapped = max(self.mapped, sum(mapped for _, mapped in own))


def resident(pid: int) -> tuple[float, float]:
    """Return MB of a process that are no page of a file, and that are one."""
    try:
        told = dict(re.findall(r"^(Rss\w+):\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE))
    except (FileNotFoundError, ProcessLookupError):
        return 0.0, 0.0
    return (int(told.get("RssAnon", 0)) + int(told.get("RssShmem", 0))) / 1024, int(told.get("RssFile", 0)) / 1024


def disk_rate(folder: Path, most: int = 2 << 30) -> float:
    """Return the bytes a second of files that are in no cache."""
    os.sync()  # what is not written yet stays in memory
    read, began = 0, time.perf_counter()
    for path in sorted(folder.rglob("arrays")):
        with open(path, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while block := file.read(8 << 20):
                read += len(block)
        if read > most:
            break
    return read / (time.perf_counter() - began)


# --- rows --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Noisy:
    """A partition: all rows of a file once more, each without a tenth of its words, and with noise in their counts."""

    path: str
    seed: int

    def __call__(self) -> tuple[Any, Any]:
        """Return the rows and their labels."""
        held = np.load(self.path)
        X = sp.csr_array((held["data"], held["indices"], held["indptr"]), shape=held["shape"])
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(X.shape[0])
        X = X[order]
        X.data = X.data * (1.0 + 0.1 * rng.standard_normal(X.nnz, np.float32)) * (rng.random(X.nnz) < 0.9)
        X.eliminate_zeros()
        return X, held["y"][order]


def write_rows(path: Path) -> int:
    """Write IMDB's words, the logarithm of one and how often each comes, over the row's length; return the values."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    items, y = texts("imdb.parquet")
    X = sp.csr_array(CountVectorizer(max_features=WORDS).fit_transform(items[:25_000]), dtype=np.float32)
    X.data = np.log1p(X.data)
    X = sp.csr_array(normalize(X))
    X.sort_indices()
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=(y[:25_000] == "pos").astype(int))
    return int(X.nnz)


class Timed:
    """Times each pass, by its name, and measures the disk and the core once the parts are encoded."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.bytes, self.disk, self.cores = 0, 0.0, dict[str, float]()

    def __enter__(self) -> Self:
        self._reduce = reduce = OnExecutor.reduce

        def timed(engine: Any, task: Any, parts: Any, combine: Any, shared: Any = None) -> Any:
            began = time.perf_counter()
            found = reduce(engine, task, parts, combine, shared)
            name = type(task).__name__ + (" with diagonal" if getattr(task, "diagonal", False) else "")
            self.seconds[name].append(time.perf_counter() - began)
            print(f"  {name:28} {self.seconds[name][-1]:8.1f} s", flush=True)
            if name.startswith("Encode"):
                folder = Path(found[0].part.load.path).parent
                self.disk = disk_rate(folder)
                self.bytes = sum(path.stat().st_size for path in folder.rglob("arrays"))
                self.cores = core_rates(found[0], found[0].columns)
                print(
                    f"  {self.bytes / 1e9:.1f} GB, disk {self.disk / 1e9:.2f} GB/s, of a core {self.cores}", flush=True
                )
            return found

        OnExecutor.reduce = timed  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        OnExecutor.reduce = self._reduce  # type: ignore[method-assign]


def core_rates(survey: Any, d: int) -> dict[str, float]:
    """Return the bytes a second of each pass over a part that is in memory, by one thread."""
    objective = Objective(Logistic(), np.array([0, 1]), np.ones(2), False, True, "rate")
    point = Point(np.random.default_rng(0).normal(size=(1, d)), np.zeros(1), 1)
    each = {
        "Look with diagonal": (Look(objective, True), point),
        "Times": (Times(objective), Direction(point, np.ones((1, d + 1)))),
    }
    size = Path(survey.part.load.path, "arrays").stat().st_size
    rates = {}
    with using(1):
        for name, (task, shared) in each.items():
            seconds = []
            for _ in range(4):
                began = time.perf_counter()
                task(survey.part, (), shared)
                seconds.append(time.perf_counter() - began)
            rates[name] = size / min(seconds)
    return rates


def measure_rows(gigabytes: float, scratch: Path) -> dict[str, Any]:
    """Fit logistic regression to so many bytes of rows, and return what that takes."""
    path = scratch / "rows.npz"
    with ProcessPoolExecutor(1) as apart:  # so that what it takes is in no figure
        values = apart.submit(write_rows, path).result()
    count = max(2, round(gigabytes * 1e9 / (8 * 0.9 * values)))
    print(f"{count} partitions of 25,000 rows, {0.9 * values * count / 1e9:.2f} billion values", flush=True)
    model = LogisticRegression(C=1.0 / count, tol=TOL)
    began = time.perf_counter()
    with ProcessPoolExecutor(WORKERS) as workers, Memory(os.getpid()) as memory, Timed() as timed:
        fit(model, [Noisy(str(path), seed) for seed in range(count)], engine=workers, scratch=scratch)
    seconds = time.perf_counter() - began
    floors = {name: timed.bytes / min(timed.disk, WORKERS * rate) for name, rate in timed.cores.items()}
    shares = {name: [floors[name] / each for each in timed.seconds[name]] for name in floors}
    certificate = model.certificate_
    gap = (certificate.primal - certificate.dual) / certificate.primal
    print(f"  {seconds:.0f} s, gap {gap:.1e}, {memory.most:.0f} MB and {memory.mapped:.0f} of files", flush=True)
    for name, all_of in shares.items():
        print(f"  {name:20} floor {floors[name]:.1f} s, share {np.median(all_of):.2f} (least {min(all_of):.2f})")
    return {
        "bytes": timed.bytes,
        "rows": 25_000 * count,
        "seconds": seconds,
        "gap": gap,
        "resident_mb": memory.most,
        "mapped_mb": memory.mapped,
        "disk_bytes_per_s": timed.disk,
        "core_bytes_per_s": timed.cores,
        "passes_s": dict(timed.seconds),
        "floors_s": floors,
    }


# --- texts -------------------------------------------------------------------------------------------------


def write_texts(path: Path, size: int, seed: int = 0) -> int:
    """Write texts of IMDB's sentences in another order, each with others of its class; return how many."""
    items, y = texts("imdb.parquet")
    rng, number = np.random.default_rng(seed), 0
    sentences = {
        label: [s for text, own in zip(items, y, strict=True) if own == label for s in re.split(r"(?<=[.!?])\s", text)]
        for label in ("neg", "pos")
    }
    with open(path, "wb") as file:
        while file.tell() < size:
            for label, own in sentences.items():
                lengths = rng.integers(3, 21, 10_000)
                chosen = rng.integers(0, len(own), int(lengths.sum())).tolist()
                ends = np.cumsum(lengths).tolist()
                rows = [
                    json.dumps({"text": " ".join(own[k] for k in chosen[i:j]), "label": label}, ensure_ascii=False)
                    for i, j in zip([0, *ends], ends, strict=False)
                ]
                file.write(("\n".join(rows) + "\n").encode())
                number += len(rows)
    return number


def train(path: Path, scratch: Path, *options: str) -> dict[str, float]:
    """Train naive Bayes by the command, and return what that takes."""
    model, log = scratch / "model.deciban", scratch / "log"
    command = [environment.deciban(), "train", str(path), "--text", "text", "--label", "label", "-o", str(model)]
    command += ["--model", "naive-bayes", *options]
    began = time.perf_counter()
    with open(log, "wb") as complaints:
        child = subprocess.Popen(command, stdout=complaints, stderr=complaints)
    with Memory(child.pid) as memory:
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(log.read_text()[-2000:])
    seconds, size = time.perf_counter() - began, path.stat().st_size
    cpu = usage.ru_utime + usage.ru_stime
    print(f"  {size / 1e9:.1f} GB {options}: {seconds:.0f} s, {cpu:.0f} s of cores, {memory.most:.0f} MB", flush=True)
    found = {"bytes": size, "seconds": seconds, "cpu_s": cpu, "resident_mb": memory.most, "mapped_mb": memory.mapped}
    return found | {"bytes_per_s": size / seconds, "bytes_per_cpu_s": size / cpu}


def measure_texts(gigabytes: float, scratch: Path, lengths: Sequence[str]) -> dict[str, Any]:
    """Train on so many bytes of texts, and on a piece of them in memory, and return what that takes."""
    whole, piece = scratch / "texts.jsonl", scratch / "piece.jsonl"
    number = write_texts(whole, int(gigabytes * 1e9))
    with open(whole, "rb") as file:
        lines = file.read(min(PIECE, int(gigabytes * 1e9 / 4)))
    piece.write_bytes(lines[: lines.rindex(b"\n") + 1])
    results: dict[str, Any] = {"texts": number}
    for words in lengths:
        inside = train(piece, scratch, "--words", words, "--memory", "18GB")
        found = train(whole, scratch, "--words", words, "--memory", "500MB")
        share = found["bytes_per_s"] / inside["bytes_per_s"]
        print(f"  {number:,} texts, words {words}: {share:.2f} of the rate in memory", flush=True)
        results[words] = {"in_memory": inside, "as_a_stream": found, "share_of_rate": share}
    return results


def main() -> int:
    """Measure, print, and keep the record if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rows", "texts"])
    parser.add_argument("--gigabytes", type=float)
    parser.add_argument("--words", nargs="+", default=["1,1", "1,2"], help="word n-grams of the texts that are counted")
    parser.add_argument("--scratch", type=Path, help="folder on the disk that is measured")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deciban-benchmark-", dir=asked.scratch) as scratch:
        if asked.what == "rows":
            found = measure_rows(asked.gigabytes or 20.0, Path(scratch))
        else:
            found = measure_texts(asked.gigabytes or 10.0, Path(scratch), asked.words)
    if asked.record:
        keep_record(begin_record(**{asked.what: found}), f"beyond-memory-{asked.what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
