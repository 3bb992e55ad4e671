/** Kernels, their Gram matrices, and Mercer's condition on the points at hand. */

const dot = (x, z) => x[0] * z[0] + x[1] * z[1];
const distance = (x, z) => (x[0] - z[0]) ** 2 + (x[1] - z[1]) ** 2;

/** Functions K(x, z) by name, made from γ. */
export const KERNELS = {
  linear: () => dot,
  poly: (gamma) => (x, z) => (gamma * dot(x, z) + 1) ** 3,
  rbf: (gamma) => (x, z) => Math.exp(-gamma * distance(x, z)),
  tanh: (gamma) => (x, z) => Math.tanh(gamma * dot(x, z) - 1),
};

/** Return the Gram matrix K(x_i, x_j) of rows. */
export function gramMatrix(kernel, rows) {
  return rows.map((x) => rows.map((z) => kernel(x, z)));
}

/** Return the smallest eigenvalue of a symmetric matrix and its vector, by rotations (Jacobi 1846). */
export function smallestEigenvalue(matrix) {
  const n = matrix.length;
  const A = matrix.map((row) => [...row]);
  const V = matrix.map((_, i) => matrix.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) off += A[p][q] ** 2;
    if (off < 1e-26) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(A, V, p, q);
  }
  const values = A.map((row, i) => row[i]);
  const place = values.indexOf(Math.min(...values));
  return { value: values[place], vector: V.map((row) => row[place]) };
}

function rotate(A, V, p, q) {
  if (Math.abs(A[p][q]) < 1e-300) return;
  const ratio = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const t = (ratio >= 0 ? 1 : -1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < A.length; k++) {
    const [a, b] = [A[k][p], A[k][q]];
    A[k][p] = c * a - s * b;
    A[k][q] = s * a + c * b;
  }
  for (let k = 0; k < A.length; k++) {
    const [a, b] = [A[p][k], A[q][k]];
    A[p][k] = c * a - s * b;
    A[q][k] = s * a + c * b;
    const [u, v] = [V[k][p], V[k][q]];
    V[k][p] = c * u - s * v;
    V[k][q] = s * u + c * v;
  }
}
