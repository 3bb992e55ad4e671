"""From what users pass to tokens: what reads, decodes, prepares and cuts a text, in the core or in Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .._core import Reader
from ..lazy import cached_property
from .vectorizer_settings import MOST, check_settings


@dataclass(frozen=True)
class Analysis:
    """How an item becomes tokens.

    reader   the core's, which counts on all cores; None where a Python callable makes the tokens
    prepare  what makes an item ready for the reader; None where it is ready as it comes
    tokens   the tokens of an item, in order
    """

    reader: Reader | None
    prepare: Callable[[Any], Any] | None
    tokens: Callable[[Any], Iterable[Any]]

    def ready(self, items: list[Any]) -> list[Any]:
        """Return the items as the reader takes them."""
        return items if self.prepare is None else [self.prepare(item) for item in items]


def analysis_of(estimator: Any, sizes: tuple[int, int], key: int) -> Analysis:
    """Return how an estimator with these parameters reads n-grams of these sizes, with this key of the hash."""
    analyzer, prepare = estimator.analyzer, _prepare_of(estimator)
    if not _is_core(estimator, sizes):
        tokens = Chain(decoder_of(estimator), sklearn_of(estimator, sizes).build_analyzer())
        return Analysis(None, None, tokens)
    stop = stop_list(estimator.stop_words) if analyzer == "word" else None
    folds = bool(estimator.lowercase) and estimator.preprocessor is None
    core = CoreTokens((estimator.kind, sizes, key, analyzer, tuple(sorted(stop or ())), folds))
    return Analysis(core.reader, prepare, core if prepare is None else Chain(prepare, core))


@dataclass(frozen=True)
class Chain:
    """One callable after another, which can be pickled if they can."""

    first: Callable[[Any], Any]
    then: Callable[[Any], Any]

    def __call__(self, item: Any) -> Any:
        return self.then(self.first(item))


@dataclass(frozen=True)
class CoreTokens:
    """The tokens of an item by a reader of the core with these arguments."""

    arguments: tuple[Any, ...]

    @cached_property
    def reader(self) -> Reader:
        """The reader."""
        return Reader(*self.arguments)

    def __call__(self, item: Any) -> list[str]:
        return self.reader.tokens(item)

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self.arguments}


@dataclass(frozen=True)
class Decoder:
    """From an item to its text: reads it where it is a file, decodes it where it is bytes."""

    place: str
    encoding: str | None
    errors: str

    def __call__(self, item: Any) -> Any:
        if self.place == "filename":
            with open(item, "rb") as file:
                item = file.read()
        elif self.place == "file":
            item = item.read()
        if isinstance(item, bytes):
            return _text_of(item) if self.encoding is None else item.decode(self.encoding, self.errors)
        if item is np.nan:
            raise ValueError("np.nan is an invalid document, expected byte or unicode string.")
        return item


def decoder_of(estimator: Any) -> Decoder:
    """Return what turns an item into a text."""
    return Decoder(estimator.input, estimator.encoding, estimator.decode_error)


@cache
def vectorizer_class() -> Any:
    """Return scikit-learn's vectoriser, the same ever after."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer


def sklearn_of(estimator: Any, sizes: tuple[int, int]) -> Any:
    """Return the scikit-learn vectoriser whose callables do what these parameters ask for in Python."""
    tokenizer, pattern = estimator.tokenizer, estimator.token_pattern
    if tokenizer is None and pattern is None:
        tokenizer = _words_of
    return vectorizer_class()(
        strip_accents=estimator.strip_accents,
        lowercase=estimator.lowercase,
        preprocessor=estimator.preprocessor,
        tokenizer=tokenizer,
        stop_words=estimator.stop_words,
        token_pattern=pattern,
        ngram_range=sizes,
        analyzer=estimator.analyzer,
    )


def stop_list(given: Any) -> frozenset[str] | None:
    """Return the words that are passed over; ValueError for a list that there is not."""
    if given is None:
        return None
    if isinstance(given, str):
        if given == "english":
            from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

            return frozenset(ENGLISH_STOP_WORDS)
        raise ValueError(f"not a built-in stop list: {given}. Expected 'english', or a list of words.")
    return frozenset(map(str, given))


def warn_of_unused(estimator: Any, sizes: tuple[int, int]) -> None:
    """Warn, in the words of scikit-learn, of parameters that others make without effect."""
    own, unused = estimator, []
    if own.tokenizer is not None and own.token_pattern is not None:
        unused.append(("token_pattern", "'tokenizer' is not None"))
    if callable(own.analyzer):
        unused += [("preprocessor", "'analyzer' is callable")] * (own.preprocessor is not None)
        unused += [("ngram_range", "'analyzer' is callable")] * (sizes != (1, 1))
    if own.analyzer != "word":
        names = ("stop_words", "token_pattern", "tokenizer")
        unused += [(name, "'analyzer' != 'word'") for name in names if getattr(own, name) is not None]
    for name, why in unused:
        warnings.warn(f"The parameter '{name}' will not be used since {why}", UserWarning, stacklevel=4)
    given = own.vocabulary if isinstance(own.vocabulary, (Mapping, list, tuple, set)) else ()
    if own.lowercase and any(isinstance(term, str) and any(map(str.isupper, term)) for term in given):
        warnings.warn(
            "Upper case characters found in vocabulary while 'lowercase' is True. These entries will not be matched "
            "with any documents",
            UserWarning,
            stacklevel=4,
        )


def _text_of(item: bytes) -> str:
    return Reader("text").view(item)[0]


def _words_of(text: str) -> list[str]:
    return Reader("text").tokens(text)


def _is_core(estimator: Any, sizes: tuple[int, int]) -> bool:
    """Return whether the core's reader does what is asked for."""
    analyzer = estimator.analyzer
    if callable(analyzer) or sizes[1] > MOST[analyzer]:
        return False
    return analyzer != "word" or (estimator.tokenizer is None and estimator.token_pattern is None)


def _prepare_of(estimator: Any) -> Callable[[Any], Any] | None:
    """Return what is done in Python before the core reads; None where nothing is."""
    own = estimator
    changes = own.preprocessor is not None or own.strip_accents is not None
    if not changes and own.input == "content" and own.encoding is None:
        return None
    decode = decoder_of(own)
    return Chain(decode, sklearn_of(own, (1, 1)).build_preprocessor()) if changes else decode


class BuildsAnalyzers:
    """The parts of a vectoriser that cut texts, by the names that scikit-learn gives them."""

    def decode(self, item: Any) -> Any:
        """Return the text of an item: read where it is a file, decoded where it is bytes.

        Parameters
        ----------
        item : str, bytes or file
            The item, as `input` says.

        Returns
        -------
        str
            The text.
        """
        return decoder_of(self)(item)

    def build_preprocessor(self) -> Callable[[Any], Any]:
        """Return the function that prepares a text before it is cut into tokens.

        Returns
        -------
        callable
            From a text to a prepared text.
        """
        return sklearn_of(self, (1, 1)).build_preprocessor()  # type: ignore[no-any-return]

    def build_tokenizer(self) -> Callable[[Any], Any]:
        """Return the function that cuts a prepared text into tokens.

        Returns
        -------
        callable
            From a prepared text to a list of tokens.
        """
        return sklearn_of(self, (1, 1)).build_tokenizer()  # type: ignore[no-any-return]

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the words that are left out.

        Returns
        -------
        frozenset of str or None
            The stop words; None where there are none.
        """
        return stop_list(self.stop_words)  # type: ignore[attr-defined]

    def build_analyzer(self) -> Callable[[Any], Any]:
        """Return the function that makes the features of an item, the n-grams that `fit` counts.

        Returns
        -------
        callable
            From an item to a list of features.
        """
        settings = check_settings(self)
        return analysis_of(self, settings.text.words, settings.text.key).tokens
