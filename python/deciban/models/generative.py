"""Models that learn p(x | c) by counting: state is the sufficient statistic, learning +, unlearning −."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban.attached import FindsLabelErrors, Reports, StatesBounds
from deciban.calibration.scaling import Scaling, more_cautious
from deciban.certificates.bound import POSTERIOR, Bound, Facts, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import add_bounds, add_choice
from deciban.certificates.intervals import credible_interval, widen_to_include
from deciban.claims import UNBOUNDED, Claims
from deciban.data.columns import Columns
from deciban.data.declared_types import Estimator
from deciban.data.devices import ask_on_host, fetch
from deciban.data.estimator import clone
from deciban.data.frame import name_column
from deciban.data.mixins import ClassifierMixin
from deciban.data.rows import Rows, is_sparse
from deciban.data.validation import check_is_fitted, column_or_1d, not_fitted
from deciban.distributions import Multinomial, StatisticError, fit_score
from deciban.distributions.counts import Floats
from deciban.distributions.priors import check_shapes, class_prior, prior_doubt
from deciban.scores import AffineScore, Explanation, Score, log_posterior, posterior, scale_score
from deciban.scores.evidence import claimed, winners
from deciban.verdict import Pair

from ..data.capacity import require_room
from ..data.transaction import all_or_nothing, named_refusals
from .callbacks import TellsCallbacks, report_to_callbacks
from .certified import certify
from .left_out import PARTS, Drawn, check_calibration, scaling_of_parts
from .likelihoods import recode, without_the_forgotten
from .reading import Reading, to_judge, to_learn
from .tally import Labels, Tally

Estimate = Literal["bayes", "predictive", "map", "ml"]
ClassPrior = Literal["empirical", "smoothed", "uniform"] | ArrayLike


class Generative(TellsCallbacks, Reports, FindsLabelErrors, StatesBounds, ClassifierMixin, Estimator):
    """A classifier by Bayes' rule whose p(x | c) is a distribution learnt from its sufficient statistics.

    A model says which distribution (`_family`), how X becomes numbers (`reading.read`, by its `columns_` where these
    have types), and takes `estimate` and `class_prior` as parameters; everything else is here.
    """

    estimate: str
    class_prior: ClassPrior
    calibration: str | None
    scaling_: Scaling | None = None
    _compiled: Score | None
    _kind: Any = None  # the type of the rows that were learnt first
    _choice: Bound | None = None  # what its choice among several told of its errors, when it was trained

    @abstractmethod
    def _family(self, columns: Any = None) -> Any:
        """Return the distribution of the features, given the parameters and the columns."""

    # Learning is +, unlearning −.

    @report_to_callbacks
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model to labelled examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            check_calibration(self.calibration)
            reading, tally = self._count(X, y, sample_weight, first=True)
            self.scaling_ = None
            self._become(tally, reading.columns)
            if self.calibration is not None:
                drawn = Drawn.of(reading.X, reading.y, reading.weight)
                self.scaling_ = scaling_of_parts(self, drawn, tally.counts)
            self._kind = reading.X.dtype
            self._compiled, self._choice = self._compile(), None
            self._seconds = perf_counter() - started
        return self

    def partial_fit(
        self, X: Rows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples; new labels make new classes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.
        y : array-like of shape (n_samples,)
            Labels.
        classes : array-like, optional
            Labels that may come later.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            first = not hasattr(self, "counts_")
            reading, more = self._count(X, y, sample_weight, first)
            if classes is not None:
                more += more.nothing(np.unique(column_or_1d(fetch(classes))))
            self._become(more if first else self._tally(reading.columns) + more, reading.columns)
            self._kind = reading.X.dtype if first else self._kind
            self._seconds = perf_counter() - started + (0.0 if first else self._seconds)
        return self

    def forget(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back rows that were learnt with these labels and weights; a class with nothing left goes, too.

        What is left has, to the last bit, the statistics of the other rows alone, in whatever order and pieces all were
        learnt: sums and products of measurements are kept unrounded, counts as long as they are whole numbers below 2⁵³
        (with fractional counts or weights they are rounded to float64). A model keeps sums, not rows, so it cannot know
        which rows it has learnt. It refuses what its sums prove impossible: more examples or counts than were learnt,
        values where no example is left, and variances or covariances that no data have. Other rows that were never
        learnt are subtracted all the same, and what is left is then the model of no data.

        Parameters
        ----------
        X : array-like, CSR matrix or data frame of shape (n_samples, n_features)
            Rows that were learnt.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            The weights with which they were learnt.

        Returns
        -------
        estimator
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a label was never learnt, or the sums prove that a row was not; the model is unchanged then.
        """
        check_is_fitted(self)
        with all_or_nothing(self):
            reading, less = self._count(X, y, sample_weight, first=False)
            before = self._tally(reading.columns)
            left, columns = before - less, reading.columns
            reading.family.check_counts(left.counts)
            if columns is not None and self.columns_ is not None:
                columns = replace(columns, kinds=self.columns_.kinds)
                counts, columns = without_the_forgotten(before.counts, left.counts, columns, reading.declared)
                left = replace(left, counts=counts)
            self._become(left.without_the_forgotten(), columns)
        return self

    def __add__(self, other: object) -> Self:
        """The model of both data sets together; both must have the same parameters and features."""
        if not isinstance(other, type(self)):
            return NotImplemented
        check_is_fitted(self)
        check_is_fitted(other)
        mine, theirs = self._merge_key(), other._merge_key()
        for name, value in mine.items():
            if not np.array_equal(value, theirs[name]):
                raise ValueError(f"cannot merge models of different {name}: {value!r} and {theirs[name]!r}")
        merged: Self = clone(self)
        merged.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            merged.feature_names_in_ = self.feature_names_in_
        if (self.columns_ is None) != (other.columns_ is None):
            raise ValueError("cannot merge models of different columns: one learnt from labels, the other from numbers")
        columns = None if self.columns_ is None or other.columns_ is None else self.columns_.union(other.columns_)
        merged._become(self._tally(columns) + other._tally(columns), columns)
        merged.scaling_ = more_cautious(*(each._scaling_among(merged.classes_) for each in (self, other)))
        merged._seconds = self._seconds + other._seconds
        merged._kind = self._kind if self._kind == other._kind else None
        return merged

    def __radd__(self, other: object) -> Self:
        """`sum(models)` begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _merge_key(self) -> dict[str, Any]:
        names = getattr(self, "feature_names_in_", None)
        return {**self.learning_params(), "n_features_in_": self.n_features_in_, "feature_names_in_": names}

    # Judging is one score.

    @ask_on_host
    def predict_joint_log_proba(self, X: Rows) -> Floats:
        """Return log p(x, c), the score itself: its differences are log-odds and do not saturate.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Scores, in nats.
        """
        return self._cast_answer(self._joint(X), X)

    @ask_on_host
    def predict(self, X: Rows) -> Labels:
        """Predict the label of the largest score; of equal ones the first in `classes_`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        winner = winners(self._joint(X))
        labels: Labels = self.classes_[winner]
        return labels

    @ask_on_host
    def predict_log_proba(self, X: Rows) -> Floats:
        """Return the log probability of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities log p(c | x).
        """
        return self._cast_answer(log_posterior(self._nats(X)), X)

    @ask_on_host
    def predict_proba(self, X: Rows) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities p(c | x).
        """
        return self._cast_answer(posterior(self._nats(X)), X)

    def _joint(self, X: Rows) -> Floats:
        """Return (N, C) log p(x, c) in double precision."""
        check_is_fitted(self)
        self._refuse_nothing()
        with named_refusals(self):
            matrix, family = to_judge(self, X)
            score = self._score_counts(matrix, family)
            if score is not None:
                return score
            rows = family.statistic(matrix)
        return self._score_possible(rows)

    def _score_counts(self, X: Any, family: Any) -> Floats | None:
        """Return (N, C) finite scores of CSR of counts, which are looked at while they are scored; None where X is
        something else, and must be examined."""
        if not (isinstance(family, Multinomial) and is_sparse(X) and isinstance(compiled := self.scorer_, AffineScore)):
            return None
        score = compiled.of_counts(X)
        return score if score is not None and (not score.size or np.isfinite(score.sum())) else None

    def _nats(self, X: Rows) -> Floats:
        """Return (N, C) scores in double precision, whose softmax is p(c | x), as far as the examples can tell it."""
        return claimed(self._joint(X), self._claims())

    def _claims(self) -> Claims:
        return UNBOUNDED if self.scaling_ is None else Claims(float(self.class_count_.sum()))

    def _keeps_single(self) -> bool:
        """Return whether float32 rows make float32 probabilities, as scikit-learn's estimator of the same name does."""
        return False

    def _cast_answer(self, values: Floats, X: Rows) -> Floats:
        """Return the values in single precision, where what was learnt and what is asked of are so."""
        single = self._kind == getattr(X, "dtype", None) == np.float32 and self._keeps_single()
        return values.astype(np.float32) if single else values

    def explain(self, X: Rows, *, pair: Pair | None = None) -> list[Explanation]:
        """Explain the predictions of examples by the evidence of each feature.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.
        pair : tuple of (label, label), optional
            Two labels: the evidence is for the first against the second. By default it is for the winner against its
            runner-up.

        Returns
        -------
        list of Explanation
            The explanation of each example, in decibans, the strongest terms first.
        """
        rows = self._rows_to_judge(X)
        self._score_possible(rows)
        labels, score, claims = self.classes_.tolist(), self.scorer_, self._claims()
        found = (score.explain(rows[[i]], labels, pair=pair, claims=claims) for i in range(rows.shape[0]))
        return [self._name_terms(each) for each in found]

    def credible_interval(self, X: Rows, level: float = 0.95) -> Floats:
        """Return a credible interval of the log-odds of the predicted label against its runner-up.

        The parameters are random given the data; mean and variance of the log-odds over their posterior are exact, its
        shape is taken as normal, which a sum of many terms comes near. Where the reported log-odds, which take the
        means of the parameters, lie beyond, the interval is extended to them. An interval that contains 0 leaves the
        verdict open. The prior is that of the distribution, whatever the estimate; features are taken as independent.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, or a data frame.
        level : float, default=0.95
            Probability that the interval contains the log-odds.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Ends of the interval, in nats.
        """
        return self._intervals(self._rows_to_judge(X), level)

    def _intervals(self, X: Rows, level: float = 0.95) -> Floats:
        """Return `credible_interval` of rows that are statistics already."""
        scores = self._score_possible(X)
        first, second = _first_two(scores)
        prior_mean, prior_variance = prior_doubt(self.class_prior, self.counts_.n)
        with np.errstate(over="ignore", invalid="ignore"):  # inputs of 1e300 have squares beyond a float64
            mean, variance = self._family().doubt(X, self.counts_)
            mean, variance, rows = mean + prior_mean, variance + prior_variance, np.arange(len(first))
            slope, offset = self._line()
            difference = slope * (mean[rows, first] - mean[rows, second]) + offset[first] - offset[second]
            apart = slope**2 * (variance[rows, first] + variance[rows, second])
        alone = first == second
        difference, apart = np.where(alone, 0.0, difference), np.where(alone, 0.0, apart)
        told = scores[np.arange(len(first)), first] - scores[np.arange(len(first)), second]
        return widen_to_include(credible_interval(difference, apart, level), np.where(alone, 0.0, told))

    # What was learnt, seen from several sides.

    @property
    def scorer_(self) -> Score:
        """The model as it judges, compiled from the counts when they have changed."""
        check_is_fitted(self)
        compiled = self._compiled
        if compiled is None:
            with all_or_nothing(self):
                compiled = self._compiled = self._compile()
        return compiled

    @property
    def class_count_(self) -> Floats:
        """(C,) weight of the examples of each class."""
        check_is_fitted(self)
        n: Floats = self.counts_.n
        return n

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        check_is_fitted(self)
        line = Probabilities(f"{self.calibration} on {PARTS} parts left out")
        return Facts(left_out="", probabilities=POSTERIOR if self.scaling_ is None else line)

    @property
    def certificate_(self) -> Certificate:
        """Objective and its optimality, from the counts alone, without a second pass over the data."""
        check_is_fitted(self)
        self._refuse_nothing()
        labels, d = self.classes_.tolist(), self.n_features_in_
        proof = certify(self._family(), self.counts_, self.estimate, self.class_prior, labels, d, self._seconds)
        return add_choice(add_bounds(self, proof), self._choice)

    # From what people bring to counts.

    def _count(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, first: bool) -> tuple[Reading, Tally]:
        """Return the statistics of a batch; rows of weight 0 are as if they were not there."""
        reading = to_learn(self, X, y, sample_weight, first)
        require_room(len(reading.labels), self._numbers_of_class(reading))
        counts = reading.family.count(reading.X, reading.y, reading.weight, len(reading.labels))
        return reading, Tally(reading.labels, counts, reading.labels[:0])

    def _draw(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None) -> Drawn:
        """Return those of a batch that was learnt which calibrate."""
        reading = to_learn(self, X, y, sample_weight, first=False)
        return Drawn.of(reading.X, np.searchsorted(self.classes_, reading.labels)[reading.y], reading.weight)

    def _calibrate_by(self, drawn: Drawn) -> None:
        """Calibrate the model, learnt in pieces, by what was drawn from all of them: as `fit` of all rows does."""
        self.scaling_ = scaling_of_parts(self, drawn, self.counts_)
        self._compiled, self._choice = self._compile(), None

    def _numbers_of_class(self, reading: Reading) -> float:
        """Return how many numbers a fit keeps for each class, as measured: statistics, unrounded, and parameters."""
        known = () if reading.columns is None else reading.columns.categories
        return 16.0 * float(reading.X.shape[1] + sum(map(len, filter(None, known))))

    def _rows_to_judge(self, X: Rows) -> Any:
        check_is_fitted(self)
        self._refuse_nothing()
        with named_refusals(self):
            matrix, family = to_judge(self, X)
            return family.statistic(matrix)

    def _encode_rows(self, matrix: Any) -> Any:
        """Return the statistic of rows that are coded already, as `columns_` codes them."""
        self._refuse_nothing()
        with named_refusals(self):
            return self._family().statistic(matrix)

    def _score_possible(self, X: Rows) -> Floats:
        """Return (N, C) scores; a row that is impossible in every class is refused."""
        score = self._score_statistic(X)
        if score.size and score.min() > -np.inf:  # one look at all: by rows takes ten times as long
            return score
        possible = score.max(axis=1) > -np.inf
        if not possible.all():
            with named_refusals(self):
                self._refuse_impossible(X, int(np.argmin(possible)))
        return score

    def _score_statistic(self, X: Any) -> Floats:
        """Return (N, C) scores of rows as the distribution takes them."""
        score: Floats = self.scorer_(X)
        return score

    def _refuse_impossible(self, X: Any, i: int) -> None:
        with np.errstate(invalid="ignore"):
            c = int(np.argmax(np.isfinite(self.scorer_.prior)))
            terms = self.scorer_.terms(X[[i]], c, c)  # what is −∞ less itself is NaN
        at = int(np.argmax(np.isnan(terms.evidence)))
        feature, x = int(terms.feature[at]), terms.x[at]
        value = f"{x:g}" if self.columns_ is None else self.columns_.label(feature, x)
        raise StatisticError(
            f"row {i} is impossible in every class: {{feature}} = {value} has probability 0 in {{label}}, as "
            "it never occurred there: use estimate='bayes' with alpha > 0",
            feature=feature,
            label=c,
        )

    def _names(self) -> list[Any]:
        names = getattr(self, "feature_names_in_", None)
        return list(range(self.n_features_in_)) if names is None else list(names)

    def _name_terms(self, why: Explanation) -> Explanation:
        """Return the explanation with features by name, categories by label."""
        names, columns = self._names(), self.columns_

        def told(j: int, x: float) -> Any:
            if columns is None or columns.categories[j] is None:
                return names[j]
            name = name_column(names[j]) if isinstance(names[j], int) else names[j]
            return f"{name} = {columns.label(j, x)}"

        return replace(why, terms=[replace(term, feature=told(term.feature, term.x)) for term in why.terms])

    # State.

    def _tally(self, columns: Columns | None) -> Tally:
        """Return the statistics, with categories coded as `columns` does."""
        counts = self.counts_
        if columns is not None and self.columns_ is not None and columns != self.columns_:
            counts = recode(counts, self.columns_, columns)
        return Tally(self.classes_, counts, self._declared)

    def _become(self, tally: Tally, columns: Columns | None) -> None:
        self.scaling_ = self._scaling_among(tally.classes)
        self.classes_, self.counts_, self._declared = tally.classes, tally.counts, tally.declared
        self.columns_ = columns
        self._compiled = None
        check_shapes(self._family(), len(self.classes_), self.n_features_in_)

    def _scaling_among(self, classes: Labels) -> Scaling | None:
        """Return the scaling that was found, of these classes; those that it does not know have no offset."""
        found = self.scaling_
        if found is None or np.array_equal(classes, self.classes_):
            return found
        place = {label: k for k, label in enumerate(classes.tolist())}
        kept = [k for k, label in enumerate(self.classes_.tolist()) if label in place]
        return found.only(kept).of_classes([place[self.classes_[k]] for k in kept], len(classes))

    def _line(self) -> tuple[float, Floats]:
        """Return slope and offsets (C,) of scores over those of the counts."""
        found = self.scaling_
        return (1.0, np.zeros(len(self.classes_))) if found is None else (found.slope, np.array(found.offset))

    def _compile(self) -> Score:
        self._refuse_nothing()
        of_counts = self._compile_counts(self.counts_)
        return of_counts if self.scaling_ is None else scale_score(of_counts, *self._line())

    def _compile_counts(self, counts: Any) -> Score:
        """Return the score of these statistics, as they are."""
        with np.errstate(divide="ignore"):  # a class declared but not yet seen has log 0 = −∞
            log_prior = np.log(class_prior(self.class_prior, counts.n))
        return fit_score(self._family(), counts, self.estimate, log_prior)

    def _refuse_nothing(self) -> None:
        if not self.counts_.n.any():
            raise not_fitted("nothing is learnt: every example was forgotten; fit or partial_fit first")


def _first_two(score: Floats) -> tuple[Any, Any]:
    """Return (N,) winner and runner-up of each row; the same where there is one class."""
    order = np.argsort(-score, axis=1, kind="stable")
    return order[:, 0], order[:, min(1, score.shape[1] - 1)]
