"""Comparison of models, or of any estimators, on the user's data: `deciban.compare`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.columns import Columns
from deciban.data.devices import fetch, on_host
from deciban.data.rows import is_sparse
from deciban.data.samples import n_samples
from deciban.data.text_layout import MODELS
from deciban.data.validation import check_classification_targets, column_or_1d
from deciban.table_models import recipes as table_recipes
from deciban.table_models.table_model import Rows
from deciban.text.model_defaults import QUICKEST_FIRST
from deciban.theory.statement import check_between
from deciban.threads import effective_threads, on_threads

from ..data.copies import Copies, copies_of_rows
from .comparison import Comparison, make_comparison
from .cross_validation import Callback, CrossValidation, Learner, Plan
from .label_errors import _are_texts, copies_of
from .learners import OfEstimator, OfTable
from .significance import LEVEL
from .suspects import Labelled

FOLDS = 5
_ASKED = ("fit", "predict", "get_params")
_OF_SPARSE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "naive-bayes": (".models.naive_bayes", "NaiveBayes", {}),
    "logistic": (".models.logistic", "LogisticRegression", {}),
    "svm": (".models.linear_svm", "LinearSVM", {}),
    "perceptron": (".models.perceptron", "Perceptron", {"averaged": True}),
    "least-squares": (".models.least_squares_classifier", "LeastSquaresClassifier", {}),
    "kernel-svm": (".kernel_machines.svm", "SVM", {}),
    "mlp": (".mlp.classifier", "MLPClassifier", {}),
}


@on_threads
def compare(
    models: Mapping[str, Any] | Iterable[str] | None,
    X: Any,
    y: ArrayLike,
    *,
    folds: int = FOLDS,
    repeats: int = 1,
    sizes: Sequence[int] | None = None,
    seed: int = 0,
    level: float = LEVEL,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    callback: Callback | None = None,
) -> Comparison:
    """Compare models on the same folds, and test which of their differences are real.

        error = 1/N Σ [ŷ(x_n) ≠ y_n],     log loss = −1/N Σ log p(y_n | x_n),     each by a model not trained on x_n

    Classes are dealt over the folds in proportion; near-duplicates, equal rows among them, share one, so that no test
    example was in the training set (but not where rows of a few categories occur more than twice, on average). Errors
    have the interval of Clopper & Pearson. Each pair is tested by McNemar's exact test (these models on new examples)
    and by the corrected resampled t-test of Nadeau & Bengio (other training sets, too), both with Holm's correction
    over all pairs: `Pair.real` is the result of the first at `level`. Learning curves are of nested subsets of the
    training sets, and tested on all examples likewise. The cost is models × folds × (repeats + sizes) fits. Nadeau &
    Bengio, Machine Learning 52 (2003); Dietterich, Neural Computation 10 (1998).

    Parameters
    ----------
    models : mapping of str to estimator or str, iterable of str, or None
        Estimators that follow scikit-learn by name, or names of models ("naive-bayes", "logistic", …), simplest first;
        a mapping may name a model instead of an estimator. None: the models that fit the data. Of texts naive-bayes,
        svm, logistic, nbsvm; of a data frame or a dense matrix, whose columns are coded by their types, naive-bayes,
        discriminant, logistic, svm; of a sparse matrix naive-bayes, logistic, svm.
    X : sequence of str, array-like of shape (n_samples, n_features) or data frame
        Examples, as the estimators take them.
    y : array-like of shape (n_samples,)
        Labels.
    folds : int, default=5
        Number of folds.
    repeats : int, default=1
        Number of times that the folds are dealt anew, which makes the corrected t-test stronger.
    sizes : sequence of int, optional
        Numbers of training examples of the learning curves, ascending. None: four, each about half the next; () for
        none. The last point is always the whole training set of a fold.
    seed : int, default=0
        Seed of the folds and of the models.
    level : float, default=0.05
        Level of the tests over all pairs.
    n_jobs : int, optional
        Threads of the named models; estimators have their own.
    time_limit : float, optional
        Seconds, checked before each fit; the first model has all the time that it needs. What was finished by then, or
        when Ctrl-C comes, is returned, and `Comparison.ended` gives the reason. Without a limit everything but the
        seconds is reproducible.
    callback : callable, optional
        Called as `callback(fit)` after each fit (`cross_validation.Fit`); it ends the work when it returns something
        true.

    Returns
    -------
    Comparison
        Errors, log losses, learning curves and tests. A model that refuses the data with a ValueError is in `left_out`
        with its reason; its curve has a gap where it refuses so few examples.

    Raises
    ------
    ValueError
        If there are fewer than two classes, a class has fewer than `folds` examples apart from copies, or models or
        sizes make no sense.
    TypeError
        If X is one text, or sizes are no numbers.

    Examples
    --------
    >>> import deciban
    >>> r = np.random.default_rng(0)
    >>> y = np.arange(120) % 2
    >>> found = deciban.compare(["naive-bayes", "logistic"], r.normal(size=(120, 2)) + 3.0 * y[:, None], y, sizes=[24])
    >>> [(row.model, [point.n for point in row.curve]) for row in found.rows]
    [('naive-bayes', [24, 96]), ('logistic', [24, 96])]
    >>> found.pairs[0].real, found.simplest
    (False, 'naive-bayes')
    """
    labels = column_or_1d(fetch(y))
    if isinstance(X, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    X = X if hasattr(X, "shape") else list(X)
    if sizes is not None and not isinstance(sizes, Iterable):
        raise TypeError(f"sizes must be numbers of examples, as in [100, 1000], got {sizes!r}")
    plan = Plan(folds, repeats, None if sizes is None else tuple(sizes), seed)
    plan.check()
    check_between("level", level, 0.0, 1.0)
    _check(X, labels)
    classes, members = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"at least two classes are expected; all labels are {classes.tolist()[0]!r}")
    learners = learners_of(models, X, labels, seed, None if n_jobs is None else effective_threads(n_jobs))
    copies = copies_of(None, X) if _are_texts(X) else drop_chance_copies(copies_of(None, X))
    labelled = Labelled(members.astype(np.intp), tuple(classes.tolist()), copies, np.ones(len(labels)))
    work = CrossValidation(labelled, learners, plan, time_limit, callback)
    work.run()
    return make_comparison(work, level)


def _check(X: Any, labels: NDArray[Any]) -> None:
    if n_samples(X) != len(labels):
        raise ValueError(f"one label per example is expected; there are {n_samples(X)} and {len(labels)} labels")
    if not len(labels):
        raise ValueError("at least one example is expected")
    check_classification_targets(labels)


def learners_of(models: Any, X: Any, labels: NDArray[Any], seed: int, n_jobs: int | None) -> list[Learner]:
    """Return each model by its name as something that is fitted to rows of X; ValueError for what is no model."""
    families = _Families(X, labels, seed, n_jobs)
    if isinstance(models, str | bytes) or not (models is None or isinstance(models, Iterable)):
        raise TypeError(f"a mapping from names to estimators, or names of families, are expected; got {models!r}")
    from sklearn.base import RegressorMixin

    names = families.default if models is None else models
    wanted = dict(models) if isinstance(models, Mapping) else {each: each for each in names}
    if not wanted:
        raise ValueError("at least one model is expected")
    found: list[Learner] = []
    for name, model in wanted.items():
        if isinstance(model, str):
            found.append(families(str(name), model))
        elif all(hasattr(model, method) for method in _ASKED) and not isinstance(model, RegressorMixin):
            found.append(OfEstimator(str(name), model, X, labels))
        else:
            raise TypeError(
                f"{name}: a classifier of scikit-learn's rules, or the name of a family, is expected; got {model!r}"
            )
    return found


def label_rows(rows: Rows) -> Labelled:
    """Return rows of typed columns with their labels and copies, as folds are dealt."""
    return Labelled(rows.y, rows.classes, drop_chance_copies(copies_of_rows(rows.X)), np.ones(len(rows)))


def drop_chance_copies(copies: Copies) -> Copies:
    """Return the same, but none where rows are equal because there are so few of them: each occurs more than twice, on
    average, and to hold all of its kind out would ask for what no example will."""
    N = len(copies.group)
    return copies if 2 * len(np.unique(copies.group)) >= N else replace(copies, group=np.arange(N))


class _Families:
    """The families that fit texts, a sparse matrix, or typed columns."""

    def __init__(self, X: Any, labels: NDArray[Any], seed: int, n_jobs: int | None) -> None:
        self.X, self.labels, self.seed, self.n_jobs = X, labels, seed, n_jobs
        self.kind = "texts" if _are_texts(X) else "a sparse matrix" if is_sparse(X) else "typed columns"
        self.rows: Rows | None = None

    @property
    def default(self) -> tuple[str, ...]:
        """Simplest first."""
        if self.kind == "texts":
            return QUICKEST_FIRST
        return ("naive-bayes", "logistic", "svm") if is_sparse(self.X) else table_recipes.SIMPLEST_FIRST

    @property
    def known(self) -> tuple[str, ...]:
        """All that may be asked for."""
        if self.kind == "texts":
            return MODELS
        return tuple(_OF_SPARSE) if is_sparse(self.X) else table_recipes.MODELS

    def __call__(self, name: str, model: str) -> Learner:
        if model not in self.known:
            raise ValueError(f"a family for {self.kind} is one of {', '.join(self.known)}; got {model!r}")
        if self.kind == "typed columns":
            self.rows = rows_of(self.X, self.labels) if self.rows is None else self.rows
            return OfTable(name, table_recipes.recipe(model, {}, self.seed), self.rows, self.n_jobs)
        return OfEstimator(
            name, self._text(model) if self.kind == "texts" else self._sparse(model), self.X, self.labels
        )

    def _text(self, model: str) -> Any:
        from deciban.text.classifier import TextClassifier

        return TextClassifier(model, random_state=self.seed, n_jobs=self.n_jobs)

    def _sparse(self, model: str) -> Any:
        module, name, given = _OF_SPARSE[model]
        if model == "naive-bayes":
            given = {"likelihood": "gaussian" if self.X.min() < 0 else "multinomial"}
        made = getattr(import_module(module, "deciban"), name)(**given)
        said = {"random_state": self.seed, "n_jobs": self.n_jobs}
        return made.set_params(**{key: value for key, value in said.items() if key in made.get_params()})


def rows_of(X: Any, labels: NDArray[Any]) -> Rows:
    """Return a data frame, an array or a list of rows as typed columns."""
    found = on_host(X, None) if hasattr(X, "dtype") else X
    columns = Columns.infer(found)
    matrix = columns.matrix(found)
    classes, y = np.unique(labels, return_inverse=True)
    keys = np.array([blake2b(row.tobytes(), digest_size=16).digest() for row in matrix], dtype="S16")
    return Rows(X=matrix, y=y.astype(np.intp), classes=tuple(classes.tolist()), keys=keys, columns=columns)
