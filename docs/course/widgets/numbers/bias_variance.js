/** Polynomials fitted to small samples of one curve, and what their errors are made of. */

/** Return P₀(x), …, P_q(x), the Legendre polynomials: powers of x in a basis that keeps digits. */
export function basis(x, degree) {
  const values = [1, x];
  for (let k = 2; k <= degree; k++) values.push(((2 * k - 1) * x * values[k - 1] - (k - 1) * values[k - 2]) / k);
  return values.slice(0, degree + 1);
}

/** Return w that minimises ‖Xw − y‖², by an orthogonal basis Q of the columns: R w = Qᵀy (Gram & Schmidt, twice). */
export function leastSquares(X, y) {
  const d = X[0].length;
  const column = (j) => X.map((row) => row[j]);
  const dot = (u, v) => u.reduce((sum, value, i) => sum + value * v[i], 0);
  const [Q, R] = [[], Array.from({ length: d }, () => new Array(d).fill(0))];
  for (let j = 0; j < d; j++) {
    let q = column(j);
    for (let round = 0; round < 2; round++)
      for (let k = 0; k < j; k++) {
        const share = dot(Q[k], q);
        R[k][j] += share;
        q = q.map((value, i) => value - share * Q[k][i]);
      }
    R[j][j] = Math.sqrt(dot(q, q));
    Q.push(q.map((value) => value / R[j][j]));
  }
  const w = Q.map((q) => dot(q, y));
  for (let j = d - 1; j >= 0; j--) {
    for (let k = j + 1; k < d; k++) w[j] -= R[j][k] * w[k];
    w[j] /= R[j][j];
  }
  return w;
}

/** Return the polynomial of weights w at x. */
export function evaluate(w, x) {
  return basis(x, w.length - 1).reduce((sum, value, k) => sum + value * w[k], 0);
}

/** Return the mean squared error of predictions (R, N) about targets (N), and its parts: it is bias + variance. */
export function decompose(predictions, targets) {
  const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const main = targets.map((_, i) => average(predictions.map((row) => row[i])));
  const loss = average(predictions.map((row) => average(row.map((value, i) => (value - targets[i]) ** 2))));
  const bias = average(main.map((value, i) => (value - targets[i]) ** 2));
  const variance = average(predictions.map((row) => average(row.map((value, i) => (value - main[i]) ** 2))));
  return { loss, bias, variance, main };
}

/** Return E[E_in] = σ²(1 − (d + 1)/N) and E[E_out] = σ²(1 + (d + 1)/N) of a line that is true, with noise σ. */
export function expectedErrors(n, parameters, noise) {
  return { in: noise ** 2 * (1 - parameters / n), out: noise ** 2 * (1 + parameters / n) };
}
