/** The soft-margin machine: max Σα − ½ΣΣ α_s α_t y_s y_t K_st with 0 ≤ α ≤ C and Σ α y = 0, two coefficients a step. */

const FLAT = 1e-12;

/** Solve the dual for a Gram matrix K and labels ±1 (Fan, Chen & Lin 2005, algorithm 2). */
export function solveDual(K, y, C, tolerance = 1e-9, most = 200000) {
  const n = y.length;
  const alpha = new Array(n).fill(0);
  const G = new Array(n).fill(-1); // ∂/∂α of ½αᵀQα − Σα
  let steps = 0;
  while (steps < most) {
    const pair = choosePair(K, y, C, alpha, G, tolerance);
    if (pair === null) break;
    steps++;
    move(K, y, C, alpha, G, pair);
  }
  return { alpha, steps, ...measure(K, y, C, alpha) };
}

function choosePair(K, y, C, alpha, G, tolerance) {
  const rises = (t) => (y[t] > 0 ? alpha[t] < C : alpha[t] > 0);
  const falls = (t) => (y[t] > 0 ? alpha[t] > 0 : alpha[t] < C);
  let i = -1;
  for (let t = 0; t < y.length; t++) if (rises(t) && (i < 0 || -y[t] * G[t] > -y[i] * G[i])) i = t;
  if (i < 0) return null;
  let [j, best, lowest] = [-1, 0, Infinity];
  for (let t = 0; t < y.length; t++) {
    if (!falls(t)) continue;
    lowest = Math.min(lowest, -y[t] * G[t]);
    const gain = -y[i] * G[i] + y[t] * G[t];
    if (gain <= 0) continue;
    const value = (gain * gain) / Math.max(K[i][i] + K[t][t] - 2 * K[i][t], FLAT);
    if (value > best) [j, best] = [t, value];
  }
  return j < 0 || -y[i] * G[i] - lowest < tolerance ? null : [i, j];
}

function move(K, y, C, alpha, G, [i, j]) {
  const curvature = Math.max(K[i][i] + K[j][j] - 2 * K[i][j], FLAT);
  let delta = (-y[i] * G[i] + y[j] * G[j]) / curvature; // y_i α_i rises by it, y_j α_j falls by it
  delta = Math.min(delta, y[i] > 0 ? C - alpha[i] : alpha[i], y[j] > 0 ? alpha[j] : C - alpha[j]);
  alpha[i] = clip(alpha[i] + y[i] * delta, C);
  alpha[j] = clip(alpha[j] - y[j] * delta, C);
  for (let t = 0; t < y.length; t++) G[t] += y[t] * delta * (K[t][i] - K[t][j]);
}

function clip(value, C) {
  return value < 1e-14 * C ? 0 : value > C * (1 - 1e-14) ? C : value;
}

/** Return the offset b, the two objectives, their gap, and the zone of every point. */
export function measure(K, y, C, alpha) {
  const f = K.map((row) => row.reduce((sum, k, t) => sum + k * alpha[t] * y[t], 0));
  const square = f.reduce((sum, value, t) => sum + value * alpha[t] * y[t], 0);
  const b = offset(f, y, C, alpha);
  const slack = f.map((value, t) => Math.max(0, 1 - y[t] * (value + b)));
  const primal = 0.5 * square + C * slack.reduce((sum, value) => sum + value, 0);
  const dual = alpha.reduce((sum, value) => sum + value, 0) - 0.5 * square;
  const zone = (t) => (slack[t] > 1 ? "wrong" : alpha[t] >= C ? "inside" : alpha[t] > 0 ? "on" : "outside");
  return { b, f, slack, primal, dual, gap: primal - dual, square, zones: y.map((_, t) => zone(t)) };
}

/** Average b over the free support vectors; without one take the middle of the interval that is possible. */
function offset(f, y, C, alpha) {
  const free = f.map((_, t) => t).filter((t) => alpha[t] > 0 && alpha[t] < C);
  if (free.length) return free.reduce((sum, t) => sum + y[t] - f[t], 0) / free.length;
  let [low, high] = [-Infinity, Infinity];
  for (let t = 0; t < y.length; t++) {
    if ((y[t] > 0) === (alpha[t] < C)) low = Math.max(low, y[t] - f[t]);
    else high = Math.min(high, y[t] - f[t]);
  }
  return Number.isFinite(low + high) ? 0.5 * (low + high) : Number.isFinite(low) ? low : Number.isFinite(high) ? high : 0;
}
