"""Kernel machines on a GPU: Deciban there and on the CPU, scikit-learn on the CPU, and the floor.

    python benchmarks/gpu.py [PROBLEM…] [--small] [--library auto] [--memory-mb 8000] [--cpu-seconds 600]

It runs alone: Deciban, scikit-learn, and torch or CuPy are all that it needs. `--small` runs in seconds on any machine.
The numbers are kept in benchmarks/records/.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import date
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

import environment
import gpu_device
import numpy as np
import sklearn
from gpu_problems import PROBLEMS, DeviceProblem

import deciban
from deciban import SVM
from deciban.data.devices import on_host
from deciban.features.nystroem import Nystroem

# LIBSVM stops at a violation of 1e-3, which leaves a relative gap of about 2e-5; ours stops at the gap.
TOL, GAP = 1e-3, 2e-5
# How far certificates on CPU and device may be apart.
APART = 1e-4


def main() -> int:
    """0 where all that ran agrees; what is missing is said."""
    asked = arguments()
    try:
        device = gpu_device.device(asked.library)
    except environment.MissingError as reason:
        print(reason)
        return 1
    record: dict[str, Any] = {
        "date": date.today().isoformat(),
        "revision": environment.revision(),
        "machine": environment.machine(),
        "versions": {
            "deciban": deciban.__version__,
            "scikit-learn": sklearn.__version__,
            device.library: device.version,
        },
        "device": {"library": device.library, "name": device.name, "memory_gib": device.memory_gib},
        "small": asked.small,
        "rates_flops": gpu_device.rates(device, 256 if asked.small else 8192),
        "problems": {},
        "unfinished": {},
    }
    print(f"{device.name} by {device.library} {device.version}: {told_rates(record['rates_flops'])}", flush=True)
    chosen = [problem for problem in PROBLEMS if not asked.problems or problem.name in asked.problems]
    for problem in (problem.small() if asked.small else problem for problem in chosen):
        try:
            record["problems"][problem.name] = entry = run(problem, device, asked, record["rates_flops"])
            print(told(problem, entry), flush=True)
        except environment.MissingError as reason:
            record["unfinished"][problem.name] = str(reason)
            print(f"SKIPPED  {problem.name}: {reason}", flush=True)
    print(f"recorded in {write(record, asked.records)}")
    return int(not all(entry["agreement"]["agrees"] for entry in record["problems"].values()))


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Kernel machines on a GPU, beside the CPU.")
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help="mnist, forest, dense; all by default")
    parser.add_argument("--small", action="store_true", help="a few hundred rows of each, in seconds")
    parser.add_argument("--library", choices=("auto", *gpu_device.LIBRARIES), default="auto")
    parser.add_argument("--memory-mb", type=float, default=8000.0, help="for tiles of the kernel on the device (8000)")
    parser.add_argument("--cpu-seconds", type=float, default=600.0, help="for one fit of scikit-learn's (600)")
    parser.add_argument("--device-seconds", type=float, default=1800.0, help="for one fit on the device (1800)")
    parser.add_argument("--records", type=Path, default=environment.HERE / "records", help="where the record goes")
    asked = parser.parse_args()
    unknown = sorted(set(asked.problems) - {problem.name for problem in PROBLEMS})
    if unknown:
        parser.error(f"no problem is named {', '.join(unknown)}")
    return asked


def run(problem: DeviceProblem, device: Any, asked: Any, rates: dict[str, float]) -> dict[str, Any]:
    """All of a problem: the device at full size, the CPU's sides as far as they go, agreement, floor, features."""
    (X, y), (Z, truth) = problem.parts(problem.rows, problem.asked)
    started = perf_counter()
    T, asking = device.there(X), device.there(Z)
    device.wait()
    entry: dict[str, Any] = {"title": problem.title, "C": problem.C, "rows": len(X), "features": X.shape[1]}
    entry["upload_s"] = perf_counter() - started
    learnt(
        problem, T[:200, ...], y[:200], asking[:200, ...], truth[:200], asked
    )  # what is loaded once is nobody's price
    device.peak_gib(reset=True)
    model, entry["device"] = learnt(problem, T, y, asking, truth, asked)
    entry["device"]["peak_gib"] = device.peak_gib()
    entry["floor"] = floor(model, np.bincount(y), X.shape[1], len(Z), rates)
    entry["nystroem"] = features(T, asking, 50 if asked.small else 1000)
    entry["agreement"] = agreement(problem, device, X, y, Z, truth, asked)
    entry["scikit-learn"] = rival(problem, device, X, y, Z, truth, asked)
    return entry


def learnt(problem: DeviceProblem, X: Any, y: Any, Z: Any, truth: Any, asked: Any, **options: Any) -> Any:
    """A machine of rows X, and what it took to learn and to judge Z; y and truth are the host's."""
    named = {"C": problem.C, "gamma": "scale", "tol": GAP, "calibration": None, "memory_mb": asked.memory_mb}
    model = SVM("rbf", max_iter=100_000_000, time_limit=asked.device_seconds, **{**named, **options})
    started = perf_counter()
    model.fit(X, y)
    fitted = perf_counter()
    labels = on_host(model.predict(Z), None)
    done = perf_counter()
    proof = model.certificate_
    numbers = {
        "fit_s": fitted - started,
        "predict_s": done - fitted,
        "support": len(model.support_),
        "rounds": int(model.n_iter_.sum()),
        "primal": proof.primal,
        "dual": proof.dual,
        "relative_gap": proof.relative_gap,
        "kkt_violation": proof.kkt_violation,
        "status": proof.status,
        "accuracy": float((labels == truth).mean()),
    }
    return model, numbers


def floor(model: Any, count: Any, d: int, asked: int, rates: dict[str, float]) -> dict[str, Any]:
    """Operations that no exact method avoids, and the seconds they take at the rates of a matrix product: the inner
    products of each machine's support vectors with its rows, once, and of all of them with the rows to be judged."""
    C = len(count)
    rows = [count[i] + count[j] for i, j in combinations(range(C), 2)] if C > 2 else [count.sum()]
    support = [zones.on + zones.inside + zones.wrong for zones in model.zones_]
    fit = 2.0 * d * float(np.dot(rows, support))
    predict = 2.0 * d * float(asked * len(model.support_))
    seconds = {name: {"fit_s": fit / rate, "predict_s": predict / rate} for name, rate in rates.items()}
    return {"fit_flop": fit, "predict_flop": predict, "at": seconds}


def features(X: Any, Z: Any, m: int) -> dict[str, Any]:
    """Nyström's features of all rows."""
    started = perf_counter()
    few = Nystroem(n_components=m).fit(X)
    fitted = perf_counter()
    on_host(few.transform(Z)[:1, ...], None)
    done = perf_counter()
    return {"components": m, "fit_s": fitted - started, "transform_s": done - fitted, "says": few.says_}


def agreement(problem: DeviceProblem, device: Any, X: Any, y: Any, Z: Any, truth: Any, asked: Any) -> dict[str, Any]:
    """The same rows on the CPU and on the device: the same optimum, to 1e-4 of it, and labels."""
    n = min(problem.agreed, len(X))
    X, y = every(X, n), every(y, n)
    here, cpu = learnt(problem, X, y, Z, truth, asked, memory_mb=200.0)
    there, found = learnt(problem, device.there(X), y, device.there(Z), truth, asked)
    labels = here.predict(Z), on_host(there.predict(device.there(Z)), None)
    apart = abs(cpu["primal"] - found["primal"]) / max(1.0, abs(cpu["primal"]))
    gaps = max(cpu["relative_gap"], found["relative_gap"])
    return {
        "rows": n,
        "cpu": cpu,
        "device": found,
        "objectives_apart": apart,
        "labels_apart": float((labels[0] != labels[1]).mean()),
        "same_digest": here.certificate_.digest == there.certificate_.digest,
        "agrees": bool(apart <= APART and gaps <= APART),
    }


def rival(problem: DeviceProblem, device: Any, X: Any, y: Any, Z: Any, truth: Any, asked: Any) -> list[dict[str, Any]]:
    """scikit-learn's SVC, ever larger until a fit takes, or is bound to take, too long; the device beside it."""
    tried: list[dict[str, Any]] = []
    parameters = {"C": problem.C, "kernel": "rbf", "gamma": "scale", "tol": TOL, "cache_size": 2000}
    for n in (n for n in problem.ladder if n <= len(X)):
        last = tried[-1] if tried else None
        if last is not None and (bound := last["fit_s"] * (n / last["rows"]) ** 2) > 2.0 * asked.cpu_seconds:
            tried.append({"rows": n, "status": f"not tried: by the square of the rows it would take {bound:.0f} s"})
            break
        part, labels = every(X, n), every(y, n)
        found = timed(part, labels, Z, truth, parameters, asked.cpu_seconds)
        if found is None:
            tried.append({"rows": n, "status": f"not within {asked.cpu_seconds:g} s"})
            break
        ours = learnt(problem, device.there(part), labels, device.there(Z), truth, asked)[1]
        ratio = {f"times_{name}": found[f"{name}_s"] / ours[f"{name}_s"] for name in ("fit", "predict")}
        tried.append({"rows": n, "status": "ended", **found, "device": ours, **ratio})
    return tried


def timed(X: Any, y: Any, Z: Any, truth: Any, parameters: dict[str, Any], limit: float) -> dict[str, Any] | None:
    """What the side took in a process of its own; None where it took longer than the limit."""
    with tempfile.TemporaryDirectory(prefix="deciban-gpu-") as folder:
        for name, values in (("X", X), ("y", y), ("Z", Z)):
            np.save(Path(folder) / f"{name}.npy", values)
        command = [sys.executable, environment.HERE / "sides" / "gpu_sklearn.py", folder, json.dumps(parameters)]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
        except subprocess.TimeoutExpired:
            return None
        labels = np.load(Path(folder) / "labels.npy")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found | {"accuracy": float((labels == truth).mean())}


def every(values: Any, n: int) -> Any:
    """n of the values, evenly taken."""
    return values[:: max(1, len(values) // n)][:n]


def told_rates(rates: dict[str, float]) -> str:
    return ", ".join(f"{name} {rate / 1e12:.3g} TFLOP/s" for name, rate in rates.items())


def told(problem: DeviceProblem, entry: dict[str, Any]) -> str:
    """A problem in a few lines."""
    ours, same = entry["device"], entry["agreement"]
    least = min(at["fit_s"] for at in entry["floor"]["at"].values())
    lines = [
        f"\n{problem.name}: {problem.title}, C = {problem.C:g}",
        f"  device: fit {ours['fit_s']:.3g} s ({ours['rounds']:,} rounds, {ours['support']:,} support vectors, "
        f"{ours['status']}, gap {ours['relative_gap']:.1e}), predict {ours['predict_s']:.3g} s, "
        f"accuracy {ours['accuracy']:.4f}",
        f"  floor of the fit: {entry['floor']['fit_flop']:.3g} operations, {least:.3g} s at the best rate",
        f"  Nyström, {entry['nystroem']['components']:,} landmarks: {entry['nystroem']['fit_s']:.3g} s, "
        f"features {entry['nystroem']['transform_s']:.3g} s",
        f"  CPU and device on {same['rows']:,} rows: objectives {same['objectives_apart']:.1e} apart, labels "
        f"{same['labels_apart']:.2e}: {'agree' if same['agrees'] else 'DISAGREE'}",
    ]
    for each in entry["scikit-learn"]:
        times = f"fit {each['fit_s']:.3g} s, {each['times_fit']:.3g} × ours" if "fit_s" in each else each["status"]
        lines.append(f"  scikit-learn on {each['rows']:,} rows: {times}")
    return "\n".join(lines)


def write(record: dict[str, Any], folder: Path) -> Path:
    """A new file; what is there is never overwritten."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{record['date']}-gpu-{record['device']['library']}{'-small' if record['small'] else ''}"
    number = 1
    while (path := folder / (f"{stem}.json" if number == 1 else f"{stem}-{number}.json")).exists():
        number += 1
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main())
