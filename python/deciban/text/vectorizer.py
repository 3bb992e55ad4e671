"""Text to rows of word counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from deciban.declared_types import Estimator, Whole

from .._core import Dictionary
from .counting import count, listed
from .parameters import settings_of


class TextVectorizer(TransformerMixin, Estimator):  # type: ignore[misc]
    """Words and n-grams of a text as a row of counts.

        x_j = how often word j of the dictionary occurs in the text       (binary: 1 if it does)

    The dictionary holds the `max_features` words seen most often in `fit`; `hashed_bits` does without: the
    feature of a word is then the top bits of its hash. Words are Unicode-aware, lower-cased and counted in one
    pass over the bytes, on all cores; the same texts give the same matrix for any number of them.

    Parameters
    ----------
    words : (shortest, longest) n-grams, in words.
    max_features : size of the dictionary; None keeps every word.
    hashed_bits : None, or b for 2^b features by hash (max_features does not apply).
    binary : record presence instead of counts.
    kind : "text", or "mail" for raw messages, whose headers, links and form become words with a prefix.
    random_state : None or an int, the key of the hash.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Attributes: `vocabulary_` (word → column), `n_features_` columns. `transform` gives CSR (N, d) float64.
    A text is a str, or bytes in any charset. Cost: one pass over the bytes and one look-up per word.

    >>> rows = TextVectorizer(words=(1, 1)).fit(["free money", "Free lunch, free talk"])
    >>> rows.get_feature_names_out().tolist()
    ['free', 'lunch', 'money', 'talk']
    >>> rows.transform(["free FREE talk"]).toarray().tolist()
    [[2.0, 0.0, 0.0, 1.0]]
    """

    def __init__(
        self,
        words: tuple[Whole, Whole] = (1, 1),
        *,
        max_features: Whole | None = 10_000,
        hashed_bits: Whole | None = None,
        binary: bool = False,
        kind: str = "text",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.words = words
        self.max_features = max_features
        self.hashed_bits = hashed_bits
        self.binary = binary
        self.kind = kind
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, texts: Iterable[str | bytes], y: object = None) -> Self:
        """Choose the dictionary: the most frequent words of `texts`, in the order of their names."""
        settings, texts = settings_of(self), listed(texts)
        if settings.hashed_bits is not None:
            self.n_features_ = 1 << settings.hashed_bits
            hashes = np.empty(0, dtype=np.uint64)  # every bucket is a column
            self._names: NDArray[Any] | None = None
        else:
            book, _ = count(settings, texts, [0] * len(texts), 1)
            rows = book.most_frequent(min(settings.max_features or len(book), len(book)))
            names = np.array(book.names(rows.tolist()), dtype=object)
            order = np.argsort(names, kind="stable")
            hashes, self._names = book.rows(rows)[0][order], names[order]
            self.n_features_ = len(rows)
        self._dictionary = Dictionary(
            settings.reader(),
            np.ascontiguousarray(hashes).tobytes(),
            binary=settings.binary,
            hashed_bits=settings.hashed_bits,
        )
        self._hashes = hashes
        return self

    def transform(self, texts: Iterable[str | bytes]) -> sparse.csr_array:
        """CSR (N, d) float64 of `texts`."""
        check_is_fitted(self, "n_features_")
        ends, features, values = self._dictionary.rows(texts)
        starts = np.concatenate([[0], ends])
        return sparse.csr_array((values, features, starts), shape=(len(ends), self.n_features_))

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Word → column."""
        return {name: j for j, name in enumerate(self.get_feature_names_out())}

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """(d,) names of the columns; "bucket j" where features are hashed."""
        check_is_fitted(self, "n_features_")
        if self._names is not None:
            return self._names
        return np.array([f"bucket {j}" for j in range(self.n_features_)], dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in super().__getstate__().items() if k != "_dictionary"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_hashes" in state:
            settings = settings_of(self)
            self._dictionary = Dictionary(
                settings.reader(),
                np.ascontiguousarray(self._hashes).tobytes(),
                binary=settings.binary,
                hashed_bits=settings.hashed_bits,
            )
