/** A network of two inputs, one hidden layer of tanh units and a logistic output. */

import { sigmoid, log1pExp } from "./logistic.js";
import { normal } from "./random.js";

/** Draw a network of so many hidden units: W (2, h), b (h), v (h), c. */
export function drawNetwork(units, random, spread = 1) {
  const some = (n) => Array.from({ length: n }, () => spread * normal(random));
  return { W: [some(units), some(units)], b: some(units), v: some(units), c: 0 };
}

/** Return the hidden values h = tanh(Wᵀx + b) and the signal s = v·h + c. */
export function forward(network, [x1, x2]) {
  const h = network.b.map((b, j) => Math.tanh(network.W[0][j] * x1 + network.W[1][j] * x2 + b));
  return { h, s: h.reduce((sum, value, j) => sum + value * network.v[j], network.c) };
}

/** Return the mean cross-entropy of points {x, y, label}, label 0 or 1. */
export function meanError(network, points) {
  const each = (point) => log1pExp((point.label ? -1 : 1) * forward(network, [point.x, point.y]).s);
  return points.reduce((sum, point) => sum + each(point), 0) / points.length;
}

/** Return the gradient by back-propagation: δ = θ(s) − y at the output, δ_j = δ v_j (1 − h_j²) below it. */
export function gradients(network, points) {
  const units = network.b.length;
  const zeros = () => new Array(units).fill(0);
  const found = { W: [zeros(), zeros()], b: zeros(), v: zeros(), c: 0 };
  for (const point of points) {
    const { h, s } = forward(network, [point.x, point.y]);
    const delta = (sigmoid(s) - point.label) / points.length;
    found.c += delta;
    for (let j = 0; j < units; j++) {
      const below = delta * network.v[j] * (1 - h[j] * h[j]);
      found.v[j] += delta * h[j];
      found.b[j] += below;
      found.W[0][j] += below * point.x;
      found.W[1][j] += below * point.y;
    }
  }
  return found;
}

/** Return the network after one step of gradient descent. */
export function descend(network, points, eta) {
  const g = gradients(network, points);
  const less = (values, slopes) => values.map((value, j) => value - eta * slopes[j]);
  return {
    W: [less(network.W[0], g.W[0]), less(network.W[1], g.W[1])],
    b: less(network.b, g.b),
    v: less(network.v, g.v),
    c: network.c - eta * g.c,
  };
}

/** Return how many points lie on the wrong side. */
export function countErrors(network, points) {
  return points.filter((point) => forward(network, [point.x, point.y]).s >= 0 !== point.label > 0).length;
}
