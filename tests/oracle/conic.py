"""Linear models as conic programmes, written as the textbook writes them, for Clarabel's interior point method.

Goulart & Chen, "Clarabel: An interior-point solver for conic programs with quadratic objectives" (2024). It knows
nothing of losses: a loss is here the constraints of a slack t ≥ ℓ(y, s), and a penalty those of p ≥ |w|. See Boyd &
Vandenberghe, Convex Optimization (2004), sections 4.3, 4.4 and 6.1.2.
"""

import clarabel
import numpy as np
from scipy import sparse


class Programme:
    """min ½ Σ curved_j z_j² + Σ cost_j z_j under constraints that are told one by one."""

    def __init__(self):
        self.cost, self.curved, self.rows, self.right, self.cones = [], [], [], [], []

    def variables(self, count, cost=0.0, curved=0.0):
        """The places of new variables and what they cost."""
        first = len(self.cost)
        self.cost += np.broadcast_to(cost, count).tolist()
        self.curved += np.broadcast_to(curved, count).tolist()
        return range(first, first + count)

    def constrain(self, cone, *sides):
        """A constant less a sum of {place: factor} each; together they are in the cone."""
        for right, terms in sides:
            self.rows.append(terms)
            self.right.append(right)
        self.cones.append(cone)

    def at_least(self, least, **terms):
        """Σ factor·z ≥ least, terms told as (place, factor)."""
        self.constrain(clarabel.NonnegativeConeT(1), (-least, {place: -factor for place, factor in terms.values()}))

    def solve(self):
        """z, and the multiplier of each row."""
        entries = [(i, j, a) for i, row in enumerate(self.rows) for j, a in row.items()]
        i, j, a = zip(*entries, strict=True)
        A = sparse.csc_matrix((a, (i, j)), shape=(len(self.rows), len(self.cost)))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
        settings.max_iter = 500
        P = sparse.diags(self.curved, format="csc")
        found = clarabel.DefaultSolver(P, self.cost, A, self.right, self.cones, settings).solve()
        assert found.status == clarabel.SolverStatus.Solved
        return np.array(found.x), np.array(found.z)


def optimum(X, y, c, loss, l1, l2, intercept):
    """min Σ c ℓ(y, X·w + b) + l1·‖w‖₁ + ½·l2·‖w‖²: w (d,), b, and a (N,), minus the slope of ℓ at the scores."""
    (N, d), asked = X.shape, Programme()
    w, b, s = asked.variables(d, curved=l2), asked.variables(1), asked.variables(N)
    for i in range(N):
        row = {place: x for place, x in zip(w, X[i], strict=True) if x}
        asked.constrain(clarabel.ZeroConeT(1), (0.0, {**row, b[0]: float(intercept), s[i]: -1.0}))
    if not intercept:
        asked.constrain(clarabel.ZeroConeT(1), (0.0, {b[0]: 1.0}))
    LOSSES[loss.name](asked, s, y, c, loss)
    if l1:
        for place, p in zip(w, asked.variables(d, cost=l1), strict=True):
            asked.at_least(0.0, p=(p, 1.0), w=(place, 1.0))
            asked.at_least(0.0, p=(p, 1.0), w=(place, -1.0))
    z, multipliers = asked.solve()
    return z[:d], z[d], -multipliers[:N] / c


def softmax(X, y, c, K, l2):
    """min Σ c [log Σ_k e^(s_ik) − s_iy] + ½·l2·‖W‖², y from 0 to K − 1: W (K, d) and b (K,), which sums to 0."""
    (N, d), asked = X.shape, Programme()
    W, b, t = asked.variables(K * d, curved=l2), asked.variables(K), asked.variables(N, cost=c)
    for i in range(N):
        shares = asked.variables(K)
        asked.constrain(clarabel.NonnegativeConeT(1), (1.0, dict.fromkeys(shares, 1.0)))
        for k in range(K):
            more = {} if k == y[i] else {b[k]: -1.0, b[y[i]]: 1.0}
            for j in range(d) if more else ():
                more |= {W[k * d + j]: -X[i, j], W[y[i] * d + j]: X[i, j]}
            _exponential(asked, {**more, t[i]: 1.0}, shares[k])
    asked.constrain(clarabel.ZeroConeT(1), (0.0, dict.fromkeys(b, 1.0)))
    z, _ = asked.solve()
    return z[: K * d].reshape(K, d), z[K * d : K * d + K]


def _exponential(asked, minus, share):
    """exp(−Σ minus) ≤ share."""
    asked.constrain(clarabel.ExponentialConeT(), (0.0, minus), (1.0, {}), (0.0, {share: -1.0}))


def _perceptron(asked, s, y, c, loss, reach=0.0):
    for i, t in enumerate(asked.variables(len(y), cost=c)):
        asked.at_least(reach, t=(t, 1.0), s=(s[i], y[i]))
        asked.at_least(0.0, t=(t, 1.0))


def _hinge(asked, s, y, c, loss):
    _perceptron(asked, s, y, c, loss, 1.0)


def _squared_hinge(asked, s, y, c, loss):
    """1 − y·s = t − v at the price t², v ≥ 0."""
    over = asked.variables(len(y))
    for i, t in enumerate(asked.variables(len(y), curved=2.0 * c)):
        asked.constrain(clarabel.ZeroConeT(1), (1.0, {s[i]: y[i], t: 1.0, over[i]: -1.0}))
        asked.at_least(0.0, v=(over[i], 1.0))


def _logistic(asked, s, y, c, loss):
    """t ≥ ln(1 + e^(−ys)) where e^(−ys−t) + e^(−t) ≤ 1."""
    for i, t in enumerate(asked.variables(len(y), cost=c)):
        wrong, right = asked.variables(2)
        _exponential(asked, {s[i]: y[i], t: 1.0}, wrong)
        _exponential(asked, {t: 1.0}, right)
        asked.at_least(-1.0, wrong=(wrong, -1.0), right=(right, -1.0))


def _squared(asked, s, y, c, loss):
    for i, r in enumerate(asked.variables(len(y), curved=2.0 * c)):
        asked.constrain(clarabel.ZeroConeT(1), (y[i], {s[i]: 1.0, r: 1.0}))


def _absolute(asked, s, y, c, loss):
    for i, t in enumerate(asked.variables(len(y), cost=c)):
        asked.at_least(y[i], t=(t, 1.0), s=(s[i], 1.0))
        asked.at_least(-y[i], t=(t, 1.0), s=(s[i], -1.0))


def _huber(asked, s, y, c, loss):
    """y − s = r + v at the price ½r² + δ|v|: Huber's loss is the lesser of any such split."""
    near, far = asked.variables(len(y), curved=c), asked.variables(len(y))
    for i, t in enumerate(asked.variables(len(y), cost=loss.delta * c)):
        asked.constrain(clarabel.ZeroConeT(1), (y[i], {s[i]: 1.0, near[i]: 1.0, far[i]: 1.0}))
        asked.at_least(0.0, t=(t, 1.0), v=(far[i], 1.0))
        asked.at_least(0.0, t=(t, 1.0), v=(far[i], -1.0))


def _epsilon_insensitive(asked, s, y, c, loss):
    for i, t in enumerate(asked.variables(len(y), cost=c)):
        _tube(asked, s[i], y[i], loss.epsilon, t)


def _squared_epsilon_insensitive(asked, s, y, c, loss):
    for i, t in enumerate(asked.variables(len(y), curved=2.0 * c)):
        _tube(asked, s[i], y[i], loss.epsilon, t)


def _tube(asked, s, y, epsilon, t):
    """t ≥ |y − s| − ε and t ≥ 0."""
    asked.at_least(y - epsilon, t=(t, 1.0), s=(s, 1.0))
    asked.at_least(-y - epsilon, t=(t, 1.0), s=(s, -1.0))
    asked.at_least(0.0, t=(t, 1.0))


LOSSES = {
    "perceptron": _perceptron,
    "hinge": _hinge,
    "squared_hinge": _squared_hinge,
    "logistic": _logistic,
    "squared": _squared,
    "absolute": _absolute,
    "huber": _huber,
    "epsilon_insensitive": _epsilon_insensitive,
    "squared_epsilon_insensitive": _squared_epsilon_insensitive,
}
