/** The perceptron and its pocket. A point is {x, y, label}, label −1 or +1; weights are [b, w₁, w₂]. */

/** Return b + w·x. */
export function signal(w, point) {
  return w[1] * point.x + w[2] * point.y + w[0];
}

/** Return whether sign(b + w·x) is the label, with sign(0) = +1. */
export function isCorrect(w, point) {
  return signal(w, point) >= 0 === point.label > 0;
}

/** Return the number of misclassified points. */
export function countErrors(w, points) {
  return points.filter((point) => !isCorrect(w, point)).length;
}

/** Return the state before the first step: w = 0, which is in the pocket, too. */
export function start(points) {
  const w = [0, 0, 0];
  return { w, next: 0, updates: 0, changed: -1, separated: false, best: { w, errors: countErrors(w, points) } };
}

/** Look at point `i`: where it is misclassified, w ← w + y·x, and the better of w and the pocket stays in the pocket. */
export function visit(state, points, i) {
  const point = points[i];
  if (isCorrect(state.w, point)) return state;
  const w = [state.w[0] + point.label, state.w[1] + point.label * point.x, state.w[2] + point.label * point.y];
  const errors = countErrors(w, points);
  const best = errors < state.best.errors ? { w, errors } : state.best;
  return { ...state, w, best, updates: state.updates + 1, changed: i };
}

/** Go on to the next misclassified point, in turn, and update; `separated` where a whole round finds none. */
export function step(state, points) {
  for (let k = 0; k < points.length; k++) {
    const i = (state.next + k) % points.length;
    const after = visit(state, points, i);
    if (after !== state) return { ...after, next: (i + 1) % points.length };
  }
  return { ...state, changed: -1, separated: true };
}

/** Visit all points in their order, `passes` times, or until a pass is without a mistake. */
export function fit(points, passes) {
  let state = start(points);
  for (let pass = 0; pass < passes; pass++) {
    const before = state.updates;
    for (let i = 0; i < points.length; i++) state = visit(state, points, i);
    if (state.updates === before) return { ...state, separated: true };
  }
  return state;
}

/** Return Novikoff's bound (R/γ)² on the updates, for the margin γ of w; ∞ where w does not separate the points. */
export function novikoffBound(w, points) {
  const functional = Math.min(...points.map((point) => point.label * signal(w, point)));
  const longest = Math.max(...points.map((point) => point.x ** 2 + point.y ** 2 + 1));
  const length = w[0] ** 2 + w[1] ** 2 + w[2] ** 2;
  return functional > 0 ? (longest * length) / functional ** 2 : Infinity;
}
