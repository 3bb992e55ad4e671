"""Infinitely many hypotheses: how many ways they have to label n examples, and what that says of the error.

The VC dimension is also read off a fitted model, and the labellings by hyperplanes are counted: Cover's number.
"""

from __future__ import annotations

from itertools import product
from math import comb, inf, log, log1p, sqrt
from typing import Any

import numpy as np

from deciban.data.rows import Rows

from .statement import (
    Statement,
    check_between,
    examples,
    exponential,
    find_unknown,
    least,
    of_error,
    of_probability,
    whole,
)

GROWTH = ("polynomial", "sauer")
# Beyond so many terms the sum is bounded by the entropy: MacWilliams & Sloane (1977), chapter 10.
_TERMS = 10**6
_WHO = "Vapnik & Chervonenkis 1971; Abu-Mostafa, Magdon-Ismail & Lin, Learning from Data (2012), theorem 2.5"


def growth(n: int, dimension: float, kind: str = "sauer") -> Statement:
    """Return the largest number of labellings of n examples by hypotheses of VC dimension d.

        "sauer"       m_H(N) ≤ Σ_{i=0}^{d} C(N, i)
        "polynomial"  m_H(N) ≤ N^d + 1

    There are 2^N labellings at all; where the bound does not lie below, examples say nothing about others. Sauer, J.
    Comb. Theory A 13 (1972), theorem 1; Shelah, Pacific J. Math. 41 (1972).

    Parameters
    ----------
    n : int
        Number N of examples, from 1.
    dimension : int or float
        VC dimension d: a whole number from 1, or `inf`.
    kind : {"sauer", "polynomial"}, default="sauer"
        Which bound on the growth function.

    Returns
    -------
    Statement
        The bound on the growth function; ∞ where no float holds it. `given["log"]` is its natural logarithm, which is
        finite.

    Raises
    ------
    ValueError
        If `n` or `dimension` is no such number, or `kind` is neither of the two.

    Examples
    --------
    >>> float(growth(10, 3)), float(growth(10, 3, "polynomial")), growth(10**9, 10**4).given["log"].__round__()
    (176.0, 1001.0, 125124)
    >>> growth(3, 3).vacuous
    'there are no more labellings of 3 examples'
    """
    n, d = examples("n", n), _dimension(dimension)
    logarithm = log_growth(n, d, _kind(kind))
    value = exponential(logarithm)
    value = float(round(value)) if value < 2.0**40 else value
    vacuous = f"there are no more labellings of {n:,} examples" if logarithm >= n * log(2) * (1 - 1e-15) else ""
    given = {"n": n, "dimension": d, "growth": kind, "log": logarithm}
    return Statement(
        value,
        f"hypotheses of VC dimension {_format_dimension(d)} label {n:,} examples in so many ways at most",
        "",
        "Sauer 1972; Shelah 1972",
        vacuous,
        given,
    )


def log_growth(n: int, d: float, kind: str) -> float:
    """Return ln of the growth function's bound."""
    if kind == "polynomial":
        return float(np.logaddexp(d * log(n), 0.0))
    if d >= n:
        return n * log(2)
    if d > _TERMS:
        return n * _entropy(d / n)
    i = np.arange(1.0, d + 1.0)
    terms = np.concatenate([[0.0], np.cumsum(np.log((float(n) - i + 1.0) / i))])  # ln C(n, i)
    top = terms.max()
    return float(top + np.log(np.exp(terms - top).sum()))


def _entropy(share: float) -> float:
    """Return H of a coin in nats: Σ_{i ≤ d} C(n, i) ≤ e^{n H(d/n)} for d ≤ n/2, and 2^n beyond."""
    return -share * log(share) - (1.0 - share) * log1p(-share) if share < 0.5 else log(2)


def vc(
    n: int | None = None,
    dimension: float | None = None,
    training_error: float = 0.0,
    delta: float | None = None,
    *,
    error: float | None = None,
    growth: str = "polynomial",
) -> Statement:
    """Bound the error out of sample of whatever was learnt from hypotheses of VC dimension d.

        E_out ≤ E_in + √((8/N) ln(4 m_H(2N)/δ))        with probability ≥ 1 − δ

    Of n, error and delta, the one left out is solved for. The bound holds for all hypotheses at once, so also for the
    one with the smallest training error, if the examples are independent and of one distribution and the hypotheses
    were fixed before. It is loose: mostly vacuous below some hundred examples a dimension. Vapnik & Chervonenkis
    (1971); Abu-Mostafa, Magdon-Ismail & Lin, Learning from Data (2012), theorem 2.5.

    Parameters
    ----------
    n : int, optional
        Number N of training examples.
    dimension : int or float
        VC dimension d: a whole number from 1, or `inf`. `deciban.theory.dimension(model)` knows that of a model.
    training_error : float, default=0.0
        Share E_in of training examples that are misclassified, from 0 to 1.
    delta : float, default=0.05
        Probability δ that the bound fails.
    error : float, optional
        What E_out shall not exceed.
    growth : {"polynomial", "sauer"}, default="polynomial"
        Which bound on the growth function m_H.

    Returns
    -------
    Statement
        The error, the number of examples, or δ, whichever was left out.

    Raises
    ------
    ValueError
        If a number is out of its range, `dimension` is missing, `error` is not above the training error, or none or all
        of n, error and delta are given.

    Examples
    --------
    >>> float(vc(100, 1, delta=0.1)).__round__(3), float(vc(dimension=3, delta=0.1, error=0.1))
    (0.848, 29300.0)
    >>> vc(100, 10).vacuous
    'every error is at most 1'
    """
    if dimension is None:
        raise ValueError("dimension must be given: a whole number from 1, or inf; dimension(model) knows a model's")
    d, kind = _dimension(dimension), _kind(growth)
    base = check_between("training_error", training_error, 0.0, 1.0, ends=True)
    wanted, delta = find_unknown("n error", n, error, delta)
    n = None if n is None else examples("n", n)
    if error is not None and not check_between("error", error, 0.0, inf) > base:
        raise ValueError(f"error must lie above the training error, {base:g}, got {error!r}")
    given = {"n": n, "error": error, "delta": delta, "dimension": d, "training_error": base, "growth": kind}
    conditions = (
        "the examples are independent, of one distribution, and the hypotheses, of VC dimension "
        f"{_format_dimension(d)}, were fixed before they were seen"
    )
    value, meaning, vacuous = _solve(wanted, n, error, delta, d, base, kind)
    return Statement(value, meaning, conditions, _WHO, vacuous, {**given, wanted: value})


def _solve(
    wanted: str, n: int | None, error: float | None, delta: float, d: float, base: float, kind: str
) -> tuple[float, str, str]:
    """Return the number asked for, its meaning, and why it says nothing."""
    learnt = f"with an error of {base:g} on {n:,} examples" if n else f"with an error of {base:g} in sample"
    if wanted == "error":
        assert n is not None
        value = bound(n, d, base, delta, kind)
        return (
            value,
            f"with probability {1 - delta:g} what was learnt {learnt} errs no more often than this",
            of_error(value),
        )
    assert error is not None
    if wanted == "n":
        size = least(lambda n: bound(n, d, base, delta, kind) <= error) if d < inf else inf
        vacuous = "no number of examples is enough" if size == inf else of_error(error)
        meaning = f"so many examples keep the error of what was learnt {learnt} to {error:g}"
        return size, f"{meaning}, with probability {1 - delta:g}", vacuous
    assert n is not None
    value = exponential(log(4) + log_growth(2 * n, d, kind) - (error - base) ** 2 * n / 8)
    meaning = f"the probability that something learnt {learnt} errs in more than {error:g} is at most this"
    return value, meaning, of_probability(value)


def bound(n: int, d: float, base: float, delta: float, kind: str) -> float:
    """Return E_in + √((8/n) ln(4 m_H(2n)/δ))."""
    logarithm = log_growth(2 * n, d, kind)
    return base + sqrt(8.0 / n * (log(4) + logarithm - log(delta))) if logarithm < inf else inf


def _dimension(value: object) -> float:
    if value == inf:
        return inf
    return examples("dimension", float_as_whole(value))


def float_as_whole(value: object) -> Any:
    """Return 3 for 3.0, as `float(dimension(model))` gives it."""
    return int(value) if isinstance(value, float | np.floating) and value % 1 == 0 else value


def _kind(kind: object) -> str:
    if kind not in GROWTH:
        raise ValueError(f"growth must be one of {', '.join(map(repr, GROWTH))}, got {kind!r}")
    return str(kind)


def _format_dimension(d: float) -> str:
    return "∞" if d == inf else f"{d:,}"


_LINEAR = "Vapnik & Chervonenkis 1971; Cover 1965"
_COUNTED = "Dudley, Ann. Prob. 6 (1978), theorem 7.2: functions that form a space of p dimensions"


def dimension(model: Any) -> Statement:
    """Return the VC dimension of the hypotheses of a fitted classifier of two classes.

        linear in d features, with an intercept        d + 1        (d without)
        linear in p functions of the features          p
        quadratic in d features                        (d + 1)(d + 2)/2
        polynomial kernel of degree q, with a shift    C(d + q, q)

    Naive Bayes over counts and categories is linear in them, with Gaussians of their own variances quadratic in each
    feature: 2d + 1. It is that of all functions of the form: an upper bound where training reaches only some of them. A
    machine with an RBF kernel can bring about every labelling, of networks only orders of magnitude are known, and with
    more classes than two there is no VC dimension. Dudley, Ann. Prob. 6 (1978), theorem 7.2; Burges, Data Mining and
    Knowledge Discovery 2 (1998), § 7.

    Parameters
    ----------
    model : classifier
        A fitted classifier.

    Returns
    -------
    Statement
        The dimension; ∞ where there is none, with the reason in `vacuous`.

    Raises
    ------
    ValueError
        If the model is not a fitted classifier.

    Examples
    --------
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
    """Return dimension, form and reference, or why there is none."""
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
    """Return how many functions of x the score adds up beside the intercept, and which; None if it adds up others."""
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


_MOST = 16


def dichotomies(n: int, d: int, *, fit_intercept: bool = True) -> Statement:
    """Return the number of labellings of n points in general position in d dimensions by hyperplanes.

        C(n, p) = 2 Σ_{k=0}^{p−1} C(n − 1, k),     p = d + 1 (d without intercept)

    These are all 2^n for n ≤ p, which is the VC dimension, and half of them at n = 2p. Points in special position, such
    as three on a line, have fewer. Cover, IEEE Trans. Electronic Computers 14 (1965), theorem 1.

    Parameters
    ----------
    n : int
        Number of points.
    d : int
        Number of dimensions.
    fit_intercept : bool, default=True
        Whether hyperplanes need not go through the origin.

    Returns
    -------
    Statement
        The number of labellings; ∞ where no float holds it. `given["log"]` is its natural logarithm.

    Raises
    ------
    ValueError
        If `n` or `d` is no whole number in range.

    Examples
    --------
    >>> float(dichotomies(4, 2)), float(dichotomies(3, 2)), float(dichotomies(6, 2))
    (14.0, 8.0, 32.0)
    """
    n, d = examples("n", n), whole("d", d)
    p = d + 1 if fit_intercept else d
    if min(n, p) <= 1000:
        count = 2 * sum(comb(n - 1, k) for k in range(min(n, p)))
        value, logarithm = (count, log(count)) if count < 2**63 else (exponential(log(count)), log(count))
    else:
        logarithm = log(2) + log_growth(n - 1, p - 1, "sauer")
        value = exponential(logarithm)
    vacuous = f"these are all labellings of {n:,} points" if n <= p else ""
    through = "hyperplanes" if fit_intercept else "hyperplanes through the origin"
    return Statement(
        value,
        f"{through} label {n:,} points in {d:,} dimensions in so many ways",
        "the points are in general position: in special position there are fewer",
        "Cover, IEEE Trans. Electronic Computers 14 (1965), theorem 1",
        vacuous,
        {"n": n, "d": d, "fit_intercept": bool(fit_intercept), "log": logarithm},
    )


def separable(X: Rows, *, fit_intercept: bool = True) -> Statement:
    """Count the labellings of given points by hyperplanes, one by one.

    A labelling y counts where some (w, b) has y_i (w·x_i + b) ≥ 1 for all i: a linear programme without objective. Only
    half of the 2^n are tried, since −y has −w.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At most 16 points.
    fit_intercept : bool, default=True
        Whether hyperplanes need not go through the origin.

    Returns
    -------
    Statement
        The number of labellings. `given["labellings"]` (m, n) has them, as −1 and 1; `given["cover"]` is Cover's
        number, which no set of as many points exceeds.

    Raises
    ------
    ValueError
        If X is no table of finite numbers, or has more than 16 points.

    Examples
    --------
    >>> float(separable([[0, 0], [0, 1], [1, 0], [1, 1]])), float(separable([[0], [1], [2]]))
    (14.0, 6.0)
    """
    from scipy.optimize import linprog

    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or not points.size or not np.isfinite(points).all():
        raise ValueError(f"X must be points as rows of finite numbers, got an array of shape {points.shape}")
    n, d = points.shape
    if n > _MOST:
        raise ValueError(f"X must be at most {_MOST} points, got {n}: there are 2^{n} labellings to try")
    rows = np.column_stack([points, np.ones(n)]) if fit_intercept else points
    found = []
    for rest in product((-1.0, 1.0), repeat=n - 1):
        y = np.array([1.0, *rest])
        answer = linprog(np.zeros(rows.shape[1]), -y[:, None] * rows, -np.ones(n), bounds=(-inf, inf))
        if answer.status == 0:
            found += [y, -y]
    cover = dichotomies(n, d, fit_intercept=fit_intercept)
    vacuous = f"these are all labellings of {n} points" if len(found) == 2**n else ""
    return Statement(
        len(found),
        f"hyperplanes label these {n} points in {d} dimensions in so many ways; Cover's number is {cover.value:,}",
        "",
        "counted, one linear programme a labelling",
        vacuous,
        {"n": n, "d": d, "cover": cover.value, "labellings": np.array(found, dtype=np.int8).tolist()},
    )
