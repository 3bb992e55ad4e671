"""The features that a picture is of, and the plane of their space that it shows.

Examples are numbers there, and points are as the model wants to be asked of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from deciban.data.rows import Rows

from ..data.rows import as_rows, check_sparse, is_sparse
from ..errors import DataError
from ..losses import Floats

# So many numbers are asked about at once.
_AT_ONCE = 1 << 23


@dataclass(frozen=True, eq=False)
class Space:
    """rows (N, d), dense or CSR; names (d,).

    `columns` are those of the data frame that the model learnt, if it was one, and `like` is a frame of the library in
    which it is to be asked.
    """

    rows: Any
    names: tuple[str, ...]
    columns: list[str] | None = None
    like: Any = None

    @classmethod
    def of(cls, X: Any, names: Sequence[str] | None, model: Any) -> Self:
        """Make the space of X (N, d); DataError for what a picture cannot show."""
        if getattr(getattr(model, "kernel_", None), "name", "") == "precomputed":
            raise DataError("a picture needs features; a Gram matrix says how alike examples are, and has none")
        rows = _numbers(X)
        framed = hasattr(X, "columns") and not is_sparse(X)
        learnt = X.columns if framed else getattr(model, "feature_names_in_", None)
        columns = None if learnt is None or is_sparse(rows) else [str(name) for name in learnt]
        told = list(columns or [f"feature {j}" for j in range(rows.shape[1])]) if names is None else list(names)
        if len(told) != rows.shape[1]:
            raise ValueError(f"names: {rows.shape[1]} are expected, one for each feature, got {len(told)}")
        return cls(rows, tuple(map(str, told)), columns, X if framed else None)

    @property
    def examples(self) -> Any:
        """All examples, as the model is asked about them."""
        return self.asked(self.rows)

    def asked(self, rows: Any) -> Any:
        """Return points (n, d) as the model takes them."""
        if self.columns is None:
            return rows
        import narwhals as nw

        backend: Any = "polars" if self.like is None else nw.from_native(self.like, eager_only=True).implementation
        return nw.from_dict({name: rows[:, j] for j, name in enumerate(self.columns)}, backend=backend).to_native()

    def parts(self, count: int) -> Iterator[slice]:
        """Return slices of `count` points, each as large as fits into memory."""
        step = max(1, _AT_ONCE // self.rows.shape[1])
        return (slice(start, start + step) for start in range(0, count, step))


def _numbers(X: Rows) -> Any:
    try:
        rows: Any = as_rows(check_sparse(X)) if is_sparse(X) else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"a picture needs features that are numbers: {error}") from error
    if rows.ndim != 2 or 0 in rows.shape:
        raise DataError(f"a picture needs rows of numbers, (N, d); X has the shape {tuple(rows.shape)}")
    if not np.isfinite(rows.data if is_sparse(rows) else rows).all():
        raise DataError("a picture needs finite numbers; X has missing or infinite ones: fill them in first")
    return rows


# Up to so many features their covariance costs less than looking for two directions.
_NARROW = 1000
# A variance below this share of the squared mean is rounding: of dense rows, which are centred first, and of sparse.
_GRAIN = (1e-30, 1e-13)


@dataclass(frozen=True, eq=False)
class Plane:
    """The points origin + P·axes, P (n, k): origin (d,), axes (k, d) of length 1 and at right angles, k = 1 or 2.

    names (k,) are what the axes are called; `says` is how the plane lies among more features than k.

    >>> plane = Plane.of_features(np.array([[1.0, 2.0, 6.0], [3.0, 4.0, 8.0]]), (2, 0), ["a", "b", "c"])
    >>> plane.names, plane.points(np.array([[5.0, 9.0]])).tolist(), plane.shadows(np.eye(3)[:1]).tolist()
    (('c', 'a'), [[9.0, 3.0, 5.0]], [[0.0, 1.0]])
    """

    origin: Floats
    axes: Floats
    names: tuple[str, ...]
    says: str = ""

    @classmethod
    def of(cls, X: Any, features: Sequence[int] | None, names: Sequence[str], k: int = 2) -> Self:
        """Make the plane of X (N, d): of k features, of those asked for, else of the k leading components."""
        if features is not None:
            return cls.of_features(X, features, names)
        if X.shape[1] <= k:
            return cls.of_features(X, range(X.shape[1]), names)
        return cls.of_components(X, k)

    @classmethod
    def of_features(cls, X: Any, features: Sequence[int], names: Sequence[str]) -> Self:
        """Make the plane of some features through the mean of all others."""
        d, chosen = X.shape[1], list(features)
        origin = np.asarray(X.mean(axis=0), dtype=np.float64).reshape(-1)
        origin[chosen] = 0.0
        others = d - len(chosen)
        told = (
            "the other feature is at its mean" if others == 1 else f"the {others:,} other features are at their means"
        )
        return cls(origin, np.eye(d)[chosen], tuple(names[j] for j in chosen), told if others else "")

    @classmethod
    def of_components(cls, X: Any, k: int = 2) -> Self:
        """Make the plane through the mean, along the directions of the largest variance (Pearson 1901)."""
        from sklearn.decomposition import PCA

        mean = np.asarray(X.mean(axis=0), dtype=np.float64).reshape(-1)
        if not is_sparse(X):
            X = X - mean  # first: of large numbers squares lose what differs
        elif min(X.shape) <= k:
            X = X.toarray() - mean
        solver = "covariance_eigh" if X.shape[1] <= _NARROW else "full" if min(X.shape) <= k else "arpack"
        with np.errstate(invalid="ignore", divide="ignore"):
            found = PCA(min(k, *X.shape), svd_solver=solver, random_state=0).fit(X)
        known = float(found.explained_variance_[0]) > _GRAIN[is_sparse(X)] * float(mean @ mean)
        share = float(np.nan_to_num(found.explained_variance_ratio_).sum()) if known else 0.0
        axes = np.asarray(found.components_, dtype=np.float64)
        if share == 0.0 or len(axes) < k:
            raise DataError("a picture needs examples that differ; in these all features are the same")
        called = "principal component" if k == 1 else f"{k} leading principal components"
        says = f"through the mean of {X.shape[1]:,} features, along the {called}: {100 * share:.0f} % of the variance"
        return cls(np.asarray(found.mean_, dtype=np.float64), axes, tuple(f"component {i + 1}" for i in range(k)), says)

    @property
    def exact(self) -> bool:
        """Whether every example lies on the plane."""
        return not self.says

    def points(self, P: Floats) -> Floats:
        """Return (n, d) the points P (n, k) of the plane among the features."""
        return self.origin + P @ self.axes

    def shadows(self, X: Any) -> Floats:
        """Return (N, k) the orthogonal projections of examples on the plane."""
        fallen: Floats = np.asarray(X @ self.axes.T, dtype=np.float64) - self.axes @ self.origin
        return fallen


def check_features(features: Any, names: Sequence[str], k: int) -> list[int] | None:
    """Return the indices of k features that are asked for by index or by name; ValueError for what is none."""
    if features is None:
        return None
    asked = [features] if isinstance(features, int | str | np.integer) else list(features)
    places = [_place(each, names) for each in asked]
    if len(set(places)) != k or len(places) != k:
        wanted = "one feature is" if k == 1 else f"{k} different features are"
        raise ValueError(f"features: {wanted} expected, by place or by name, got {features!r}")
    return places


def _place(feature: Any, names: Sequence[str]) -> int:
    if isinstance(feature, str) and feature in names:
        return list(names).index(feature)
    if isinstance(feature, int | np.integer) and not isinstance(feature, bool) and 0 <= feature < len(names):
        return int(feature)
    few = ", ".join(repr(name) for name in names[:5]) + (", …" if len(names) > 5 else "")
    raise ValueError(f"features: 0 to {len(names) - 1} or one of {few} is expected, got {feature!r}")
