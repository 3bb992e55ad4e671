/** Hoeffding's and Vapnik & Chervonenkis's bounds, and experiments whose truth is known. */

/** Return min(1, 2M e^(−2ε²N)). */
export function hoeffdingProbability(n, epsilon, M = 1) {
  return Math.min(1, 2 * M * Math.exp(-2 * epsilon * epsilon * n));
}

/** Return √(ln(2M/δ) / 2N). */
export function hoeffdingEpsilon(n, delta, M = 1) {
  return Math.sqrt((Math.log(2) + Math.log(M) - Math.log(delta)) / (2 * n));
}

/** Return √((8/N) ln(4 ((2N)^d + 1) / δ)). */
export function vcEpsilon(n, dimension, delta) {
  const power = dimension * Math.log(2 * n);
  const growth = power + Math.log1p(Math.exp(-power)); // ln((2N)^d + 1)
  return Math.sqrt((8 / n) * (Math.log(4) + growth - Math.log(delta)));
}

/** Return the largest |E_in − E_out| of M coins, each of true error mu, after n examples. */
export function largestDeviation(n, M, mu, random) {
  let largest = 0;
  for (let m = 0; m < M; m++) {
    let errors = 0;
    for (let i = 0; i < n; i++) if (random() < mu) errors++;
    largest = Math.max(largest, Math.abs(errors / n - mu));
  }
  return largest;
}

/** Return sup over a of |E_in − E_out| of the rays 1{x > a}, where x is uniform on [0, 1] and the truth is 1{x > ½}. */
export function rayDeviation(sample) {
  const x = [...sample].sort((a, b) => a - b);
  const n = x.length;
  const below = x.filter((value) => value <= 0.5).length;
  let [low, high] = [0.5 - below / n, 0.5 - below / n]; // F_N(a) − a − (F_N(½) − ½) at a = 0
  const shift = below / n - 0.5;
  x.forEach((value, i) => {
    low = Math.min(low, i / n - value - shift);
    high = Math.max(high, (i + 1) / n - value - shift);
  });
  return Math.max(-low, high, Math.abs(shift));
}

/** Return the value below which a share q of the values lies. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}
