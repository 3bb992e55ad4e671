"""`sklearn.feature_extraction.text` by `TextVectorizer` and `TfidfTransformer`."""

from __future__ import annotations

from typing import Any

from sklearn.feature_extraction import text

from deciban import TextVectorizer
from deciban import TfidfTransformer as Weigher

from .adapter import Adapter, Transformer, substitute

_PATTERN = r"(?u)\b\w\w+\b"
_SAME = [
    "input",
    "encoding",
    "decode_error",
    "strip_accents",
    "lowercase",
    "preprocessor",
    "tokenizer",
    "stop_words",
    "token_pattern",
    "ngram_range",
    "analyzer",
    "binary",
    "dtype",
    "max_df",
    "min_df",
    "max_features",
    "vocabulary",
    "n_features",
    "alternate_sign",
    "norm",
    "use_idf",
    "smooth_idf",
    "sublinear_tf",
]


class Weighing(Transformer):
    """An adapter whose weights of words can be given to it before it is fitted."""

    def _kept(self) -> Any:
        """The model, which stays from now on."""
        if "_fitted" not in self.__dict__:
            self._fitted = self.model()
        return self._fitted

    @property
    def idf_(self) -> Any:
        return self._fitted.idf_

    @idf_.setter
    def idf_(self, value: Any) -> None:
        self._kept().idf_ = value


class Vectorizer(Weighing):
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        Adapter.used.add(type(self).__name__)
        self._fitted = self.model()
        return self._fitted.fit_transform(X, y)

    def build_analyzer(self) -> Any:
        return self.model().build_analyzer()

    def build_preprocessor(self) -> Any:
        return self.model().build_preprocessor()

    def build_tokenizer(self) -> Any:
        return self.model().build_tokenizer()

    def model(self) -> Any:
        options = {"max_features": None} | {name: self.__dict__[name] for name in _SAME if name in self.__dict__}
        if options["token_pattern"] == _PATTERN and (options["tokenizer"] is not None or options["analyzer"] != "word"):
            del options["token_pattern"]  # scikit-learn does not warn of its own default, which has no effect here
        return TextVectorizer(**options)

    @property
    def vocabulary_(self) -> Any:
        return self._kept().vocabulary_

    @property
    def fixed_vocabulary_(self) -> bool:
        return self.vocabulary is not None


@substitute(text.CountVectorizer)
class CountVectorizer(Vectorizer):
    pass


@substitute(text.HashingVectorizer)
class HashingVectorizer(Vectorizer):
    def transform(self, X: Any) -> Any:
        return self.model().transform(X)


@substitute(text.TfidfVectorizer)
class TfidfVectorizer(Vectorizer):
    pass


@substitute(text.TfidfTransformer)
class TfidfTransformer(Weighing):
    def model(self) -> Any:
        names = ("norm", "use_idf", "smooth_idf", "sublinear_tf")
        return Weigher(**{name: getattr(self, name) for name in names})
