"""The VC dimension of the hypotheses that a fitted model was chosen from."""

from __future__ import annotations

from math import comb, inf
from typing import Any

import numpy as np

from .statement import Statement

_LINEAR = "Vapnik & Chervonenkis 1971; Cover 1965"
_COUNTED = "Dudley, Ann. Prob. 6 (1978), theorem 7.2: functions that form a space of p dimensions"


def dimension(model: Any) -> Statement:
    """d_vc of what a fitted classifier of two classes could have learnt; ∞, with the reason, where it has none.

        linear in d features, with an intercept        d + 1        (d without)
        linear in p functions of the features          p
        quadratic in d features                        (d + 1)(d + 2)/2
        polynomial kernel of degree q, with a shift    C(d + q, q)

    Naive Bayes over counts and categories is linear in them, with Gaussians of their own variances quadratic in each
    feature: 2d + 1. It is that of all functions of the form: an upper bound where learning reaches only some of them. A
    machine with an RBF kernel can bring about every labelling, of networks only orders of magnitude are known, and with
    more classes than two there is no VC dimension. Dudley, Ann. Prob. 6 (1978), theorem 7.2; Burges, Data Mining and
    Knowledge Discovery 2 (1998), § 7.

    >>> from deciban import SVM, LogisticRegression
    >>> X, y = np.eye(3), [0, 1, 1]
    >>> float(dimension(LogisticRegression().fit(X, y))), float(dimension(SVM("poly", calibration=None).fit(X, y)))
    (4.0, 11.0)
    >>> dimension(SVM(calibration=None).fit(X, y)).vacuous
    'the kernel rbf separates any points, so that they can be labelled in every way'
    """
    name = type(model).__name__
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise ValueError(f"{name} is not a fitted classifier: it has no classes_. Fit it first")
    if len(classes) > 2:
        reason = f"it is of two classes; this model has {len(classes)}: ask for each pair, or each against the rest"
        return _none(name, reason)
    found = _of(model)
    if isinstance(found, str):
        return _none(name, found)
    p, form, who = found
    meaning = f"the VC dimension of {name}: {form}"
    return Statement(p, meaning, "the features were fixed before the examples were seen", who, "", {"model": name})


def _none(name: str, reason: str) -> Statement:
    return Statement(inf, f"the VC dimension of {name}: none", "", "", reason, {"model": name})


Found = tuple[int, str, str] | str


def _of(model: Any) -> Found:
    """Dimension, form and reference, or why there is none."""
    if hasattr(model, "kernel_"):
        return _of_kernel(model.kernel_, getattr(model, "n_features_in_", 0))
    weights = getattr(model, "coef_", getattr(model, "weights_", None))
    if weights is not None:
        d = int(weights.shape[-1])
        if not getattr(model, "fit_intercept", True):
            return d, f"linear in {d:,} features, without intercept", _LINEAR
        return d + 1, f"linear in {d:,} features, with an intercept", _LINEAR
    if type(getattr(model, "served_", None)).__name__ == "ServedText":
        d = len(model.served_.hashes) // 8
        return d + 1, f"linear in {d:,} words, with an intercept", _LINEAR
    score = getattr(model, "scorer_", None)
    return _of_score(score) if score is not None else "it has neither weights nor a score that is known"


def _of_kernel(kernel: Any, d: int) -> Found:
    if kernel.name == "linear":
        return d + 1, f"linear in {d:,} features, with an intercept", _LINEAR
    if kernel.name == "polynomial" and kernel.shift != 0.0:
        p = comb(d + kernel.degree, kernel.degree)
        return p, f"all monomials of {d:,} features up to degree {kernel.degree}", "Burges 1998, § 7.1"
    if kernel.name == "polynomial":
        p = comb(d + kernel.degree - 1, kernel.degree) + 1
        return p, f"all monomials of {d:,} features of degree {kernel.degree}, and an intercept", "Burges 1998, § 7.1"
    if kernel.name in ("rbf", "gaussian"):
        return f"the kernel {kernel.name} separates any points, so that they can be labelled in every way"
    return f"of the kernel {kernel.name} it is not known"


def _of_score(score: Any) -> Found:
    if type(score).__name__ == "NetworkScore":
        return "of networks only orders of magnitude are known (Bartlett et al., JMLR 20 (2019))"
    if type(score).__name__ == "KernelScore":
        return _of_kernel(score.kernel, score.vectors.shape[1] if score.vectors.ndim == 2 else 0)
    found = _statistics(score)
    if found is None:
        return "it adds up functions of the features whose own parameters are learnt, such as Student densities"
    statistics, form = found
    return statistics + 1, f"{form}, with an intercept", _LINEAR if form.startswith("linear") else _COUNTED


def _statistics(score: Any) -> tuple[int, str] | None:
    """How many functions of x the score adds up beside the intercept, and which; None where it adds up others."""
    kind = type(score).__name__
    if kind == "AffineScore":
        return len(score.W), f"linear in {len(score.W):,} features"
    if kind == "CategoricalScore":
        p = int((np.diff(score.offsets) - 1).sum())
        return p, f"linear in {p:,} indicators of categories"
    if kind == "IndependentScore" and score.freedom is None:
        d = score.location.shape[1]
        return 2 * d, f"quadratic in each of {d:,} features"
    if kind == "QuadraticScore" and score.freedom is None:
        d = score.mean.shape[1]
        if len(score.factors) == 1 and len(set(score.width.tolist())) == 1:
            return d, f"linear in {d:,} features"
        return d * (d + 3) // 2, f"quadratic in {d:,} features"
    if kind == "ColumnScore":
        parts = [_statistics(part) for _, part in score.parts]
        known = [part for part in parts if part is not None]
        return (sum(p for p, _ in known), "; ".join(f for _, f in known)) if len(known) == len(parts) else None
    return None
