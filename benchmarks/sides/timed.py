"""What the text sides share: read what was prepared, time fit and predict, say what happened in one line of JSON.

A side is a fresh process. Only fit and predict are timed; interpreter, imports and reading are not.
Memory: `peak_mb` is the most the process ever held; `before_mb` what it held when fit began; `fit_growth_mb` how far
fit and predict went beyond that (the kernel's high-water mark is set back before fit, so that an earlier peak hides
nothing).
"""

from __future__ import annotations

import gc
import json
import pickle
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, TypeVar

Fitted = TypeVar("Fitted")


def arguments() -> tuple[Path, dict[str, Any]]:
    """The folder of prepared data, and the side's settings."""
    return Path(sys.argv[1]), json.loads(sys.argv[2])


def texts(folder: Path, split: str) -> tuple[list[str], list[str]]:
    """Texts and labels of "train" or "test"."""
    with (folder / f"{split}.pickle").open("rb") as file:
        return pickle.load(file)


def measure(
    fit: Callable[[], Fitted],
    predict: Callable[[Fitted], Any],
    truth: Sequence[str] | None,
    versions: dict[str, str],
) -> None:
    """Time both, and print; without a truth what is predicted is no labels, and has no accuracy."""
    gc.collect()
    before = reset_peak()
    started, cpu = perf_counter(), process_time()
    model = fit()
    fitted, cpu_fitted = perf_counter(), process_time()
    predicted = predict(model)
    done, cpu_done = perf_counter(), process_time()
    grown = status("VmHWM") - before
    judged = {}
    if truth is not None:
        judged["accuracy"] = sum(str(a) == b for a, b in zip(predicted, truth, strict=True)) / len(truth)
    numbers = {
        "fit_s": fitted - started,
        "predict_s": done - fitted,
        "fit_cpu_s": cpu_fitted - cpu,
        "predict_cpu_s": cpu_done - cpu_fitted,
        **judged,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "before_mb": before,
        "fit_growth_mb": grown,
    }
    print(json.dumps({"numbers": numbers, "versions": versions}))


def reset_peak() -> float:
    """Sets the high-water mark back to what is held now, which it returns. A side's own peak may lie before it."""
    Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def status(field: str) -> float:
    """A line of /proc/self/status, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"/proc/self/status has no {field}")
