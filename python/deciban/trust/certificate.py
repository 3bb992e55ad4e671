"""What a fit can prove about itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from deciban import __version__, _core
from deciban.devices import elsewhere, on_host, parts, take


@dataclass(frozen=True)
class Certificate:
    """What was minimised, how close to the minimum the fit came, and on which data.

        relative_gap = (primal − dual) / max(1, |primal|)

    By weak duality no parameters reach below `dual`, so the gap bounds what is left to gain. Where the
    problem is not convex there is no dual and no gap; `kkt_violation` is then the norm of the gradient. A model
    that learns from a stream seeks no minimum and has neither: `primal` is what it suffered on the way.
    `status` says how the fit ended and `advice` what to do about it. `digest` names the data or,
    for counting models, of the sufficient statistics, which are all that the data are to such a model.
    """

    objective: str
    primal: float
    dual: float | None
    kkt_violation: float | None
    iterations: int
    status: str
    advice: str
    seconds: float
    n: float
    d: int
    class_counts: Mapping[Any, float]
    seed: int | None
    digest: str
    version: str = __version__

    @property
    def relative_gap(self) -> float | None:
        """(primal − dual) / max(1, |primal|), or None where there is no dual."""
        return None if self.dual is None else (self.primal - self.dual) / max(1.0, abs(self.primal))

    def to_json(self) -> dict[str, Any]:
        """What a model file stores: all but the wall time, so that the same fit gives the same bytes."""
        return {
            "objective": self.objective,
            "primal": self.primal,
            "dual": self.dual,
            "relative_gap": self.relative_gap,
            "kkt_violation": self.kkt_violation,
            "iterations": self.iterations,
            "status": self.status,
            "advice": self.advice,
            "n": self.n,
            "d": self.d,
            "class_counts": {str(label): count for label, count in self.class_counts.items()},
            "seed": self.seed,
            "version": self.version,
            "digest": self.digest,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any], d: int) -> Self:
        """What a model file has stored, of a model of d features; the wall time is not among it."""
        given = {name: value for name, value in values.items() if name != "relative_gap"}
        if given.get("d") != d or type(given.get("class_counts")) is not dict:
            raise ValueError("a certificate of other data")
        for name in ("primal", "dual", "kkt_violation", "n"):
            if type(given[name]) not in (int, float) and (given[name] is not None or name in ("primal", "n")):
                raise ValueError(f"a certificate whose {name} is no number")
        for name in ("objective", "status", "advice", "digest", "version"):
            if type(given[name]) is not str:
                raise ValueError(f"a certificate whose {name} is no text")
        return cls(**given, seconds=0.0)

    def __str__(self) -> str:
        counts = ", ".join(f"{label}: {count:,.10g}" for label, count in self.class_counts.items())
        counts = f" ({counts})" if counts else ""
        without = "no gap (not convex)" if self.kkt_violation is not None else "no gap (a stream)"
        gap = without if self.relative_gap is None else f"relative gap {self.relative_gap:.1e}"
        advice = f"; {self.advice}" if self.advice else ""
        return (
            f"{self.status}{advice}; {self.n:,.10g} examples{counts}, {self.d:,} features, "
            f"{self.iterations} iterations, {gap}, {self.seconds:.3g} s, data {self.digest[:12]}"
        )


def digest(*arrays: np.ndarray[Any, Any]) -> str:
    """A name for shapes and values: equal numbers have equal names on every machine, whatever type holds them.

    SHA-256 of each array's shape and of the BLAKE3 (O'Connor, Aumasson, Neves & Wilcox-O'Hearn 2020) of its values as
    float64, which takes all cores.

    >>> digest(np.array([1, 2])) == digest(np.array([1.0, 2.0], dtype=">f8"))
    True
    """
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(np.array([array.ndim, *array.shape], dtype="<i8").tobytes())
        if elsewhere(array):
            sha.update(_streamed(array))
            continue
        flat = np.ascontiguousarray(array).reshape(-1)
        sha.update(_core.digest(flat if flat.dtype in _HASHED else flat.astype(np.float64)))
    return sha.hexdigest()


def _streamed(array: Any) -> bytes:
    """The name of an array elsewhere, whose rows are on the host a few at a time."""
    names, rest, count = [], np.zeros(0), 0
    for rows in parts(array):
        rest = np.concatenate([rest, on_host(take(array, rows)).reshape(-1)])
        whole = len(rest) - len(rest) % _STRETCH
        names.append(_core.digest_stretches(rest[:whole]))
        rest, count = rest[whole:], count + whole
    names.append(_core.digest_stretches(rest))
    return _core.digest_joined(count + len(rest), b"".join(names))


# Numbers that the core hashes at once: crates/core/src/digest.rs.
_STRETCH = 1 << 15
_HASHED = tuple(np.dtype(name) for name in ("float64", "float32", "int64", "int32", "uint8"))
