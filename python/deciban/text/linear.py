"""A text model that is learnt by minimising: a linear score over the words, and the counts that tell of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .._core import Dictionary, Wordbook
from ..distributions import Counts
from ..errors import DataError
from ..models.limits import check_positive
from ..store import Stored, narrowest
from ..trust.certificate import Certificate
from .corpus import Corpus
from .labels import storable
from .served import ServedText
from .settings import LINEAR, WEIGHTINGS, TextSettings
from .weighting import temperature_as_judged, weigh


class Estimator(NamedTuple):
    """Where a linear model is, which parameters of `Linear` it takes, and what else it is given."""

    module: str
    name: str
    takes: tuple[str, ...]
    given: dict[str, Any]

    def load(self) -> Any:
        """The class, imported when it is needed."""
        return getattr(import_module(f"..models.{self.module}", __package__), self.name)


# Its cost is that of the words that are there; of the words that there are, it asks nothing.
_DUAL = {"solver": "dual-coordinate"}
ESTIMATORS: dict[str, Estimator] = {
    "nbsvm": Estimator("nbsvm", "NBSVM", ("C", "alpha"), _DUAL),  # it weighs words by itself
    "logistic": Estimator("logistic", "LogisticRegression", ("C", "weighting"), {"multi_class": "ovr", **_DUAL}),
    "svm": Estimator("linear_svm", "LinearSVM", ("C", "weighting"), {"loss": "squared_hinge", **_DUAL}),
    "perceptron": Estimator("perceptron", "Perceptron", ("weighting",), {"averaged": True}),
    "least-squares": Estimator("least_squares_classifier", "LeastSquaresClassifier", ("alpha", "weighting"), {}),
}


@dataclass(frozen=True)
class Linear:
    """Which linear model.

    model      one of `text.settings.LINEAR`
    C          what errors weigh against the penalty, where the model has such a price
    alpha      pseudo-count of a word (NBSVM), or what the penalty weighs (least squares)
    weighting  "idf": a rare word's 1 is larger than that of a frequent one; "unit-idf": so, and every item is as long
               as another while the model learns; or "none"

    idf_j = 1 + ln((1 + N)/(1 + n_j)) for a word in n_j of N items (Spärck Jones 1972), divided by the quadratic mean
    of the rows' lengths, so that C means the same whatever the length of texts. "unit-idf" takes idf^(3/2) and divides
    each row by its own length; instead of an intercept the model has a word that is in every item, so that its verdict
    is the same before and after the division; its probabilities are calibrated after. Weights and weighting are
    multiplied before anything is judged: the score stays affine in the words.
    """

    model: str
    C: float | None = None
    alpha: float | None = None
    weighting: str = "none"

    def check(self) -> None:
        """ValueError for parameters that make no sense."""
        if self.model not in LINEAR:
            raise ValueError(f"model must be one of {', '.join(map(repr, LINEAR))}, got {self.model!r}")
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting must be 'unit-idf', 'idf' or 'none', got {self.weighting!r}")
        takes = ESTIMATORS[self.model].takes
        if self.weighting != "none" and "weighting" not in takes:
            raise ValueError(f"{self.model!r} weighs words by itself: weighting must be 'none', got {self.weighting!r}")
        for name in sorted(set(takes) - {"weighting"}):
            if not np.isfinite(check_positive(name, getattr(self, name))):
                raise ValueError(f"{name} must be finite for texts, got {getattr(self, name)!r}")

    def estimator(self, settings: TextSettings, time_limit: float | None = None, n_jobs: int | None = None) -> Any:
        """The model, to be fitted to rows of items that are read with these settings."""
        self.check()
        of = ESTIMATORS[self.model]
        parameters = {name: getattr(self, name) for name in of.takes if name != "weighting"} | of.given
        if self.model == "nbsvm":
            parameters["binary"] = settings.binary
        if self.weighting == "unit-idf":
            parameters["fit_intercept"] = False
        made = of.load()(**parameters, random_state=_seed(settings), time_limit=time_limit, n_jobs=n_jobs)
        if self.weighting == "unit-idf" and "calibration" in made.get_params():
            made.set_params(calibration=None)  # done by `temperature_as_judged`
        return made

    def to_json(self) -> dict[str, Any]:
        """As the file's header keeps it."""
        values = asdict(self)
        del values["model"]
        return {name: float(value) if isinstance(value, int) else value for name, value in values.items()}


@dataclass(frozen=True)
class LinearText:
    """score(item) = prior + Σ_j x_j W_j, in nats; learnt from all examples at once.

    `book` counts the words of the dictionary by class, as naive Bayes would: what `inspect` tells comes from there.
    `weights` (K, C) and `prior` (C,) are little-endian float64; `proof` is the certificate as the file keeps it. It
    cannot learn on or forget: that would be another minimum, of examples that are no longer there.
    """

    declared: Linear
    settings: TextSettings
    classes: tuple[Any, ...]
    book: Wordbook
    weights: bytes
    prior: bytes
    proof: dict[str, Any]
    dropped: int = 0

    @classmethod
    def learn(
        cls,
        declared: Linear,
        settings: TextSettings,
        corpus: Corpus,
        *,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> Self:
        """The model of these examples, the same in whichever order they are read.

        Cost: two passes over the items, one to count the words and one to look them up, and the fit.
        """
        declared.check()
        book, dropped = corpus.count(settings, n_jobs)
        book = _of_dictionary(book, settings)
        if not len(book):
            raise DataError("No words were found in the items: nothing to learn from.")
        dictionary = Dictionary(
            settings.reader(),
            _bytes(book.parts()[0]),
            binary=settings.binary,
            hashed_bits=settings.hashed_bits,
            n_jobs=n_jobs,
        )
        order = corpus.order()
        X, y = corpus.rows(dictionary)[order], corpus.y[order]
        weight = None if corpus.weight is None else corpus.weight[order]
        weighed = weigh(declared.weighting, X, weight)
        found = declared.estimator(settings, time_limit, n_jobs).fit(weighed.rows, y, weight)
        if weighed.stretch is not None:
            found.temperature_ = temperature_as_judged(found, weighed, y, weight, _seed(settings))
        counts = {str(corpus.classes[c]): n for c, n in found.certificate_.class_counts.items()}
        proof = replace(found.certificate_, class_counts=counts).to_json()
        W, prior = map(_bytes, weighed.of_words(found.score_))
        return cls(declared, settings, corpus.classes, book, W, prior, proof, dropped)

    @property
    def name(self) -> str:
        """The model's name, as the command knows it."""
        return self.declared.model

    def dictionary(self) -> NDArray[np.int64]:
        """Rows of the book that are features: all of them."""
        return np.arange(len(self.book), dtype=np.int64)

    def counts(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint64], Counts]:
        """Hashes of the given rows of the book, and how often each was seen in each class."""
        hashes, counts = self.book.rows(rows)
        return hashes, Counts(np.array(self.book.items), np.ascontiguousarray(counts.T))

    def compile(self, n_jobs: int | None = None) -> ServedText:
        """The model as it judges."""
        hashes, _, _, words, ends = self.book.parts()
        return ServedText(
            self.settings,
            self.classes,
            hashes=_bytes(hashes),
            weights=self.weights,
            prior=self.prior,
            bias=self.prior,
            words=words,
            ends=_bytes(ends),
            n_jobs=n_jobs,
        )

    def certificate(self, seconds: float = 0.0) -> Certificate:
        """What was minimised, and how close to the minimum the fit came."""
        proof = {name: value for name, value in self.proof.items() if name != "relative_gap"}
        by_label = dict(zip(map(str, self.classes), self.classes, strict=True))
        try:
            counts = {by_label[label]: n for label, n in proof.pop("class_counts").items()}
            return Certificate(**proof, class_counts=counts, seconds=seconds)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"The model's certificate is damaged: {error}. Train again.") from error

    # The file.

    def header(self) -> dict[str, Any]:
        """What the file's header keeps of the model; ValueError for labels that JSON does not know."""
        return {
            "model": self.name,
            "classes": storable(self.classes),
            "text": self.settings.to_json(),
            "linear": self.declared.to_json(),
            "dropped": self.dropped,
            "certificate": self.proof,
        }

    def arrays(self, served: ServedText) -> dict[str, NDArray[Any]]:
        """What the file keeps: the score, and the words with their counts."""
        hashes, counts, items, words, ends = self.book.parts()
        return {
            "score.weights": np.frombuffer(served.weights, "<f8"),
            "score.prior": np.frombuffer(served.prior, "<f8"),
            "state.hashes": hashes,
            "state.counts": narrowest(counts),
            "state.items": items,
            "state.words": np.frombuffer(words, "u1"),
            "state.ends": ends,
        }

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """The model in a file that `store.read` has checked."""
        header, tensors = stored.header, stored.tensors
        hashes, counts, items, words, ends = (
            tensors[f"state.{part}"] for part in ("hashes", "counts", "items", "words", "ends")
        )
        weights, prior = (bytes(tensors[f"score.{part}"].data) for part in ("weights", "prior"))
        declared = Linear(header["model"], **header["linear"])
        try:
            seen = counts.array().astype(np.float64)
            book = Wordbook(hashes.array(), seen, items.array(), bytes(words.data), ends.array())
            declared.check()
        except ValueError as error:
            raise DataError(f"{stored.name}: its model is damaged: {error}. Train again.") from error
        settings, classes = TextSettings.from_json(header["text"]), tuple(header["classes"])
        return cls(declared, settings, classes, book, weights, prior, header["certificate"], header["dropped"])


def _of_dictionary(book: Wordbook, settings: TextSettings) -> Wordbook:
    """The words that are features: the most frequent ones, or all buckets."""
    k, seen = settings.max_features, len(book)
    if k is None or k >= seen or settings.hashed_bits:
        return book
    rows = book.most_frequent(k)
    return Wordbook(*book.rows(rows), np.array(book.items), *book.packed_names(rows))


def _seed(settings: TextSettings) -> int:
    return settings.key % 2**32


def _bytes(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
