"""Least squares by the book, in exact fractions."""

from fractions import Fraction


def ridge(X, y, w, alpha, intercept):
    """(w, b) of Σ w (y − x·w − b)² + ½α‖w‖² as fractions, by Gauss's elimination of the normal equations."""
    rows = [[*map(Fraction, x), Fraction(int(intercept))] for x in X.tolist()]
    y, w, d = [Fraction(v) for v in y.tolist()], [Fraction(v) for v in w.tolist()], X.shape[1] + 1
    A = [[sum(c * x[i] * x[j] for x, c in zip(rows, w, strict=True)) for j in range(d)] for i in range(d)]
    z = [sum(c * x[i] * t for x, t, c in zip(rows, y, w, strict=True)) for i in range(d)]
    for i in range(d - 1):
        A[i][i] += Fraction(alpha) / 2
    if not intercept:
        A[-1][-1] = Fraction(1)
    for i in range(d):
        pivot = next(k for k in range(i, d) if A[k][i])
        A[i], A[pivot], z[i], z[pivot] = A[pivot], A[i], z[pivot], z[i]
        for k in range(d):
            if k != i and A[k][i]:
                share = A[k][i] / A[i][i]
                A[k] = [a - share * b for a, b in zip(A[k], A[i], strict=True)]
                z[k] -= share * z[i]
    found = [float(z[i] / A[i][i]) for i in range(d)]
    return found[:-1], found[-1]
