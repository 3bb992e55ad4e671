"""Linear models of texts: a score that is affine in the words."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.text_layout import LINEAR, WEIGHTINGS
from ..scores import AffineScore
from ..scores.tensors import affine_from
from ..store import Stored
from .corpus import Corpus
from .encoder import WordEncoder
from .minimised import MinimisedText, Words, read_off_words, restore_minimised, seed_of
from .settings import TextSettings
from .weighting import Weighing, mark_words, weigh

if TYPE_CHECKING:
    from ..calibration.scaling import Scaling
    from ..certificates.bound import Probabilities


class Estimator(NamedTuple):
    """Where a linear model is, which parameters of `Linear` it takes, and what else it is given."""

    module: str
    name: str
    takes: tuple[str, ...]
    given: dict[str, Any]

    def load(self) -> Any:
        """Return the class, imported when it is needed."""
        return getattr(import_module(f"..models.{self.module}", __package__), self.name)


ESTIMATORS: dict[str, Estimator] = {
    "nbsvm": Estimator("nbsvm", "NBSVM", ("C", "alpha"), {}),  # it weighs words by itself
    "logistic": Estimator("logistic", "LogisticRegression", ("C", "weighting"), {"multi_class": "ovr"}),
    "svm": Estimator("linear_svm", "LinearSVM", ("C", "weighting"), {"loss": "squared_hinge"}),
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
    each row by its own length; instead of an intercept the model has a word that is in every item, a fifth of the mean
    length, so that its verdict is the same before and after the division. Scores become log-odds by a line, see
    `calibration.lines`. Weights and weighting are multiplied before anything is judged: the score stays affine in the
    words.
    """

    model: str
    C: float | None = None
    alpha: float | None = None
    weighting: str = "none"

    def check(self) -> None:
        """Raise ValueError for parameters that make no sense."""
        from ..solvers.limits import check_positive

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

    def estimator(
        self,
        settings: TextSettings,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> Any:
        """Return the model, to be fitted to rows of items that are read with these settings."""
        self.check()
        of = ESTIMATORS[self.model]
        parameters = {name: getattr(self, name) for name in of.takes if name != "weighting"} | of.given
        if self.model == "nbsvm":
            parameters["binary"] = settings.binary
        if self.weighting == "unit-idf":
            parameters["fit_intercept"] = False
        made = of.load()(**parameters, random_state=seed_of(settings), time_limit=time_limit, n_jobs=n_jobs)
        if "calibration" in made.get_params():
            made.set_params(calibration=None)  # done by `calibration.lines`, if at all
        return made

    @property
    def takes(self) -> tuple[str, ...]:
        """The parameters that it has."""
        return ESTIMATORS[self.model].takes

    def learn(
        self, settings: TextSettings, corpus: Corpus, *, time_limit: float | None = None, n_jobs: int | None = None
    ) -> MinimisedText:
        """Learn these examples; the model is the same in whichever order they are read.

        Cost: two passes over the tokens, one to count the words and one to look them up, and the fit.
        """
        self.check()
        words = Words.of(settings, corpus, n_jobs)
        weighing, rows = weigh(self.weighting, words.X, words.weight)
        found, line = self.estimator(settings, time_limit, n_jobs), None
        if corpus.tried:
            found.fit(rows, words.y, words.weight)
        else:
            from ..calibration.lines import Examples  # and scikit-learn, for which only those wait who learn

            seed, stretch = seed_of(settings), weighing.stretch(rows)
            line = Examples(rows, words.y, words.weight, seed, stretch, mark_words(rows)).fit(found)
        return self.of_fit(corpus.classes, words.encoder(settings), found, weighing, line)

    def of_fit(
        self,
        classes: tuple[Any, ...],
        encoder: WordEncoder,
        found: Any,
        weighing: Weighing,
        line: tuple[Scaling | None, Probabilities] | None,
    ) -> MinimisedText:
        """Return the model of an estimator that was fitted to weighed rows of places in `classes`, and the line of its
        scores, if one was looked for."""
        score, proof = AffineScore(*weighing.of_words(found.scorer_)), found.certificate_
        if line is not None:
            scaling, how = line
            score = score if scaling is None else score.scaled(scaling.slope, scaling.offset)
            proof = replace(proof, calibration=how)
        return MinimisedText(
            settings=self, classes=classes, encoder=encoder, scorer=score, proof=read_off_words(proof, classes)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as a file's header keeps them."""
        values = asdict(self)
        del values["model"]
        return {name: float(value) if isinstance(value, int) else value for name, value in values.items()}

    @classmethod
    def from_stored(cls, stored: Stored) -> MinimisedText:
        """Return the model in a file that `store.read` has checked."""
        return restore_minimised(stored, cls(stored.header["model"], **stored.header["linear"]))

    @staticmethod
    def score_from(arrays: dict[str, NDArray[Any]], words: int, classes: int) -> AffineScore:
        """Return the score that the tensors of a file hold; ValueError for what cannot be one."""
        return affine_from({**arrays, "weights": arrays["weights"].reshape(words, classes)}, words, classes)
