"""Detection of wrong labels, by out-of-fold probabilities of any classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.classifier import Classifier
from deciban.data.devices import fetch, on_host
from deciban.data.estimator import clone
from deciban.data.refusal import check_whole
from deciban.data.rows import Rows, is_sparse
from deciban.data.samples import check_sample_weight, n_samples, take_rows
from deciban.data.validation import check_classification_targets, column_or_1d
from deciban.threads import effective_threads, on_threads

from ..data.convergence import warn_once
from ..data.copies import Copies, Sketches, copies_of_rows
from ..data.fit_parameters import weight_parameters
from .suspects import Floats, Integers, Labelled, Suspects

FOLDS = 5


@on_threads
def find_label_errors(
    model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, folds: int = FOLDS, seed: int = 0
) -> Suspects:
    """Find the examples whose labels are probably wrong, the most suspect first.

        C_ij = number of examples labelled i that a model not trained on them assigns to class j with confidence

    The model is cloned and fitted to all folds but one, each in turn. Classes are dealt over the folds in proportion,
    and near-duplicates together, so that no copy confirms a wrong label. First come near-duplicates with a label other
    than that of most, then examples whose label is more probably wrong than right, beyond what the features leave
    open, by a model of labels that are wrong at one rate (Copas, J. R. Stat. Soc. B 50, 1988). Probabilities and
    decibans are on the model's own scale. C is the confident joint of Northcutt, Jiang & Chuang, JAIR 70 (2021). The
    cost is `folds` fits.

    Parameters
    ----------
    model : classifier
        A classifier with `predict_proba`; it need not be fitted, and stays as it is.
    X : sequence of str, array-like of shape (n_samples, n_features) or data frame
        Examples, as `model.fit` takes them.
    y : array-like of shape (n_samples,)
        Labels to check.
    sample_weight : array-like of shape (n_samples,), optional
        Weights ≥ 0; a weight means repetition.
    folds : int, default=5
        Number of folds.
    seed : int, default=0
        Seed of the folds.

    Returns
    -------
    Suspects
        The suspect examples, with place, label, suggested label and evidence.

    Raises
    ------
    ValueError
        If there is one class only, a class has fewer than `folds` examples apart from copies, or the model has no
        probabilities.
    TypeError
        If X is one text.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3], [5.4]]
    >>> found = find_label_errors(NaiveBayes("gaussian"), X, ["low"] * 4 + ["high"] * 4 + ["low"], folds=2)
    >>> [(each.place, each.label, each.suggested) for each in found]
    [(8, 'low', 'high')]
    """
    labels = column_or_1d(fetch(y))
    if isinstance(X, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    X = X if hasattr(X, "shape") else list(X)
    _check(model, X, labels, folds)
    weight = check_sample_weight(sample_weight, labels)
    kept = np.flatnonzero(weight)
    if len(kept) < len(weight):
        found = find_label_errors(model, take_rows(X, kept), labels[kept], weight[kept], folds=folds, seed=seed)
        return found.at(kept)
    classes, members = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"at least two classes are expected; all labels are {classes.tolist()[0]!r}")
    data = Labelled(members.astype(np.intp), tuple(classes.tolist()), copies_of(model, X), weight)
    fold = data.fold(int(folds), seed)
    given = None if sample_weight is None else weight
    return data.suspects(out_of_fold(settle_model(model, X, labels, given, seed), X, labels, given, fold))


def copies_of(model: Any, X: Any) -> Copies:
    """Find the near-duplicates among texts, rows of numbers, or rows of a data frame."""
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


@warn_once()
def out_of_fold(model: Any, X: Any, labels: Any, weight: Floats | None, fold: Integers) -> Floats:
    """Return (N, C) log p(c | x) by a clone that was fitted to all folds but that of x."""
    classes = np.unique(labels)
    log_p = np.empty((len(labels), len(classes)))
    for k in range(int(fold.max()) + 1):
        inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        more = weight_parameters(model, None if weight is None else weight[inside])
        learnt = clone(model).fit(take_rows(X, inside), labels[inside], **more)
        log_p[outside] = among(_log_posterior(learnt, take_rows(X, outside)), learnt.classes_, classes)
    return log_p


def _log_posterior(learnt: Any, X: Rows) -> Floats:
    with np.errstate(divide="ignore"):  # others than ours have log 0
        if hasattr(learnt, "predict_log_proba"):
            log_p: Floats = on_host(learnt.predict_log_proba(X))
        else:
            log_p = np.log(on_host(learnt.predict_proba(X)))
    return log_p


def among(log_p: Floats, known: Any, classes: Any) -> Floats:
    """Return (N, C) log probabilities of all `classes`, where a model has some of them; the others are impossible."""
    whole = np.full((len(log_p), len(classes)), -np.inf)
    whole[:, np.searchsorted(classes, known)] = log_p
    return whole


def settle_model(model: Classifier, X: Rows, labels: ArrayLike, weight: Floats | None, seed: int) -> Any:
    """Choose once, from all examples, for a text classifier that would choose among models anew in every fold."""
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
    check_whole("folds", folds, 2)
    if n_samples(X) != len(labels):
        raise ValueError(f"one label per example is expected; there are {n_samples(X)} and {len(labels)} labels")
    if not len(labels):
        raise ValueError("at least one example is expected")
    check_classification_targets(labels)
