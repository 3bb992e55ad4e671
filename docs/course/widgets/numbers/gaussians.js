/** Two Gaussian classes in the plane. A class is {mean: [m₁, m₂], covariance: [[a, b], [b, c]], prior}. */

/** Return the covariance of two standard deviations and a correlation. */
export function covariance(s1, s2, correlation) {
  const shared = correlation * s1 * s2;
  return [[s1 * s1, shared], [shared, s2 * s2]];
}

function determinant([[a, b], [c, d]]) {
  return a * d - b * c;
}

/** Return Σ⁻¹. */
export function inverse([[a, b], [c, d]]) {
  const size = a * d - b * c;
  return [[d / size, -b / size], [-c / size, a / size]];
}

/** Return log p(x | c) + log p(c). */
export function logJoint([x, y], { mean, covariance: S, prior }) {
  const [u, v] = [x - mean[0], y - mean[1]];
  const P = inverse(S);
  const square = P[0][0] * u * u + 2 * P[0][1] * u * v + P[1][1] * v * v;
  return Math.log(prior) - Math.log(2 * Math.PI) - 0.5 * Math.log(determinant(S)) - 0.5 * square;
}

/** Return log p(x | A) p(A) − log p(x | B) p(B), in nats. */
export function logOdds(x, A, B) {
  return logJoint(x, A) - logJoint(x, B);
}

/** Return [q₁₁, q₁₂, q₂₂, l₁, l₂, c]: the log-odds are q₁₁x₁² + q₁₂x₁x₂ + q₂₂x₂² + l₁x₁ + l₂x₂ + c. */
export function conic(A, B) {
  const [P, Q] = [inverse(A.covariance), inverse(B.covariance)];
  const pull = (M, m) => [M[0][0] * m[0] + M[0][1] * m[1], M[1][0] * m[0] + M[1][1] * m[1]];
  const [p, q] = [pull(P, A.mean), pull(Q, B.mean)];
  return [
    -0.5 * (P[0][0] - Q[0][0]), -(P[0][1] - Q[0][1]), -0.5 * (P[1][1] - Q[1][1]),
    p[0] - q[0], p[1] - q[1], logOdds([0, 0], A, B),
  ];
}

/** Return "line", "ellipse", "parabola" or "hyperbola", or "none" where both classes are equal in x. */
export function kindOfConic([a, b, c, d, e]) {
  const scale = Math.abs(a) + Math.abs(b) + Math.abs(c);
  if (scale < 1e-9) return Math.abs(d) + Math.abs(e) < 1e-9 ? "none" : "line";
  const discriminant = (b * b - 4 * a * c) / scale ** 2;
  if (Math.abs(discriminant) < 1e-9) return "parabola";
  return discriminant < 0 ? "ellipse" : "hyperbola";
}

/** Return n points of the ellipse of `radius` standard deviations about a mean. */
export function ellipse({ mean, covariance: [[a, b], [, c]] }, radius, n = 72) {
  const [l11, l21] = [Math.sqrt(a), b / Math.sqrt(a)];
  const l22 = Math.sqrt(Math.max(0, c - l21 * l21));
  return Array.from({ length: n + 1 }, (_, k) => {
    const [u, v] = [radius * Math.cos((2 * Math.PI * k) / n), radius * Math.sin((2 * Math.PI * k) / n)];
    return [mean[0] + l11 * u, mean[1] + l21 * u + l22 * v];
  });
}
