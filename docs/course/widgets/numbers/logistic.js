/** Logistic regression of one feature by gradient descent. Weights are [b, w]; labels −1 or +1. */

/** Return 1 / (1 + e^(−t)), which never overflows. */
export function sigmoid(t) {
  const e = Math.exp(-Math.abs(t));
  return t >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/** Return ln(1 + e^t), which never overflows. */
export function log1pExp(t) {
  return Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t)));
}

/** Return E_in(w) = (1/N) Σ ln(1 + e^(−y s)). */
export function crossEntropy(w, x, y) {
  return x.reduce((sum, value, i) => sum + log1pExp(-y[i] * (w[0] + w[1] * value)), 0) / x.length;
}

/** Return ∇E_in(w) = −(1/N) Σ y x θ(−y s). */
export function gradient(w, x, y) {
  const g = [0, 0];
  x.forEach((value, i) => {
    const slope = -y[i] * sigmoid(-y[i] * (w[0] + w[1] * value));
    g[0] += slope / x.length;
    g[1] += (slope * value) / x.length;
  });
  return g;
}

/** Return w − η ∇E_in(w). */
export function descend(w, x, y, eta) {
  const g = gradient(w, x, y);
  return [w[0] - eta * g[0], w[1] - eta * g[1]];
}

/** Return 2 / L for the largest curvature L that E_in can have: below it every step goes down. */
export function largestStep(x) {
  const n = x.length;
  const [a, b, c] = [1, x.reduce((s, v) => s + v, 0) / n, x.reduce((s, v) => s + v * v, 0) / n];
  const largest = 0.5 * (a + c) + Math.sqrt(0.25 * (a - c) ** 2 + b * b);
  return 2 / (0.25 * largest);
}
