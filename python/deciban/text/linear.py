"""Linear text models: a score that is affine in the words, and the counts that tell of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..data.text_layout import LINEAR, WEIGHTINGS
from ..solvers.limits import check_positive
from ..store import Stored
from .corpus import Corpus
from .minimised import MinimisedText, Words, packed, read, seed_of, told
from .served import ServedText
from .settings import TextSettings
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
        made = of.load()(**parameters, random_state=seed_of(settings), time_limit=time_limit, n_jobs=n_jobs)
        if self.weighting == "unit-idf" and "calibration" in made.get_params():
            made.set_params(calibration=None)  # done by `temperature_as_judged`
        return made

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that it has."""
        return ESTIMATORS[self.model].takes

    def learn(
        self, settings: TextSettings, corpus: Corpus, *, time_limit: float | None = None, n_jobs: int | None = None
    ) -> LinearText:
        """The model of these examples."""
        return LinearText.learn(self, settings, corpus, time_limit=time_limit, n_jobs=n_jobs)

    def to_json(self) -> dict[str, Any]:
        """As the file's header keeps it."""
        values = asdict(self)
        del values["model"]
        return {name: float(value) if isinstance(value, int) else value for name, value in values.items()}


@dataclass(frozen=True, kw_only=True)
class LinearText(MinimisedText):
    """score(item) = prior + Σ_j x_j W_j, in nats; learnt from all examples at once.

    `weights` (K, C) and `prior` (C,) are little-endian float64.
    """

    declared: Linear
    weights: bytes
    prior: bytes

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
        book, dropped, named, X, y, weight = Words.of(settings, corpus, n_jobs)
        weighed = weigh(declared.weighting, X, weight)
        found = declared.estimator(settings, time_limit, n_jobs).fit(weighed.rows, y, weight)
        if weighed.stretch is not None:
            found.temperature_ = temperature_as_judged(found, weighed, y, weight, seed_of(settings))
        W, prior = map(packed, weighed.of_words(found.scorer_))
        return cls(
            declared=declared,
            settings=settings,
            classes=corpus.classes,
            book=book,
            weights=W,
            prior=prior,
            proof=told(found.certificate_, corpus.classes),
            dropped=dropped,
            words=named,
        )

    def compile(self, n_jobs: int | None = None) -> ServedText:
        """The model as it judges."""
        hashes, _, _, words, ends = self.book.parts()
        return ServedText(
            self.settings,
            self.classes,
            hashes=packed(hashes),
            weights=self.weights,
            prior=self.prior,
            bias=self.prior,
            words=words,
            ends=packed(ends),
            n_jobs=n_jobs,
        )

    # The file.

    def header(self) -> dict[str, Any]:
        """What the file's header keeps of the model; ValueError for labels that JSON does not know."""
        return self._header("linear")

    def arrays(self, served: ServedText) -> dict[str, NDArray[Any]]:
        """What the file keeps: the score, and the words with their counts."""
        return {
            "score.weights": np.frombuffer(served.weights, "<f8"),
            "score.prior": np.frombuffer(served.prior, "<f8"),
            **self._words(),
        }

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """The model in a file that `store.read` has checked."""
        header = stored.header
        weights, prior = (bytes(stored.tensors[f"score.{part}"].data) for part in ("weights", "prior"))
        return cls(weights=weights, prior=prior, **read(stored, Linear(header["model"], **header["linear"])))
