/** Laplace's α: what a small count says of a share. */

/** Decibans in a nat: 10 / ln 10. */
export const DECIBANS_PER_NAT = 10 / Math.LN10;

/** Return (k + α) / (n + 2α), the estimate of a share from k of n; NaN for 0/0. */
export function smoothedShare(k, n, alpha) {
  return (k + alpha) / (n + 2 * alpha);
}

/** Return the evidence of a word that is present, in decibans: k of n spam messages have it, m of l others. */
export function evidence(k, n, m, l, alpha) {
  return DECIBANS_PER_NAT * (Math.log(smoothedShare(k, n, alpha)) - Math.log(smoothedShare(m, l, alpha)));
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Return log Γ(x) for x > 0 (Lanczos 1964). */
export function logGamma(x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x - 1 + 7.5;
  const sum = LANCZOS.reduce((total, c, i) => total + c / (x + i), 0.99999999999980993);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Return the density of Beta(a, b) at p. */
export function betaDensity(p, a, b) {
  const log = (power, x) => (power === 0 ? 0 : power * Math.log(x));
  return Math.exp(log(a - 1, p) + log(b - 1, 1 - p) + logGamma(a + b) - logGamma(a) - logGamma(b));
}
