"""Whether rows equal those that a model was trained on, by a sketch of these: sums, to which rows are added and from
which they are taken, whatever their order.

    f_b = Σ_rows ±1, of the rows whose hash is in bucket b;    E f·g = Σ_r n_r m_r

over the distinct rows r, which occur n_r times among the one rows and m_r among the others (Alon, Gibbons, Matias &
Szegedy, Tracking join and self-join sizes in limited storage, PODS 1999). Rows drawn anew meet the N training rows
f·f / N − 1 times each, by chance; training rows once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.data.columns import Columns
from deciban.data.rows import is_sparse, stretches

Hashes = NDArray[np.uint64]
SIZE = 2048
"""Sums that are kept."""
_FEWEST, _DEVIATIONS = 0.2, 4.0
_UNSEEN = "\0"


def hash_rows(columns: Columns, matrix: Any, labels: Sequence[str]) -> Hashes:
    """Return (N,) hashes of rows (N, d), dense or CSR, and their labels: of the numbers that are not 0 and of the names
    of categories, which have other codes where more are known."""
    found = np.zeros(matrix.shape[0], np.uint64)
    named = np.flatnonzero(columns.of_kind("category")).tolist()
    for part in stretches(matrix):
        rows, sums = matrix[part], found[part]
        if is_sparse(rows):
            lengths = np.diff(rows.indptr)
            row, column, values = np.repeat(np.arange(len(lengths)), lengths), rows.indices, rows.data
        else:
            row, column = np.nonzero(rows)
            values = rows[row, column]
        kept = (values != 0.0) & ~np.isin(column, named)
        row, column, values = row[kept], column[kept], values[kept]
        cells = np.where(np.isnan(values), np.nan, values).astype(np.float64).view(np.uint64)
        np.add.at(sums, row, _mix(cells + _key(column)))
        for j in () if is_sparse(rows) else named:
            names = np.array([_hash(str(each)) for each in columns.categories[j] or ()] + [_hash(_UNSEEN)], np.uint64)
            codes = rows[:, j]
            there = (codes >= 0.0) & (codes < len(names))
            own = names[np.where(there, codes, len(names) - 1).astype(np.intp)]
            sums += np.where(np.isnan(codes), np.uint64(0), _mix(own + _key(np.array(j))))
    by_label = {label: _hash(label) for label in {*labels}}
    return _mix(found + np.array([by_label[label] for label in labels], np.uint64))


def _key(column: Any) -> Hashes:
    return _mix(column.astype(np.uint64) + np.uint64(1))


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _mix(x: Hashes) -> Hashes:
    """Return the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014)."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


@dataclass(frozen=True, eq=False)
class KnownRows:
    """The sums (2048,) of n rows."""

    sums: NDArray[np.int64]
    n: int

    @classmethod
    def of(cls, hashes: Hashes) -> Self:
        """Make the sketch of rows (N,)."""
        bucket = (hashes % np.uint64(SIZE)).astype(np.intp)
        ones = np.where(hashes >> np.uint64(63), -1, 1)
        return cls(np.bincount(bucket, ones, SIZE).astype(np.int64), len(hashes))

    def plus(self, more: KnownRows) -> KnownRows:
        """Return the sketch of these rows and more."""
        return KnownRows(self.sums + more.sums, self.n + more.n)

    def minus(self, less: KnownRows) -> KnownRows:
        """Return the sketch of these rows without others."""
        return KnownRows(self.sums - less.sums, self.n - less.n)

    def find(self, rows: KnownRows) -> int:
        """Return how many of these rows the sketch has, about; 0 if it may be none: where that is less than a fifth, or
        less than four standard deviations of what is estimated."""
        if not rows.n or self.n <= 0:
            return 0
        if rows.n == self.n and (rows.sums == self.sums).all():
            return rows.n
        own, other = float(self.sums @ self.sums), float(rows.sums @ rows.sums)
        both = float(self.sums @ rows.sums)
        share = both / rows.n - max(own / self.n - 1.0, 0.0)
        deviation = (own * other / SIZE) ** 0.5 / rows.n + (2.0 / SIZE) ** 0.5 * own / self.n
        known = share >= max(_FEWEST, _DEVIATIONS * deviation)
        return round(rows.n * min(share, 1.0)) if known else 0

    def to_json(self) -> dict[str, Any]:
        """Return what a file's header keeps."""
        return {"n": self.n, "sums": self.sums.tolist()}

    @classmethod
    def from_json(cls, kept: Any) -> Self | None:
        """Return what a file's header holds; None where it holds no sketch."""
        n, sums = (kept.get("n"), kept.get("sums")) if isinstance(kept, dict) else (None, None)
        if type(n) is not int or type(sums) is not list or len(sums) != SIZE:
            return None
        sound = all(type(each) is int and abs(each) < 1 << 53 for each in (n, *sums))
        return cls(np.array(sums, np.int64), n) if sound else None
