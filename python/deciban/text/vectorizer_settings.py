"""Parameters of `TextVectorizer`, checked once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from deciban.threads import effective_threads

from .parameters import settings_of
from .settings import TextSettings
from .token_counts import Frequencies

MOST = {"word": 5, "char": 16, "char_wb": 16}
"""The longest n-grams that the core makes, in words and in characters."""
_ENDLESS = 1 << 16
_CHOICES: dict[str, tuple[Any, ...]] = {
    "input": ("content", "file", "filename"),
    "decode_error": ("strict", "ignore", "replace"),
    "norm": (None, "l1", "l2"),
}
# What changes how an item is read, and its default.
_READING: dict[str, Any] = {
    "analyzer": "word",
    "token_pattern": None,
    "tokenizer": None,
    "preprocessor": None,
    "strip_accents": None,
    "lowercase": True,
    "encoding": None,
}


@dataclass(frozen=True)
class VectorizerSettings:
    """What the parameters amount to.

    text            kind, sizes of n-grams, max_features, hashed_bits, binary and key
    frequencies     which words of the texts become columns
    n_features      so many features by scikit-learn's hash, or None
    alternate_sign  whether these add with a sign
    n_jobs          threads
    """

    text: TextSettings
    frequencies: Frequencies
    n_features: int | None
    alternate_sign: bool
    n_jobs: int | None


def check_settings(estimator: Any) -> VectorizerSettings:
    """Return the settings of an estimator's parameters; ValueError for what makes no sense, or not together."""
    _check_choices(estimator)
    sizes = _sizes(estimator)
    text = replace(settings_of(_OneWord(estimator)), words=sizes)
    frequencies = Frequencies(estimator.min_df, estimator.max_df, text.max_features)
    frequencies.check()
    _check_hashing(estimator, frequencies)
    n_features = None if estimator.n_features is None else int(estimator.n_features)
    signed = bool(estimator.alternate_sign)
    threads = None if estimator.n_jobs is None else effective_threads(estimator.n_jobs)
    return VectorizerSettings(text, frequencies, n_features, signed, threads)


def is_hashed(estimator: Any) -> bool:
    """Return whether features are buckets of a hash."""
    return estimator.hashed_bits is not None or estimator.n_features is not None


def is_stateless(estimator: Any) -> bool:
    """Return whether there is nothing to be learnt from texts."""
    return (is_hashed(estimator) or estimator.vocabulary is not None) and not estimator.use_idf


class _OneWord:
    """An estimator's parameters but for the sizes of n-grams, which are checked apart."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self.words = (1, 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._estimator, name)


def _check_choices(estimator: Any) -> None:
    for name, choices in _CHOICES.items():
        value = getattr(estimator, name)
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")
    analyzer = estimator.analyzer
    if not callable(analyzer) and analyzer not in MOST:
        raise ValueError(
            f"{analyzer!r} is not a valid tokenization scheme/analyzer. Expected 'word', 'char', 'char_wb' or a "
            "callable."
        )
    for name in ("tokenizer", "preprocessor"):
        value = getattr(estimator, name)
        if value is not None and not callable(value):
            raise ValueError(f"{name} must be a callable or None; got {value!r}.")
    changed = [name for name, default in _READING.items() if getattr(estimator, name) != default]
    if estimator.kind == "mail" and changed:
        raise ValueError(
            f"kind='mail' reads messages in its own way; got {changed[0]}={getattr(estimator, changed[0])!r}. Leave "
            "it out, or use kind='text'."
        )
    built_in = estimator.tokenizer is None and estimator.token_pattern is None and estimator.preprocessor is None
    if analyzer == "word" and built_in and not estimator.lowercase:
        raise ValueError(
            "lowercase=False has no effect on the built-in tokeniser, which always folds case. Expected "
            r"token_pattern or tokenizer beside it; scikit-learn's is token_pattern=r'(?u)\b\w\w+\b'."
        )


def _sizes(estimator: Any) -> tuple[int, int]:
    """Return the shortest and the longest n-gram."""
    name, given = "words", estimator.words
    if estimator.ngram_range is not None:
        if tuple(given) not in ((1, 1), tuple(estimator.ngram_range)):
            raise ValueError(
                f"words and ngram_range are the same; got words={given!r} and ngram_range={estimator.ngram_range!r}. "
                "Leave one out."
            )
        name, given = "ngram_range", estimator.ngram_range
    sizes: tuple[Any, ...] = tuple(given)
    core = estimator.analyzer == "word" and estimator.tokenizer is None and estimator.token_pattern is None
    most = MOST["word"] if core else _ENDLESS
    whole = len(sizes) == 2 and all(isinstance(n, Integral) for n in sizes)
    if whole and sizes[0] > sizes[1] and name == "ngram_range":
        raise ValueError(
            f"Invalid value for ngram_range={given} lower boundary larger than the upper boundary. Expected "
            "(shortest, longest)."
        )
    if not whole or not 1 <= sizes[0] <= sizes[1] <= most:
        limit = f" ≤ {most}" if core else ""
        raise ValueError(f"{name}=(shortest, longest) with 1 ≤ shortest ≤ longest{limit} expected, got {given!r}")
    return int(sizes[0]), int(sizes[1])


def _check_hashing(estimator: Any, frequencies: Frequencies) -> None:
    n = estimator.n_features
    if n is not None and not (isinstance(n, Integral) and 1 <= int(n) < 2**31):
        raise ValueError(f"n_features must be None or a whole number from 1 below 2^31; got {n!r}.")
    if not is_hashed(estimator):
        return
    hashing = "n_features" if n is not None else "hashed_bits"
    clashes = {
        "hashed_bits and n_features": n is not None and estimator.hashed_bits is not None,
        f"vocabulary and {hashing}": estimator.vocabulary is not None,
        f"min_df or max_df and {hashing}": frequencies.see_texts,
    }
    for names, both in clashes.items():
        if both:
            raise ValueError(f"{names} do not go together: hashed features have no dictionary. Leave one out.")
    if estimator.sublinear_tf and n is not None and estimator.alternate_sign:
        raise ValueError("sublinear_tf is of counts, which alternate_sign makes negative. Use alternate_sign=False.")
