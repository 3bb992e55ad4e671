"""Text to rows of word counts, or of their TF-IDF."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from scipy import sparse

from deciban.data.declared_types import Estimator, Whole, parameters
from deciban.data.mixins import TransformerMixin
from deciban.data.validation import check_is_fitted
from deciban.threads import effective_threads

from ..data.transaction import all_or_nothing
from ..features.frames import in_container
from ..features.tfidf import inverse_frequency, weigh
from .analysis import BuildsAnalyzers, analysis_of, warn_of_unused
from .column_attributes import ColumnAttributes
from .routing import TEXTS_ARE_X
from .vectorizer_settings import check_settings, is_hashed, is_stateless
from .vocabulary import columns_of, documents_of


@parameters
class TextVectorizer(ColumnAttributes, BuildsAnalyzers, TransformerMixin, Estimator):
    """Words and n-grams of a text as a row of counts, or of their TF-IDF.

        x_j = how often word j of the dictionary occurs in the text       (binary: 1 if it does)

    The dictionary holds the `max_features` words seen most often in `fit`; `hashed_bits` does without: the
    feature of a word is then the top bits of its hash. Words are Unicode-aware, lower-cased and counted in one
    pass over the bytes, on all cores; the same texts give the same matrix for any number of them.

    The other parameters are those of scikit-learn's vectorisers and mean the same. Word and character n-grams,
    stop words, document frequencies, a fixed vocabulary and TF-IDF are as fast as the rest. `tokenizer`,
    `token_pattern` and a callable `analyzer` run in Python, text by text on one core, some ten times as slow;
    `preprocessor` and `strip_accents` run in Python before the words are read.

    Parameters
    ----------
    words : tuple of two ints, default=(1, 1)
        Shortest and longest n-grams, in words, or in characters where `analyzer` says so.
    max_features : int or None, default=10_000
        Size of the dictionary; None keeps every word.
    hashed_bits : int or None, default=None
        Number of bits: with b there are 2^b features by hash, and `max_features` does not apply.
    readable : bool, default=True
        Whether `fit` keeps the words that it meets, as names of hashed features: the 2^20 most frequent ones at most,
        some 40 MB. With False no word of the texts is kept, `fit` reads nothing, and features are "bucket j".
    binary : bool, default=False
        Record presence instead of counts.
    kind : {"text", "mail"}, default="text"
        "mail" for raw messages, whose headers, links and form become words with a prefix.
    random_state : int or None, default=None
        The key of the hash.
    n_jobs : int or None, default=None
        Threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment leave.
    ngram_range : tuple of two ints or None, default=None
        Name of `words` in scikit-learn; None leaves it to `words`.
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        What n-grams are made of: words, characters, or characters within words, each between two blanks. A callable
        makes the features of an item itself.
    min_df, max_df : float or int, default=1 and 1.0
        A word is in the dictionary if so many texts have it: a number of texts, or a share of them.
    stop_words : "english", list of str or None, default=None
        Words that are passed over before n-grams are made; "english" is scikit-learn's list.
    vocabulary : mapping of word to column, iterable of words, or None, default=None
        The dictionary, if it is given.
    token_pattern : str or None, default=None
        A regular expression of a token; None is the tokeniser of the core. r"(?u)\\b\\w\\w+\\b" is scikit-learn's.
    tokenizer, preprocessor : callable or None, default=None
        From a prepared text to a list of tokens; from a text to a prepared one.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        Whether and how accents are removed.
    lowercase : bool, default=True
        Whether upper case is read as lower case. The tokeniser of the core always does.
    input : {"content", "file", "filename"}, default="content"
        Whether items are texts, open files, or names of files.
    encoding : str or None, default=None
        Encoding of bytes; None is whatever it seems to be.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        What happens to bytes that are not of `encoding`.
    n_features : int or None, default=None
        So many features by the hash of scikit-learn's HashingVectorizer, in the same columns; `hashed_bits` is faster.
    alternate_sign : bool, default=True
        Whether the features of `n_features` add with a sign, so that collisions cancel on average.
    use_idf, smooth_idf, sublinear_tf : bool, default=False, True, False
        Whether a count is weighed by idf(t) = ln(N/df(t)) + 1, N and df one larger where smooth, and n is 1 + ln n.
    norm : {"l1", "l2"} or None, default=None
        What each row is divided by.
    dtype : dtype, default=numpy.float64
        Of the matrix.

    Attributes
    ----------
    vocabulary_ : dict
        Word → column.
    idf_ : ndarray of shape (n_features_,)
        Weight of each word; only with `use_idf`.
    n_features_ : int
        Number of columns.

    Examples
    --------
    >>> rows = TextVectorizer(words=(1, 1)).fit(["free money", "Free lunch, free talk"])
    >>> rows.get_feature_names_out().tolist()
    ['free', 'lunch', 'money', 'talk']
    >>> rows.transform(["free FREE talk"]).toarray().tolist()
    [[2.0, 0.0, 0.0, 1.0]]
    >>> TextVectorizer(hashed_bits=2).fit(["free money", "Free lunch, free talk"]).get_feature_names_out().tolist()
    ['bucket 0', 'lunch', 'free|money', 'talk']
    >>> TextVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit(["a free"]).get_feature_names_out().tolist()
    [' a ', ' fr', 'ee ', 'fre', 'ree']
    """

    words: tuple[Whole, Whole] = (1, 1)
    _: KW_ONLY
    max_features: Whole | None = 10_000
    hashed_bits: Whole | None = None
    readable: bool = True
    binary: bool = False
    kind: str = "text"
    random_state: int | None = None
    n_jobs: int | None = None
    ngram_range: tuple[int, int] | None = None
    analyzer: str | Callable[[Any], Any] = "word"
    min_df: int | float = 1
    max_df: int | float = 1.0
    stop_words: str | list[str] | None = None
    vocabulary: Any = None
    token_pattern: str | None = None
    tokenizer: Callable[[Any], Any] | None = None
    preprocessor: Callable[[Any], Any] | None = None
    strip_accents: str | Callable[[Any], Any] | None = None
    lowercase: bool = True
    input: str = "content"
    encoding: str | None = None
    decode_error: str = "strict"
    n_features: Whole | None = None
    alternate_sign: bool = True
    use_idf: bool = False
    smooth_idf: bool = True
    sublinear_tf: bool = False
    norm: str | None = None
    dtype: Any = np.float64

    __metadata_request__fit = TEXTS_ARE_X
    __metadata_request__partial_fit = TEXTS_ARE_X
    __metadata_request__transform = TEXTS_ARE_X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = not is_stateless(self)
        return tags

    def fit(self, texts: Iterable[str | bytes], y: object = None) -> Self:
        """Choose the dictionary: the most frequent words of `texts`, in the order of their names.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts, or what `input` says.
        y : None
            Ignored.

        Returns
        -------
        TextVectorizer
            The fitted vectoriser.
        """
        self._learn(texts)
        return self

    def fit_transform(self, texts: Iterable[str | bytes], y: object = None) -> Any:  # type: ignore[override]
        """Choose the dictionary, and return the rows of `texts`: each text is read once.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts, or what `input` says.
        y : None
            Ignored.

        Returns
        -------
        csr_array of shape (n_samples, n_features_), or what `set_output` asks for
            The rows.
        """
        X = self._learn(texts, rows=True)
        return in_container(self, self._weigh(X), self.get_feature_names_out, texts)

    def partial_fit(self, texts: Iterable[str | bytes], y: object = None) -> Self:
        """Return meet more words, which name features: only where these are hashed, which needs no dictionary.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts, or what `input` says; not read unless `readable`.
        y : None
            Ignored.

        Returns
        -------
        TextVectorizer
            The vectoriser.

        Raises
        ------
        ValueError
            If features are not hashed, or are weighed by document frequencies.
        """
        if not is_hashed(self) or self.use_idf:
            raise ValueError("partial_fit needs no dictionary: expected hashed_bits or n_features, and use_idf=False.")
        with all_or_nothing(self):
            if not hasattr(self, "n_features_"):
                self.fit([])
            if self.readable:
                settings, items = check_settings(self), documents_of(texts)
                analysis = analysis_of(self, settings.text.words, settings.text.key)
                self._columns.meet(settings, analysis, analysis.ready(items))
        return self

    def transform(self, texts: Iterable[str | bytes]) -> Any:
        """Return the rows of `texts`.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts, or what `input` says.

        Returns
        -------
        csr_array of shape (n_samples, n_features_), or what `set_output` asks for
            The rows.
        """
        self._require_columns()
        settings = check_settings(self)
        analysis = analysis_of(self, settings.text.words, settings.text.key)
        X = self._columns.rows(settings, analysis, analysis.ready(documents_of(texts)))
        return in_container(self, self._weigh(X), self.get_feature_names_out, texts)

    def _require_columns(self) -> None:
        if not hasattr(self, "n_features_") and is_stateless(self):
            self.fit([])
        check_is_fitted(self, "n_features_")

    def _learn(self, texts: Iterable[str | bytes], *, rows: bool = False) -> Any:
        """Choose the columns; the rows of the texts, before they are weighed, where they are needed."""
        settings, items = check_settings(self), documents_of(texts)
        warn_of_unused(self, settings.text.words)
        if self._number() != self.dtype:
            message = f"Only float 'dtype' should be used. {self.dtype} 'dtype' will be converted to np.float64."
            warnings.warn(message, UserWarning, stacklevel=3)
        analysis = analysis_of(self, settings.text.words, settings.text.key)
        self._columns, X = columns_of(
            settings, analysis, analysis.ready(items), self.vocabulary, rows=rows or self.use_idf
        )
        self.n_features_ = len(self._columns)
        self.__dict__.pop("_idf", None)
        if self.use_idf and X is not None and X.shape[0]:
            self._idf = inverse_frequency(X, smooth=self.smooth_idf).astype(self._number(), copy=False)
        return X

    def _weigh(self, X: sparse.csr_array) -> sparse.csr_array:
        idf = self.idf_ if self.use_idf else None
        threads = None if self.n_jobs is None else effective_threads(self.n_jobs)
        weighed = weigh(X, idf, sublinear=self.sublinear_tf, norm=self.norm, n_jobs=threads)
        return weighed.astype(self._number(), copy=False)

    def _number(self) -> Any:
        """Return the type of the matrix: weighed counts are no whole numbers."""
        weighed = self.use_idf or self.norm is not None or self.sublinear_tf
        return np.float64 if weighed and np.dtype(self.dtype).kind != "f" else self.dtype
