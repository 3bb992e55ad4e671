/** A line of least squares through points, and its hat matrix. */

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Return H, (N, N), with ŷ = H y for a line with an intercept: h_ij = 1/N + (x_i − x̄)(x_j − x̄) / Σ(x − x̄)². */
export function hatMatrix(x) {
  const middle = mean(x);
  const square = x.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const shared = (i, j) => (square > 0 ? ((x[i] - middle) * (x[j] - middle)) / square : 0);
  return x.map((_, i) => x.map((_, j) => 1 / x.length + shared(i, j)));
}

/** Return the slope and the intercept of the line. */
export function fitLine(x, y) {
  const [mx, my] = [mean(x), mean(y)];
  const square = x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
  const slope = square > 0 ? x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0) / square : 0;
  return { slope, intercept: my - slope * mx };
}

/** Return ŷ = H y. */
export function fittedValues(H, y) {
  return H.map((row) => row.reduce((sum, h, j) => sum + h * y[j], 0));
}

/** Return E_in = (1/N) ‖ŷ − y‖². */
export function meanSquaredError(fitted, y) {
  return mean(y.map((value, i) => (fitted[i] - value) ** 2));
}

/** Return what is left of point i by a line that has not seen it: (y_i − ŷ_i) / (1 − h_ii). */
export function leaveOneOutResidual(H, y, i) {
  return (y[i] - fittedValues(H, y)[i]) / (1 - H[i][i]);
}
