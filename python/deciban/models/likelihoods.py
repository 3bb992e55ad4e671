"""From what a user says of the features to one distribution of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.data.columns import Columns
from deciban.data.frame import columns_of, is_frame, name_column
from deciban.data.rows import Rows
from deciban.distributions import Bernoulli, Categorical, Distribution, Gaussian, Mixed, by_name
from deciban.distributions.categorical import CategoryCounts
from deciban.distributions.gaussian import SmoothedGaussian
from deciban.distributions.mixed import MixedStatistics
from deciban.distributions.priors import check_shape, is_vector, select_pseudo_counts
from deciban.errors import DataError

# So many columns of one distribution are a part of their own; files are written by these parts.
_TOGETHER = 1 << 15


def needs_types(likelihood: object, X: Rows) -> bool:
    """Return whether the columns of X are read each by its own type, not as one matrix of numbers."""
    if isinstance(likelihood, Mapping) or (isinstance(likelihood, str) and likelihood == "auto"):
        return True
    categorical = likelihood == "categorical" or isinstance(likelihood, Categorical)
    return categorical and (is_frame(X) or _holds_objects(X))


def check_likelihood(likelihood: object) -> None:
    """Raise ValueError for names that stand for no distribution."""
    options = likelihood.values() if isinstance(likelihood, Mapping) else [likelihood]
    for option in options:
        if option is not None and not (isinstance(option, str) and option == "auto") and not _is_object(option):
            by_name(option)


def _is_object(option: object) -> bool:
    return hasattr(option, "missing") and not isinstance(option, type)


def not_of_text(name: Any, likelihood: Any) -> str:
    """Return what is wrong with a column of text where a distribution of numbers was asked for."""
    return (
        f"{name_column(name)} holds text, which is 'categorical' and cannot be {likelihood!r}: "
        "say 'categorical' or 'auto', or give it as numbers"
    )


def _holds_objects(X: Rows) -> bool:
    if hasattr(X, "dtype"):
        return X.dtype.kind in "OUS"
    return isinstance(X, list | tuple) and np.array(X, dtype=object).ndim == 2 and np.asarray(X).dtype.kind in "OUS"


def infer(likelihood: object, X: Any) -> Columns:
    """Return the columns of X, those that are to be categorical as categories."""
    columns: Columns
    if isinstance(likelihood, Mapping):
        wanted = {name: _describe_options(option) for name, option in likelihood.items()}
        _check_names(likelihood, columns_of(X).names)
        return Columns.infer(X, {name: kind for name, kind in wanted.items() if kind is not None})
    columns = Columns.infer(X)
    if isinstance(likelihood, str) and likelihood == "auto":
        return columns
    return Columns.infer(X, dict.fromkeys(columns.names, "category"))


def _describe_options(option: object) -> Literal["category"] | None:
    return "category" if option == "categorical" or isinstance(option, Categorical) else None


def _check_names(likelihood: Mapping[Any, Any], names: Sequence[Any]) -> None:
    strange = [name_column(name) for name in likelihood if name not in names]
    if strange:
        known = ", ".join(map(name_column, names[:20])) + (", …" if len(names) > 20 else "")
        raise ValueError(f"likelihood names {', '.join(strange[:5])}, which is not there; the columns are {known}")
    unnamed = [name_column(name) for name in names if name not in likelihood]
    if unnamed:
        raise ValueError(
            f"likelihood names a distribution for every column, but none for {', '.join(unnamed[:5])}"
            f"{' and others' if len(unnamed) > 5 else ''}: add them, with None to leave a column out"
        )
    if all(option is None for option in likelihood.values()):
        raise ValueError("likelihood leaves every column out: name a distribution for one at least")


class Prior(NamedTuple):
    """Parameters of distributions that are given by name: see those of `NaiveBayes`."""

    alpha: Any = 1.0
    binarize: float | None = 0.0
    var_smoothing: float = 0.0
    min_categories: Any = None

    def of_columns(self, js: list[int]) -> Prior:
        """Return the same for some columns."""
        least = self.min_categories
        part = tuple(least[j] for j in js) if isinstance(least, tuple) else least
        return self._replace(alpha=select_pseudo_counts(self.alpha, js), min_categories=part)


def distribution(likelihood: object, prior: Prior, columns: Columns | None) -> Distribution:
    """Return the distribution of all features, by name, by object or column by column."""
    if columns is None:
        one: Distribution = _one(likelihood, prior)
        return one
    if isinstance(likelihood, Mapping):
        options = [likelihood[name] for name in columns.names]
    elif isinstance(likelihood, str) and likelihood == "auto":
        options = list(columns.likelihoods())
    else:
        options = [likelihood] * len(columns.names)
    _check_length(prior, len(columns.names))
    parts = []
    for every in _groups(options, prior, columns):
        for js in _split(every, options[every[0]], prior):
            family = _one(options[js[0]], prior.of_columns(js))
            parts.append((tuple(js), with_sizes(family, columns, js)))
    return Mixed(tuple(parts), len(columns.names))


def _groups(options: Sequence[Any], prior: Prior, columns: Columns) -> list[list[int]]:
    """Return the columns of each distribution; what is no name, and what has the alpha of its columns, is told
    apart."""
    vector = is_vector(prior.alpha)
    plain = prior._replace(alpha=1.0, min_categories=None) if vector else prior
    groups: dict[Any, list[int]] = {}
    for option, js in _by_option(options):
        if option is not None:
            family = _one(option, plain)
            for j in js if "category" in columns.kinds else ():
                _check_kind(family, columns, j)
            groups.setdefault((family, vector and not _is_object(option)), []).extend(js)
    return [sorted(js) for js in groups.values()]


def _split(js: list[int], option: object, prior: Prior) -> list[list[int]]:
    """Put very many columns into pieces, where they share nothing: what is computed takes the memory of a piece."""
    apart = isinstance(option, str) and by_name(option) is Gaussian and not prior.var_smoothing
    size = _TOGETHER if apart else len(js)
    return [js[at : at + size] for at in range(0, len(js), size)]


def _by_option(options: Sequence[Any]) -> Iterator[tuple[Any, list[int]]]:
    """Yield each option once, with its columns; there may be a million of them."""
    keys = options if set(map(type, options)) == {str} else [o if isinstance(o, str) else id(o) for o in options]
    place = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    asked = np.fromiter(map(place.__getitem__, keys), np.intp, len(keys))
    for k in range(len(place)):
        js = np.flatnonzero(asked == k).tolist()
        yield options[js[0]], js


def least_categories(given: object) -> int | tuple[int, ...] | None:
    """Return `min_categories` as a whole number or one a feature; ValueError for what is neither."""
    if given is None:
        return None
    counts = np.asarray(given)
    if counts.dtype.kind not in "iu" or counts.ndim > 1 or counts.size == 0 or (counts < 1).any():
        raise ValueError(f"min_categories must be None, a whole number from 1 or one a feature, got {given!r}")
    return int(counts) if counts.ndim == 0 else tuple(counts.tolist())


def _check_length(prior: Prior, d: int) -> None:
    least = prior.min_categories
    if isinstance(least, tuple) and len(least) != d:
        raise ValueError(f"min_categories has {len(least)} numbers, but X has {d} features. Give one a feature.")
    if is_vector(prior.alpha) and np.shape(prior.alpha)[-1] != d:
        check_shape("alpha", np.shape(prior.alpha), 1, d)


def _one(option: object, prior: Prior) -> Any:
    if _is_object(option):
        return option
    if isinstance(option, str) and option == "bernoulli":
        return Bernoulli(prior.alpha, prior.alpha, prior.binarize)
    family = by_name(option)
    if family is Categorical:
        return Categorical(prior.alpha, prior.min_categories)
    if family is Gaussian and prior.var_smoothing:
        return SmoothedGaussian(kappa=prior.alpha, nu=prior.alpha, var_smoothing=prior.var_smoothing)
    return family.symmetric(prior.alpha)


def _check_kind(family: Any, columns: Columns, j: int) -> None:
    if columns.kinds[j] == "category" and not isinstance(family, Categorical):
        raise DataError(not_of_text(columns.names[j], family.name))


def with_sizes(family: object, columns: Columns, js: list[int]) -> Any:
    """Return the distribution of columns js, which knows how many categories each of them has."""
    if not isinstance(family, Categorical):
        return family
    least = family.sizes if isinstance(family.sizes, tuple) else (int(family.sizes or 1),) * len(js)
    known = (len(columns.categories[j] or ()) for j in js)
    return replace(family, sizes=tuple(map(max, known, least)))


def recode(counts: MixedStatistics, old: Columns, new: Columns) -> MixedStatistics:
    """Return statistics of rows as `old` codes them, as `new` codes them, whose categories include the old ones."""
    moved = old.recoding(new)
    if all(codes is None for codes in moved):
        return counts
    parts = []
    for columns, part in zip(counts.columns, counts.parts, strict=True):
        if isinstance(part, CategoryCounts):
            sizes = tuple(len(new.categories[j] or ()) for j in columns)
            codes = [_codes(moved[j], k) for j, k in zip(columns, part.sizes, strict=True)]
            part = part.recode(tuple(codes), sizes).trim()
        parts.append(part)
    return MixedStatistics(counts.n, counts.columns, tuple(parts))


def _codes(moved: NDArray[np.intp] | None, k: int) -> NDArray[np.intp]:
    """Return the new codes of the first k old ones."""
    return np.arange(k) if moved is None else moved[:k]


def without_the_forgotten(
    before: MixedStatistics, after: MixedStatistics, columns: Columns, declared: tuple[frozenset[Any], ...]
) -> tuple[MixedStatistics, Columns]:
    """Return statistics and columns without the categories of which nothing is left.

    What had no count before either, or is `declared` by the column's type, is known without being seen, and stays.
    """
    categories, parts = list(columns.categories), []
    for js, was, left in zip(after.columns, before.parts, after.parts, strict=True):
        if isinstance(left, CategoryCounts):
            stay = [label in declared[j] for j in js for label in categories[j] or ()]
            left, kept = _remove_forgotten(was, left, np.array(stay), tuple(len(categories[j] or ()) for j in js))
            for j, codes in zip(js, kept, strict=True):
                categories[j] = tuple((categories[j] or ())[k] for k in codes)
        parts.append(left)
    return MixedStatistics(after.n, after.columns, tuple(parts)), replace(columns, categories=tuple(categories))


def _remove_forgotten(
    was: CategoryCounts, left: CategoryCounts, stay: NDArray[np.bool_], sizes: tuple[int, ...]
) -> tuple[CategoryCounts, list[Any]]:
    was, left = was.of_sizes(sizes), left.of_sizes(sizes)
    gone = was.s.any(axis=0) & ~left.s.any(axis=0) & ~stay
    kept = [np.flatnonzero(~part) for part in np.split(gone, left.offsets[1:-1])]
    s = left.s[:, ~gone]
    smaller = replace(left, s=s, sizes=tuple(map(len, kept)))
    return smaller.trim(), kept
