"""The device: which library computes on it, how fast it multiplies matrices, and how much memory that took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import environment
import numpy as np

LIBRARIES = ("torch", "cupy", "array_api_strict", "numpy")
_SAYS = (
    "neither torch nor CuPy is installed and sees a GPU: pip install torch, or cupy-cuda12x or cupy-cuda13x, or say "
    "--library numpy or --library array_api_strict, which run the same on the CPU"
)


@dataclass(frozen=True)
class Device:
    """Where arrays go (`there`), and what is known of the place."""

    library: str
    name: str
    memory_gib: float | None
    version: str
    there: Callable[[Any], Any]
    module: Any

    def wait(self) -> None:
        """Until all that was asked for is done."""
        if self.library == "torch" and self.module.cuda.is_available():
            self.module.cuda.synchronize()
        if self.library == "cupy":
            self.module.cuda.Device().synchronize()

    def peak_gib(self, reset: bool = False) -> float | None:
        """The most memory that arrays have taken, where the library counts it; with `reset` it begins anew."""
        if self.library == "torch" and self.module.cuda.is_available():
            most = self.module.cuda.max_memory_allocated() / 2**30
            if reset:
                self.module.cuda.reset_peak_memory_stats()
            return float(most)
        if self.library == "cupy":
            return float(self.module.get_default_memory_pool().total_bytes() / 2**30)
        return None


def device(asked: str) -> Device:
    """That of the library that was asked for, or of the first one that sees a GPU; MissingError where there is none."""
    for name in ("torch", "cupy") if asked == "auto" else (asked,):
        if find_spec(name) is not None and (asked != "auto" or _sees_one(import_module(name))):
            return _opened(name, import_module(name))
    raise environment.MissingError(_SAYS if asked == "auto" else f"{asked} is not installed: pip install {asked}")


def _sees_one(module: Any) -> bool:
    try:
        if module.__name__ == "torch":
            return bool(module.cuda.is_available())
        return bool(module.cuda.runtime.getDeviceCount())
    except Exception:  # what CUDA raises where there is no driver has no name in common
        return False


def _opened(name: str, module: Any) -> Device:
    title, memory = "the CPU", None
    there: Callable[[Any], Any] = module.asarray
    if name == "torch" and _sees_one(module):
        known = module.cuda.get_device_properties(0)
        title, memory = known.name, known.total_memory / 2**30
        there = lambda values: module.asarray(values, device="cuda")  # noqa: E731
    if name == "cupy":
        known = module.cuda.runtime.getDeviceProperties(0)
        title, memory = known["name"].decode(), known["totalGlobalMem"] / 2**30
    return Device(name, title, memory, module.__version__, there, module)


def rates(device: Device, n: int) -> dict[str, float]:
    """Operations a second of a product of n × n matrices, by their type, the best of four. Tensor cores take half
    precision and, where torch is told so for this measurement, float32 rounded to ten bits."""
    values = np.random.default_rng(0).normal(size=(n, n)).astype(np.float32)
    half = () if device.name == "the CPU" else ("float16", "bfloat16") if device.library == "torch" else ("float16",)
    found = {}
    for name in ("float64", "float32", *half):
        found[name] = _rate(device, _cast(device, device.there(values), name))
    if half and device.library == "torch":
        device.module.set_float32_matmul_precision("high")
        found["tensorfloat32"] = _rate(device, device.there(values))
        device.module.set_float32_matmul_precision("highest")
    return found


def _cast(device: Device, X: Any, name: str) -> Any:
    dtype = getattr(device.module, name)
    if device.library == "torch":
        return X.to(dtype)
    return X.astype(dtype) if hasattr(X, "astype") else device.module.astype(X, dtype)


def _rate(device: Device, X: Any) -> float:
    return 2.0 * X.shape[0] ** 3 / min(_seconds(device, lambda: X @ X) for _ in range(4))


def _seconds(device: Device, work: Callable[[], Any]) -> float:
    device.wait()
    started = perf_counter()
    work()
    device.wait()
    return perf_counter() - started
