"""Which labels are probably wrong: any classifier that gives probabilities, asked of what it did not learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, column_or_1d

from deciban.data.devices import fetched, on_host
from deciban.data.rows import is_sparse
from deciban.threads import effective_threads, on_threads

from ..data.convergence import warned_once
from ..data.copies import Copies, Sketches, copies_of_rows
from ..data.fit_parameters import weight_parameters
from .suspect import Floats, Integers, Suspects
from .suspicion import Labelled

FOLDS = 5


@on_threads
def find_label_errors(
    model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, folds: int = FOLDS, seed: int = 0
) -> Suspects:
    """The examples of X whose labels y (N,) are probably wrong, the most suspect first.

        C_ij = how many examples labelled i are, by a model that did not learn them, surely of class j

    `model`, which need not be fitted and is left as it is, is cloned and learns all folds but one, each in turn.
    Classes are dealt over the folds in proportion, and near-duplicates together, so that no copy vouches for a wrong
    label. First come near-duplicates with a label other than that of most (`data.copies`), then examples of which
    another label is likelier, by p(label | x): those off the diagonal of the confident joint C (`confident`), those
    with ten decibans for another label, and more until as many are listed as the joint says are wrong. One
    temperature, fitted to the same probabilities, makes them and the decibans honest.

    X : texts, a matrix (N, d), a data frame: what `model.fit` takes. sample_weight : means repetition.
    ValueError : one class only, a class with fewer than `folds` examples apart from copies, a model without
    probabilities. Cost: `folds` fits. Northcutt, Jiang & Chuang, JAIR 70, 2021.

    >>> from deciban import NaiveBayes
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3], [5.4]]
    >>> found = find_label_errors(NaiveBayes("gaussian"), X, ["low"] * 4 + ["high"] * 4 + ["low"], folds=2)
    >>> [(each.place, each.label, each.suggested) for each in found]
    [(8, 'low', 'high')]
    """
    labels = column_or_1d(fetched(y))
    if isinstance(X, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    X = X if hasattr(X, "shape") else list(X)
    _check(model, X, labels, folds)
    weight = _check_sample_weight(fetched(sample_weight), labels, dtype=np.float64, ensure_non_negative=True)
    kept = np.flatnonzero(weight)
    if len(kept) < len(weight):
        found = find_label_errors(model, _safe_indexing(X, kept), labels[kept], weight[kept], folds=folds, seed=seed)
        return found.at(kept)
    classes, members = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"at least two classes are expected; all labels are {classes.tolist()[0]!r}")
    data = Labelled(members.astype(np.intp), tuple(classes.tolist()), copies_of(model, X), weight)
    fold = data.fold(int(folds), seed)
    given = None if sample_weight is None else weight
    return data.suspects(out_of_fold(settled(model, X, labels, given, seed), X, labels, given, fold))


def copies_of(model: Any, X: Any) -> Copies:
    """The near-duplicates among texts, rows of numbers, or rows of a data frame."""
    if _are_texts(X):
        sketches = Sketches(getattr(model, "kind", "text"), effective_threads(getattr(model, "n_jobs", None)))
        sketches.add(list(X))
        return sketches.copies()
    if not is_sparse(X):
        from deciban.data.columns import Columns

        found = on_host(X, None) if hasattr(X, "dtype") else X
        X = found if getattr(found, "dtype", np.dtype(object)).kind in "biuf" else Columns.infer(X).matrix(X)
    return copies_of_rows(X)


def _are_texts(X: Any) -> bool:
    if is_sparse(X) or len(getattr(X, "shape", (0,))) != 1:
        return False
    return isinstance(next(iter(X)), str | bytes)


@warned_once()
def out_of_fold(model: Any, X: Any, labels: Any, weight: Floats | None, fold: Integers) -> Floats:
    """(N, C) log p(c | x) by a clone that learnt all folds but that of x."""
    classes = np.unique(labels)
    log_p = np.empty((len(labels), len(classes)))
    for k in range(int(fold.max()) + 1):
        inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        more = weight_parameters(model, None if weight is None else weight[inside])
        learnt = clone(model).fit(_safe_indexing(X, inside), labels[inside], **more)
        log_p[outside] = among(_log_posterior(learnt, _safe_indexing(X, outside)), learnt.classes_, classes)
    return log_p


def _log_posterior(learnt: Any, X: Any) -> Floats:
    with np.errstate(divide="ignore"):  # others than ours have log 0
        if hasattr(learnt, "predict_log_proba"):
            log_p: Floats = on_host(learnt.predict_log_proba(X))
        else:
            log_p = np.log(on_host(learnt.predict_proba(X)))
    return log_p


def among(log_p: Floats, known: Any, classes: Any) -> Floats:
    """(N, C) of all `classes`, where a model knows some of them; the others are impossible."""
    whole = np.full((len(log_p), len(classes)), -np.inf)
    whole[:, np.searchsorted(classes, known)] = log_p
    return whole


def settled(model: Any, X: Any, labels: Any, weight: Floats | None, seed: int) -> Any:
    """A text classifier that would choose among models anew in every fold chooses once, from all examples."""
    if getattr(model, "model", None) != "auto":
        return model
    chosen = clone(model).fit(X, labels, weight)
    return clone(model).set_params(model=chosen.model_.name)


def _check(model: Any, X: Any, labels: Any, folds: Any) -> None:
    if not (hasattr(model, "predict_log_proba") or hasattr(model, "predict_proba")):
        raise ValueError(
            f"a classifier that gives probabilities is expected; {type(model).__name__} gives none as it is set: "
            "let it calibrate, or take another"
        )
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise ValueError(f"folds must be a whole number from 2, got {folds!r}")
    if _num_samples(X) != len(labels):
        raise ValueError(f"one label per example is expected; there are {_num_samples(X)} and {len(labels)} labels")
    if not len(labels):
        raise ValueError("at least one example is expected")
    check_classification_targets(labels)
