"""`sklearn.feature_extraction.text` by `TextVectorizer`."""

from __future__ import annotations

from typing import Any

from sklearn.feature_extraction import text

from deciban import TextVectorizer

from .adapter import Adapter, NotOffered, refuse, standing_for


class Vectorizer(Adapter):
    def fit(self, X: Any, y: Any = None) -> Any:
        return self._learn("fit", X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return self.fit(X).transform(X)

    def model(self) -> Any:
        for name, *neutral in (
            ("input", "content"),
            ("preprocessor", None),
            ("tokenizer", None),
            ("stop_words", None),
            ("analyzer", "word"),
            ("max_df", 1.0),
            ("min_df", 1, 1.0),
            ("vocabulary", None),
            ("strip_accents", None),
        ):
            refuse(name, self.__dict__.get(name, neutral[0]), *neutral)
        return TextVectorizer(self.ngram_range, binary=self.binary, **self.more())

    def more(self) -> dict[str, Any]:
        return {"max_features": self.max_features}

    def build_analyzer(self) -> Any:
        raise NotOffered("not offered: build_analyzer")

    build_preprocessor = build_tokenizer = build_analyzer


@standing_for(text.CountVectorizer)
class CountVectorizer(Vectorizer):
    pass


@standing_for(text.HashingVectorizer)
class HashingVectorizer(Vectorizer):
    def more(self) -> dict[str, Any]:
        return {"hashed_bits": self.n_features.bit_length() - 1}


@standing_for(text.TfidfVectorizer)
class TfidfVectorizer(Vectorizer):
    def model(self) -> Any:
        raise NotOffered("not offered: TF-IDF")


@standing_for(text.TfidfTransformer)
class TfidfTransformer(Adapter):
    def fit(self, X: Any, y: Any = None) -> Any:
        return self._learn("fit", X, y)

    def model(self) -> Any:
        raise NotOffered("not offered: TF-IDF")
