/** Many small samples of one curve, a polynomial through each, and what their errors are made of. */

import { Board } from "./board.js";
import { buttons, show, slider, stage } from "./controls.js";
import { basis, decompose, evaluate, leastSquares } from "./numbers/bias_variance.js";
import { generator, normal } from "./numbers/random.js";

export const WORDS = {
  en: {
    curves: "The true curve, polynomials fitted to samples of it, and their mean", parts: "Bias, variance and their sum by the degree",
    degree: "Degree", n: "Examples in a sample, N", noise: "Noise, σ", again: "Draw new samples",
    truth: "truth", mean: "mean of the fits", bias: "bias²", variance: "variance", total: "sum",
    error: "Expected error of a new y, bias² + variance + σ²:", best: (k) => `Smallest at degree ${k}.`, deg: "degree",
  },
  ko: {
    curves: "참 곡선, 표본마다 맞춘 다항식과 그 평균", parts: "차수에 따른 편향, 분산과 그 합",
    degree: "차수", n: "표본 하나의 예제 수 N", noise: "잡음 σ", again: "표본 새로 뽑기",
    truth: "참 곡선", mean: "적합의 평균", bias: "편향²", variance: "분산", total: "합",
    error: "새 y에 대한 기대 오차, 편향² + 분산 + σ²:", best: (k) => `차수 ${k}에서 가장 작습니다.`, deg: "차수",
  },
};

const GRID = Array.from({ length: 81 }, (_, k) => -1 + k / 40);
const DEGREES = Array.from({ length: 10 }, (_, k) => k);
const REPEATS = 60;
const target = (x) => Math.sin(Math.PI * x);

/** Fit polynomials of every degree to samples of n noisy points: for each the predictions (REPEATS, grid). */
function fitSamples(n, noise, seed) {
  const random = generator(seed);
  const samples = Array.from({ length: REPEATS }, () => {
    const x = Array.from({ length: n }, (_, i) => -1 + (2 * (i + random())) / n);
    return { x, y: x.map((value) => target(value) + noise * normal(random)) };
  });
  return DEGREES.map((degree) => (degree + 1 > n ? null : samples.map(({ x, y }) => {
    const w = leastSquares(x.map((value) => basis(value, degree)), y);
    return GRID.map((value) => evaluate(w, value));
  })));
}

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const curves = new Board({ x: [-1, 1], y: [-2, 2], names: ["x", "y"], label: words.curves, height: 320 });
  const parts = new Board({ x: [0, 9], y: [0.001, 10], log: "y", names: [words.deg, ""], label: words.parts, height: 240, left: 54 });
  boards.append(curves.node, parts.node);
  const now = { degree: 3, n: 12, noise: 0.3, seed: 1 };
  const truth = GRID.map(target);
  let [fits, found] = [[], []];

  const simulate = () => {
    fits = fitSamples(now.n, now.noise, now.seed);
    found = fits.map((predictions) => predictions && decompose(predictions, truth));
  };
  const draw = () => {
    const degree = Math.min(now.degree, now.n - 1);
    const { main, bias, variance, loss } = found[degree];
    const curve = (values) => values.map((value, i) => [GRID[i], value]);
    curves.paint(() => {
      fits[degree].slice(0, 25).forEach((each, k) => curves.path(`f${k}`, curve(each), "thin"));
      curves.path("truth", curve(truth), "plus-line");
      curves.path("mean", curve(main), "minus-line");
      curves.text("truth-name", 0.08, 1.15, words.truth, "plus-text");
      curves.text("mean-name", -0.05, -1.3, words.mean, "minus-text", "end");
    });
    const known = DEGREES.filter((k) => found[k]);
    const floor = (value) => Math.min(10, Math.max(0.001, value));
    parts.paint(() => {
      const line = (part) => known.map((k) => [k, floor(found[k][part])]);
      parts.path("bias", line("bias"), "minus-line");
      parts.path("variance", line("variance"), "second-line");
      parts.path("loss", line("loss"), "boundary");
      parts.path("at", [[degree, 0.001], [degree, 10]], "street");
      parts.text("bias-name", 0.3, floor(found[0].bias) * 1.5, words.bias, "minus-text");
      parts.text("variance-name", 0.3, floor(found[0].variance) * 0.4, words.variance, "second-text");
      parts.point("loss-now", degree, floor(loss), { kind: "line", radius: 5 });
      parts.text("loss-name", degree + 0.2, floor(loss) * 1.5, words.total, "", degree > 7 ? "end" : "start");
    });
    const best = known.reduce((a, b) => (found[b].loss < found[a].loss ? b : a));
    tell(
      [`${words.bias}:`, show(bias, 4)],
      [`${words.variance}:`, show(variance, 4)],
      [words.error, show(loss + now.noise ** 2, 4)],
      words.best(best),
    );
  };
  const set = (key, again = true) => (value) => {
    now[key] = value;
    if (again) simulate();
    draw();
  };
  slider(panel, { label: words.degree, min: 0, max: 9, step: 1, value: now.degree, format: String, change: set("degree", false) });
  slider(panel, { label: words.n, min: 4, max: 60, step: 1, value: now.n, format: String, change: set("n") });
  slider(panel, { label: words.noise, min: 0, max: 1, step: 0.05, value: now.noise, change: set("noise") });
  buttons(panel, [words.again, () => {
    now.seed += 1;
    simulate();
    draw();
  }]);
  simulate();
  draw();
}
