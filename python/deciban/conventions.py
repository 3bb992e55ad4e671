"""Conventions of every file; unlike in scikit-learn n_jobs=None is all cores and random_state=None is the seed 0.

n_jobs      None is what `joblib.parallel_config` around it says, one thread within a worker of joblib's, and otherwise
            all cores. The result does not depend on it.
Seeds       The same data, parameters and seed give the same bytes. A generator is drawn from once, for a seed.
Shapes      N examples (rows), d features, C classes. X is (N, d), dense or sparse; a row x is (d,).
            Parameters of a class are rows, φ (C, d); weights of a score are columns, W (d, C), so that
            score = X @ W + bias is (N, C). `sample_weight` (N,) means repetition: weight 2 is "twice".
Labels      Users pass any labels; `classes_` holds them sorted, and inside y is an index 0 … C−1 into it.
            Margins use y ∈ {−1, +1}, where +1 is the second of two classes.
Signs       Evidence is for a label *against* another: positive speaks for the label. With two classes the
            decision is the log-odds of `classes_[1]` against `classes_[0]`.
Intercept   A bias stands apart from the weights and is never penalised. The one exception are linear models of texts
            with weighting="unit-idf": there the bias is the weight of a word that every text has, since the length of
            a text, by which its words are divided, divides the bias, too. A prior is a term of its own beside the
            evidence: log-odds = prior + Σ terms.
Ties        Equal scores go to the class that comes first in `classes_`; sign(0) = +1.
Kinks       Where a loss has a corner, its slope there is the one of the flat side.
Units       Formulas are in nats. People are shown decibans, 10·log10 of an odds ratio: about the smallest
            change in the weight of evidence that intuition can feel (Good 1950). 10 decibans are odds of
            10 : 1. 1 nat = 10 / ln 10 ≈ 4.3429 decibans.
Devices     Arrays decide: an array X of CuPy, torch or another library that keeps to the array API standard stays on
            its device, and kernel machines, `Nystroem` and `RandomFourier` compute there what is as large as X: tiles
            of the kernel, their sums, scores, features, the certificate's scores. What is as long as X, or as small
            as a block of coefficients, is the host's: y, weights, β, the gradient, the block's kernels, votes,
            probabilities, explanations. X itself is only read over on the host, a few million numbers at a time, for
            the digest and the folds of a calibration, which are those of the same numbers in NumPy. Labels that are
            numbers, decisions, probabilities, predictions and features come in the library and on the device of the X
            that was asked with; labels that are text, and what is learnt besides support vectors, landmarks and what
            belongs to these, are NumPy's. Who learnt on a device judges NumPy's rows too, and the other way round;
            files and pickles hold NumPy's arrays. Models that count and linear models read X over to the host, where a
            few passes are all that they need, and answer where they were asked. Double precision is the device's, or
            the host's where it has none.
Logarithms  Probabilities are added in logs and normalised by one function, `scores.log_posterior`.
"""

from __future__ import annotations

import math

DECIBANS_PER_NAT = 10.0 / math.log(10.0)


def percent(share: float) -> str:
    """Format a share in per cent with three significant digits, never rounded to a certainty.

    >>> percent(0.0123), percent(0.9999999), percent(1.0), percent(0.5)
    ('1.23 %', '>99.99 %', '100 %', '50.0 %')
    """
    value = 100 * share
    if value in (0, 100):
        return f"{value:.0f} %"
    if value > 99.995:
        return ">99.99 %"
    if value < 0.0005:
        return "<0.001 %"
    return f"{value:.{2 if value >= 99 else 1 if value >= 10 else 2 if value >= 1 else 3}f} %"


def sureness(probability: float) -> str:
    """Format a probability in per cent that is never certain: 1.0 is only what 1 − 10⁻²⁰ rounds to."""
    return ">99.99 %" if probability > 0.99995 else percent(probability)
