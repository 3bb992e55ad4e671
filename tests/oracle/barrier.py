"""The path of an interior point, line by line of the definition, with dense arrays of NumPy."""

import numpy as np


class Barrier:
    """Lines t, lo, hi, curve of A (M, d) at u, of which the first N know an intercept."""

    def __init__(self, A, N, t, lo, hi, curve, u, away):
        self.A, self.N, self.t, self.lo, self.hi, self.curve, self.u = A, N, t, lo, hi, curve, u
        self.away = away
        self.z, self.q = np.maximum(t, 0.0) + away, np.maximum(-t, 0.0) + away
        self.knows_b = np.arange(len(t)) < N

    def sums(self, u):
        """Aᵀu, and Σ u over the rows of X."""
        return self.A.T @ u, u[: self.N].sum()

    def look(self, w, b):
        """The losses, the products of complements, or what losses lack of u if that is more, and the sums of u."""
        r = self.t - self.A @ w - b * self.knows_b
        self.apart = r - self.curve * self.u - self.z + self.q
        bound = np.where(r > 0.0, self.hi, self.lo)
        bent = 0.5 * r**2 / np.where(self.curve > 0.0, self.curve, 1.0)
        losses = np.where(self.curve > 0.0, np.where(bound == 0.0, 0.0, bent), bound * r)
        product = self.z * (self.hi - self.u) + self.q * (self.u - self.lo)
        left = losses - self.u * r + 0.5 * self.curve * self.u**2
        return losses.sum(), max(product.sum(), left.sum()), *self.sums(self.u)

    def weights(self):
        """What lines weigh in the system."""
        return 1.0 / (self.z / (self.hi - self.u) + self.q / (self.u - self.lo) + self.curve)

    def aim(self, mu=None):
        """The sums of the steps of u where w and b stay."""
        up, down = (0.0, 0.0) if mu is None else (mu + self.dz * self.du, mu - self.dq * self.du)
        self.to_z, self.to_q = up / (self.hi - self.u) - self.z, down / (self.u - self.lo) - self.q
        self.du = self.rest = self.weights() * (self.apart - self.to_z + self.to_q)
        return self.sums(self.rest)

    def turn(self, w, b):
        """The sums of the steps of u that go with those of w and b."""
        self.du = self.rest - self.weights() * (self.A @ w + b * self.knows_b)
        return self.sums(self.du)

    def find_taken(self):
        """Return the largest share of what a line has that the step takes away."""
        above, below = self.hi - self.u, self.u - self.lo
        self.dz = self.to_z + self.z / above * self.du
        self.dq = self.to_q - self.q / below * self.du
        return np.max([-self.dz / self.z, -self.dq / self.q, self.du / above, -self.du / below], axis=0)

    def longest(self, share):
        """Return how far the step can be taken."""
        return min(1.0, share / max(1e-300, self.find_taken().max()))

    def reach(self):
        """How far the step can be taken, and the products of complements after it."""
        s = self.longest(1.0)
        u, z, q = self.u + s * self.du, self.z + s * self.dz, self.q + s * self.dq
        return s, (z * (self.hi - u) + q * (u - self.lo)).sum()

    def advance(self, share):
        """Take the step; where it is short, as far as all but one line in 200 can: lines keep 0.3 of what they have."""
        s, left, few = self.longest(share), 1.0 - share, len(self.t) // 200
        if few and s < 0.7:
            s, left = min(1.0, share / max(1e-300, np.sort(self.find_taken())[-few])), 0.3
        above, below = self.hi - self.u, self.u - self.lo
        self.z = np.maximum(self.z + s * self.dz, left * self.z)
        self.q = np.maximum(self.q + s * self.dq, left * self.q)
        self.u = np.clip(self.u + s * self.du, self.lo + left * below, self.hi - left * above)
        return s

    def step(self, w, b, strength, intercept):
        """Take a step, predicted and corrected, and return the weights after it."""
        A = np.column_stack([self.A, self.knows_b])
        H = A.T @ np.diag(self.weights()) @ A + np.diag(np.append(np.full(A.shape[1] - 1, strength), 0.0))
        d = self.A.shape[1] + intercept

        def aimed(mu):
            v, total = self.aim(mu)
            right = np.append(v - self.slope, self.sum + total)
            step = np.append(np.linalg.solve(H[:d, :d], right[:d]), np.zeros(1 - intercept))
            self.turn(step[:-1], step[-1])
            return step[:-1], step[-1]

        aimed(None)
        product = (self.z * (self.hi - self.u) + self.q * (self.u - self.lo)).sum()
        mu = (self.reach()[1] / product) ** 3 * product / (2.0 * len(self.t))
        dw, db = aimed(mu)
        length = self.advance(0.995)
        return w + length * dw, b + length * db

    def follow(self, strength, intercept, steps):
        """P and what is short of it, after each step; then w, b and u."""
        w, b, told = np.zeros(self.A.shape[1]), 0.0, []
        for _ in range(steps + 1):
            losses, product, v, total = self.look(w, b)
            self.slope, self.sum = strength * w - v, total if intercept else 0.0
            told.append((losses + 0.5 * strength * w @ w, product + abs(self.slope @ w) + abs(self.sum * b)))
            before = w, b, self.clean()
            w, b = self.step(w, b, strength, intercept)
        return told, before

    def clean(self):
        """u, at its bound where it tends to it."""
        wide = (self.hi - self.lo) / self.away
        low = np.where(self.u - self.lo < self.q * wide, self.lo, self.u)
        return np.where(self.hi - self.u < self.z * wide, self.hi, low)
