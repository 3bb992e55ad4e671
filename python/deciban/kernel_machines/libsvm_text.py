"""The text of a LIBSVM model file, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import DataError
from deciban.losses import Floats

_TYPES = ("c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr")
_KERNELS = ("linear", "polynomial", "rbf", "sigmoid", "precomputed")
_KEYS = "svm_type kernel_type degree gamma coef0 nr_class total_sv rho label probA probB prob_density_marks nr_sv"
# So many features may a file ask for.
_WIDEST = 1 << 31
# A table as full as this is kept dense.
_FULL = 0.3


@dataclass(frozen=True)
class Parsed:
    """The contents of a file: `coefficients` (C − 1, m), `vectors` (m, d) or column numbers (m,), ρ (K,), and of
    probabilities `scale` (K,) −probA, `shift` (K,) −probB and, of one class, the ten `marks` of decisions."""

    name: str
    svm_type: str
    kernel_type: str
    degree: int
    gamma: float | None
    coef0: float
    labels: list[int]
    nr_sv: list[int]
    rho: Floats
    scale: Floats | None
    shift: Floats | None
    marks: Floats | None
    coefficients: Floats
    vectors: Any
    n_features: int


def parse(content: bytes, name: str, n_features: int | None = None) -> Parsed:
    """Return the parts of a file; DataError for what is no model of LIBSVM, with the line."""
    lines = content.decode("utf-8", "replace").splitlines()
    head, start = _head(lines, name)
    svm_type, kernel_type = _one_of(head, "svm_type", _TYPES, name), _one_of(head, "kernel_type", _KERNELS, name)
    classifies = svm_type in ("c_svc", "nu_svc")
    C = _whole(head, "nr_class", name)[0] if classifies else 2
    if not 2 <= C <= 1 << 15:
        raise _wrong(name, "nr_class", "from 2 to 32,768")
    labels = _whole(head, "label", name, C) if classifies else [0, 1]
    if len(set(labels)) < C:
        raise _wrong(name, "label", f"{C} different labels")
    m = _whole(head, "total_sv", name, 1)[0]
    nr_sv = _whole(head, "nr_sv", name, C) if classifies else [m, 0]
    if min(nr_sv) < 0 or sum(nr_sv) != m or m != len(lines) - start:
        raise DataError(
            f"{name}: {m} support vectors are announced, {len(lines) - start} lines follow: it is cut short."
        )
    K = C * (C - 1) // 2 if classifies else 1
    table, columns, d = _rows(lines, start, C - 1 if classifies else 1, kernel_type == "precomputed", name)
    width = d if n_features is None else int(n_features)
    if width < d:
        raise ValueError(f"the file has {d} features; n_features={n_features} is fewer")
    return Parsed(
        name,
        svm_type,
        kernel_type,
        _whole(head, "degree", name, 1)[0] if "degree" in head else 3,
        _reals(head, "gamma", name, 1)[0] if "gamma" in head else None,
        float(_reals(head, "coef0", name, 1)[0]) if "coef0" in head else 0.0,
        labels,
        nr_sv,
        _reals(head, "rho", name, K),
        *_probabilities(head, K, svm_type, name),
        table,
        columns if kernel_type == "precomputed" else _matrix(columns, m, width),
        width,
    )


def _head(lines: list[str], name: str) -> tuple[dict[str, list[str]], int]:
    head: dict[str, list[str]] = {}
    for k, line in enumerate(lines):
        key, *values = line.split() or [""]
        if key == "SV":
            return head, k + 1
        _require_key(key, line, k, name)
        head[key] = values
    raise DataError(f'{name}: expected a LIBSVM model with a line "SV"; there is none.')


def check_start(start: bytes, name: str) -> None:
    """Raise DataError unless the first bytes of a file are those of a LIBSVM model, before all of it is read."""
    line = (start.decode("utf-8", "replace").splitlines() or [""])[0]
    _require_key((line.split() or [""])[0], line, 0, name)


def _require_key(key: str, line: str, k: int, name: str) -> None:
    if key not in _KEYS.split():
        raise DataError(f"{name}, line {k + 1}: expected a LIBSVM model; it says {line[:40]!r}.")


def _rows(lines: list[str], start: int, width: int, gram: bool, name: str) -> tuple[Floats, Any, int]:
    """Return coefficients (width, m), and the vectors as (values, places, ends), or as columns of a Gram matrix."""
    table, values, places, ends = np.zeros((width, len(lines) - start)), [], [], [0]
    for k, line in enumerate(lines[start:]):
        try:
            words = line.split()
            table[:, k] = [float(word) for word in words[:width]]
            found = [(int(place), float(value)) for place, value in (word.split(":") for word in words[width:])]
            if gram:
                found = [pair for pair in found if pair[0] == 0]
            steps = [place for place, _ in found]
            right = steps == sorted(set(steps)) and (len(found) == 1 if gram else all(0 < p < _WIDEST for p in steps))
            if not (right and np.isfinite(table[:, k]).all() and np.isfinite([value for _, value in found]).all()):
                raise ValueError
        except (ValueError, OverflowError):
            raise DataError(
                f"{name}, line {start + k + 1}: expected {width} coefficients and place:value pairs in order, "
                f"got {line[:40]!r}."
            ) from None
        values += [value for _, value in found]
        places += steps
        ends.append(len(values))
    if gram:
        if not all(0.0 < value <= _WIDEST and value.is_integer() for value in values):
            raise DataError(f"{name}: expected columns of a Gram matrix from 1.")
        columns = np.array(values).astype(np.intp) - 1
        return table, columns, int(columns.max(initial=-1)) + 1
    return table, (values, places, ends), max(places, default=1)


def _matrix(parts: Any, m: int, d: int) -> Any:
    from scipy import sparse

    values, places, ends = parts
    X = sparse.csr_array((np.array(values, dtype=np.float64), np.array(places, dtype=np.int64) - 1, ends), shape=(m, d))
    return X.toarray() if X.nnz >= _FULL * m * d else X


def _probabilities(
    head: dict[str, list[str]], K: int, svm_type: str, name: str
) -> tuple[Floats | None, Floats | None, Floats | None]:
    """Return `scale`, `shift` and `marks`."""
    if svm_type == "one_class":
        return None, None, _reals(head, "prob_density_marks", name, 10) if "prob_density_marks" in head else None
    if "probA" not in head:
        return None, None, None
    A = -_reals(head, "probA", name, K)
    if svm_type in ("epsilon_svr", "nu_svr"):
        return -A, None, None
    return (A, -_reals(head, "probB", name, K), None) if "probB" in head else (None, None, None)


def _wrong(name: str, key: str, wanted: str) -> DataError:
    return DataError(f"{name}: expected {key} to be {wanted}; it is not. The file is not one that LIBSVM wrote.")


def _one_of(head: dict[str, list[str]], key: str, known: tuple[str, ...], name: str) -> str:
    if len(head.get(key, [])) != 1 or head[key][0] not in known:
        raise _wrong(name, key, f"one of {', '.join(known)}")
    return head[key][0]


def _whole(head: dict[str, list[str]], key: str, name: str, count: int = 1) -> list[int]:
    try:
        values = [int(value) for value in head.get(key, [])]
    except ValueError:
        values = []
    if len(values) != count or any(abs(value) >= 1 << 53 for value in values):
        raise _wrong(name, key, f"{count} whole number{'s' if count > 1 else ''}")
    return values


def _reals(head: dict[str, list[str]], key: str, name: str, count: int) -> Floats:
    try:
        values = np.array([float(value) for value in head.get(key, [])])
    except ValueError:
        values = np.zeros(0)
    if len(values) != count or not np.isfinite(values).all():
        raise _wrong(name, key, f"{count} number{'s' if count > 1 else ''}")
    return values
