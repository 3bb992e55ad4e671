"""Quadratic programmes by trying every set of tight rows, in fractions: slow, and exact."""

from fractions import Fraction
from itertools import combinations


def solved(system, right):
    """The one solution of a square system of equations, or None."""
    rows = [[Fraction(x) for x in (*row, b)] for row, b in zip(system, right, strict=True)]
    n = len(rows)
    for j in range(n):
        pivot = next((i for i in range(j, n) if rows[i][j]), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [x / rows[j][j] for x in rows[j]]
        for i in range(n):
            if i != j and rows[i][j]:
                rows[i] = [x - rows[i][j] * p for x, p in zip(rows[i], rows[j], strict=True)]
    return [row[n] for row in rows]


def minimum(Q, c, A, a):
    """(z, u, value) of a programme whose solution is unique; None where nothing satisfies the conditions."""
    n, m = len(c), len(a)
    Q, A = ([[Fraction(x) for x in row] for row in M] for M in (Q, A))
    c, a = ([Fraction(x) for x in v] for v in (c, a))
    for count in range(min(n, m) + 1):
        for tight in combinations(range(m), count):
            system = [[*Q[i], *(-A[k][i] for k in tight)] for i in range(n)]
            system += [[*A[k], *([0] * count)] for k in tight]
            found = solved(system, [*(-x for x in c), *(a[k] for k in tight)])
            if found is None or any(u < 0 for u in found[n:]):
                continue
            z = found[:n]
            if all(sum(f * x for f, x in zip(row, z, strict=True)) >= least for row, least in zip(A, a, strict=True)):
                u = [Fraction(0)] * m
                for k, value in zip(tight, found[n:], strict=True):
                    u[k] = value
                curved = sum(z[i] * Q[i][j] * z[j] for i in range(n) for j in range(n))
                return z, u, curved / 2 + sum(x * y for x, y in zip(c, z, strict=True))
    return None
