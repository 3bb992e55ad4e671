"""Counts of tokens that Python made, and which tokens become columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Frequencies:
    """In how many texts a token must be, and how many tokens become columns.

    least  min_df: a whole number of texts, or a share of them
    most   max_df, the same
    size   max_features, or None for all
    """

    least: int | float
    most: int | float
    size: int | None

    @property
    def see_texts(self) -> bool:
        """Whether it matters in how many texts a token is."""
        return not (_is_whole(self.least) and self.least <= 1 and not _is_whole(self.most) and self.most >= 1.0)

    def check(self) -> None:
        """Raise ValueError for what is no frequency."""
        for name, value in (("min_df", self.least), ("max_df", self.most)):
            good = value >= 1 if _is_whole(value) else isinstance(value, Real) and 0.0 <= value <= 1.0
            if isinstance(value, (bool, np.bool_)) or not good:
                raise ValueError(
                    f"{name} must be a float in the range [0.0, 1.0], a share of the texts, or an int from 1, a number "
                    f"of texts; got {value!r}."
                )

    def keep(self, texts: int, documents: Ints, occurrences: Callable[[], NDArray[Any]]) -> NDArray[np.intp]:
        """Return which tokens become columns, ascending: by the texts each is in, and how often it occurs.

        Of tokens that occur equally often the first are kept. ValueError if none is.
        """
        least = self.least if _is_whole(self.least) else self.least * texts
        most = self.most if _is_whole(self.most) else self.most * texts
        if most < least:
            raise ValueError(f"max_df corresponds to < documents than min_df: {most} and {least}. Raise max_df.")
        kept = np.flatnonzero((documents >= least) & (documents <= most))
        if self.size is not None and self.size < len(kept):
            order = np.argsort(-np.asarray(occurrences())[kept], kind="stable")
            kept = kept[np.sort(order[: self.size])]
        if not len(kept):
            raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        return kept


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral)


def count_tokens(
    documents: Iterable[Iterable[Any]], vocabulary: Mapping[Any, int] | None = None
) -> tuple[sparse.csr_array, list[Any]]:
    """Return CSR (N, d) counts of tokens, and the tokens: those of the vocabulary, or all in order of occurrence."""
    known: dict[Any, int] = {} if vocabulary is None else dict(vocabulary)
    features, counts, ends = array("q"), array("q"), array("q", [0])
    for tokens in documents:
        row: dict[int, int] = {}
        for token in tokens:
            j = known.get(token)
            if j is None:
                if vocabulary is not None:
                    continue
                j = known[token] = len(known)
            row[j] = row.get(j, 0) + 1
        features.extend(row)
        counts.extend(row.values())
        ends.append(len(features))
    index = np.int32 if max(len(features), len(known)) < 2**31 else np.int64
    indices, starts = np.array(features, dtype=index), np.array(ends, dtype=index)
    width = max(vocabulary.values(), default=-1) + 1 if vocabulary is not None else len(known)
    X = sparse.csr_array((np.array(counts, dtype=np.float64), indices, starts), shape=(len(ends) - 1, width))
    X.sort_indices()
    return X, list(known)


def fix_vocabulary(given: Any) -> dict[Any, int]:
    """Return token → column of a vocabulary that the user gives; ValueError for one that is none."""
    if isinstance(given, Mapping):
        found = {token: int(j) for token, j in given.items()}
        if len(set(found.values())) < len(found):
            raise ValueError("Vocabulary contains repeated indices. Expected one column per term.")
        if set(found.values()) != set(range(len(found))):
            missing = next(j for j in range(len(found)) if j not in set(found.values()))
            raise ValueError(
                f"Vocabulary of size {len(found)} doesn't contain index {missing}. Expected the columns 0 to "
                f"{len(found) - 1}."
            )
    else:
        tokens = sorted(given) if isinstance(given, (set, frozenset)) else list(given)
        found = {}
        for token in tokens:
            if token in found:
                raise ValueError(f"Duplicate term in vocabulary: {token!r}. Expected distinct terms.")
            found[token] = len(found)
    if not found:
        raise ValueError("empty vocabulary passed to fit. Expected at least one term.")
    return found
