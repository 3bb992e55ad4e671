"""An estimator asked about labelled examples, as a page tells it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.classifier import Classifier
from deciban.data.rows import Rows
from deciban.data.samples import n_samples, take_rows
from deciban.data.validation import check_is_fitted, column_or_1d

from ..data.devices import fetch, on_host
from ..errors import DataError
from ..evaluation.importance import evidence_importance
from ..evaluation.judgements import Floats, Judgements
from ..report.vector import lacking
from .explained import Shown, places
from .measured import Measured
from .page import TOP, Extras, Report, Terms, of_estimator
from .words import Words, words_in

_ENOUGH = 200  # examples
_WIDEST = 100  # features of a picture


def report(model: Any, X: Any = None, y: Any = None, *, language: str | None = None) -> Report:
    """Return a page: what was learnt, how well that is proven and, of examples X with labels y (N,) that were not
    learnt, how sure it is: errors with intervals, confusions, what a threshold costs, reliability, examples with
    evidence.

    In a notebook it shows itself; `report(…).save("page.html")` writes it. `language` is "en" or "ko", else that
    of LANG. Raises NotFittedError before `fit`, ImportError without Jinja2 and Matplotlib (`deciban[report]`),
    ValueError where X and y do not fit together or to the model.
    """
    check_is_fitted(model)
    missing = lacking()
    if missing:
        raise ImportError(f"a page needs {missing}")
    if getattr(model, "multilabel_", False):
        raise ValueError("a report is of one label a row; this model gives a row many")
    if (X is None) != (y is None):
        raise ValueError(f"X and y are expected together; {'y' if y is None else 'X'} is missing")
    words = words_in(language)
    measured = words("how.missing") if X is None else score_examples(model, X, y, words)
    terms = strongest(model)
    explains = isinstance(measured, Measured) and measured.weighed and hasattr(model, "explain") and not terms
    found = evidence_importance(model, *_some(X, y), top=TOP) if explains else None
    extras = Extras(measured, _curves(model, words), _picture(model, X, y, words), goes_by=found)
    return of_estimator(model, terms, extras, words)


def _picture(model: Classifier, X: Rows, y: ArrayLike, words: Words) -> Any:
    """Return the regions over examples of some features that are numbers; nothing for others."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2 or not 2 <= shape[1] <= _WIDEST:
        return ""
    from ..report.regions import decision_regions
    from .blocks import translate_figure

    try:
        return translate_figure(decision_regions(model, X, y), "picture", words)
    except (DataError, AttributeError):  # columns that are no numbers, or have gaps
        return ""


def _some(X: Any, y: Any) -> tuple[Any, Any]:
    """Return enough examples, at even steps, to show what a model depends on."""
    X, y = X if hasattr(X, "shape") else list(X), column_or_1d(fetch(y))
    chosen = np.unique(np.linspace(0, len(y) - 1, min(_ENOUGH, len(y))).astype(np.intp))
    return take_rows(X, chosen), y[chosen]


def score_examples(model: Any, X: Any, y: Any, words: Words) -> Measured:
    """Return the predictions of the model for N examples X of labels y (N,)."""
    if isinstance(X, str | bytes):
        raise TypeError("a sequence of examples is expected, not one text: put it in a list")
    X = X if hasattr(X, "shape") else list(X)
    labels = column_or_1d(fetch(y))
    n = n_samples(X)
    if n != len(labels):
        raise ValueError(f"one label per example is expected; there are {n} and {len(labels)} labels")
    if not n:
        raise ValueError("at least one example is expected")
    classes = model.classes_.tolist()
    column = {label: c for c, label in enumerate(classes)}
    truth = [column.get(label, -1) for label in labels.tolist()]
    if -1 in truth:
        label = labels.tolist()[truth.index(-1)]
        raise ValueError(f"y: labels {classes[:10]} are expected, which the model tells apart; got {label!r}")
    log_p, weighed = _predict_log_proba(model, X)
    said = Judgements(tuple(classes), np.array(truth, dtype=np.intp), log_p)
    measured = Measured.of(said, words("how.given", judged=f"{n:,}"), weighed=weighed)
    return measured.showing(_select_shown(model, X, said)) if weighed and hasattr(model, "explain") else measured


def _predict_log_proba(model: Any, X: Rows) -> tuple[Floats, bool]:
    """Return (N, C) log p(c | x); of a model without probabilities certainties, of which only predictions are used."""
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            log_p = np.asarray(on_host(model.predict_log_proba(X)), dtype=np.float64)
            return np.minimum(log_p, 0.0), True
        predicted = on_host(model.predict(X), None)
        return np.log((predicted[:, None] == model.classes_[None, :]).astype(np.float64)), False


def _select_shown(model: Any, X: Any, said: Judgements) -> Sequence[Shown]:
    chosen = places(said)
    why = model.explain(take_rows(X, np.array(chosen)))
    return [Shown(f"{i}", said.classes[said.y[i]], each) for i, each in zip(chosen, why, strict=True)]


def strongest(model: Classifier) -> Terms:
    """Return for each class its strongest evidence, for a model of texts; nothing for others."""
    learnt: Any = getattr(model, "model_", None)
    if not hasattr(learnt, "encoder"):
        return {}
    from ..report.inventory import strongest as words_of

    rows, _, seen = learnt.encoder.features()
    found = words_of(learnt, rows, seen, TOP)
    return {label: [(each.term, each.decibans) for each in some] for label, some in found.items()}


def _curves(model: Classifier, words: Words) -> Any:
    if not getattr(model, "history_", None):
        return None
    from ..report.curves import learning_curves
    from .blocks import translate_figure

    return translate_figure(learning_curves(model), "epochs", words)
