/** What Hoeffding and Vapnik & Chervonenkis promise, beside experiments whose truth is known. */

import { Board } from "./board.js";
import { buttons, show, slider, stage } from "./controls.js";
import { hoeffdingEpsilon, hoeffdingProbability, largestDeviation, quantile, rayDeviation, vcEpsilon } from "./numbers/bounds.js";
import { generator } from "./numbers/random.js";

export const WORDS = {
  en: {
    chances: "How often the in-sample error of some hypothesis is farther than ε from the truth: simulated, and bounded",
    sizes: "How far in-sample and out-of-sample errors are apart, by the number of examples: simulated, and bounded",
    n: "Examples N", M: "Hypotheses M", mu: "True error of each", d: "VC dimension", again: "Draw new samples",
    hoeffding: "Hoeffding", simulated: "simulated", vc: "VC bound", one: "Hoeffding, M = 1", truth: "simulated, d = 1", vacuous: "vacuous",
    probability: "P[some |E_in − E_out| > ε]", epsilon: "ε for δ = 0.05",
    bound: "Hoeffding: with probability 0.95 every error is within", seen: "Simulated: in 95 of 100 samples within",
    promise: (n) => `VC bound for N = ${n}:`, empty: "(vacuous)",
  },
  ko: {
    chances: "어떤 가설의 표본 내 오차가 참값에서 ε보다 멀리 벗어나는 빈도: 모의실험과 상한",
    sizes: "예제 수에 따른 표본 내 오차와 표본 외 오차의 차이: 모의실험과 상한",
    n: "예제 수 N", M: "가설 수 M", mu: "각 가설의 참 오차", d: "VC 차원", again: "표본 새로 뽑기",
    hoeffding: "호에프딩", simulated: "모의실험", vc: "VC 상한", one: "호에프딩, M = 1", truth: "모의실험, d = 1", vacuous: "의미 없음",
    probability: "P[|E_in − E_out| > ε인 가설이 있음]", epsilon: "δ = 0.05일 때의 ε",
    bound: "호에프딩: 확률 0.95로 모든 오차의 차이가 이 값 이내:", seen: "모의실험: 표본 100개 중 95개에서 이 값 이내:",
    promise: (n) => `N = ${n}일 때의 VC 상한:`, empty: "(의미 없음)",
  },
};

const DELTA = 0.05;
const REPEATS = 200;
const SIZES = [10, 30, 100, 300, 1000, 3000];

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const chances = new Board({ x: [0, 0.5], y: [0, 1.2], names: ["ε", words.probability], label: words.chances, height: 280 });
  const sizes = new Board({ x: [10, 1e6], y: [0.001, 10], log: "xy", names: ["N", words.epsilon], label: words.sizes, height: 280, left: 54 });
  boards.append(chances.node, sizes.node);
  const now = { n: 100, M: 1, mu: 0.3, d: 1, seed: 1 };
  let [deviations, truth] = [[], []];

  const simulate = () => {
    const random = generator(now.seed);
    deviations = Array.from({ length: REPEATS }, () => largestDeviation(now.n, now.M, now.mu, random)).sort((a, b) => a - b);
  };
  const simulateRays = () => {
    const random = generator(now.seed);
    truth = SIZES.map((n) => {
      const found = Array.from({ length: 60 }, () => rayDeviation(Array.from({ length: n }, random)));
      return [n, quantile(found, 1 - DELTA)];
    });
  };
  const draw = () => {
    const grid = Array.from({ length: 201 }, (_, k) => k / 400);
    const share = (epsilon) => deviations.filter((value) => value > epsilon).length / REPEATS;
    chances.paint(() => {
      chances.path("bound", grid.map((e) => [e, hoeffdingProbability(now.n, e, now.M)]), "minus-line");
      chances.path("seen", grid.map((e) => [e, share(e)]), "plus-line");
      const place = (f) => grid.find((e) => f(e) < 0.5) ?? 0.45;
      chances.text("bound-name", Math.min(0.38, place((e) => hoeffdingProbability(now.n, e, now.M)) + 0.01), 0.52, words.hoeffding, "minus-text");
      chances.text("seen-name", Math.min(0.4, place(share) + 0.01), 0.2, words.simulated, "plus-text");
    });
    const logGrid = Array.from({ length: 101 }, (_, k) => 10 ** (1 + k / 20));
    sizes.paint(() => {
      sizes.bar("vacuous", 10, 1e6, 1, 10, "faint-bar");
      sizes.text("vacuous-name", 7e5, 5.5, words.vacuous, "", "end");
      sizes.path("vc", logGrid.map((n) => [n, vcEpsilon(n, now.d, DELTA)]), "minus-line");
      sizes.path("one", logGrid.map((n) => [n, hoeffdingEpsilon(n, DELTA)]), "second-line");
      sizes.path("truth", truth, "plus-line");
      truth.forEach(([n, value], k) => sizes.point(`t${k}`, n, value, { kind: "plus", radius: 4 }));
      sizes.text("vc-name", 7e5, Math.min(4, vcEpsilon(2e5, now.d, DELTA) * 1.5), words.vc, "minus-text", "end");
      sizes.text("one-name", 7e5, hoeffdingEpsilon(4e5, DELTA) * 1.9, words.one, "second-text", "end");
      sizes.text("truth-name", 12, 0.03, words.truth, "plus-text");
    });
    const promise = vcEpsilon(now.n, now.d, DELTA);
    tell(
      [words.bound, show(hoeffdingEpsilon(now.n, DELTA, now.M), 3)],
      [words.seen, show(quantile(deviations, 1 - DELTA), 3)],
      [words.promise(now.n), `${show(promise, 3)} ${promise >= 1 ? words.empty : ""}`.trim()],
    );
  };
  const whole = (v) => String(Math.round(10 ** v));
  const set = (key, convert, again = true) => (value) => {
    now[key] = convert(value);
    if (again) simulate();
    draw();
  };
  const power = (v) => Math.round(10 ** v);
  slider(panel, { label: words.n, min: 1, max: 3, step: 0.05, value: 2, format: whole, change: set("n", power) });
  slider(panel, { label: words.M, min: 0, max: 2, step: 0.1, value: 0, format: whole, change: set("M", power) });
  slider(panel, { label: words.mu, min: 0.02, max: 0.5, step: 0.02, value: now.mu, change: set("mu", Number) });
  slider(panel, { label: words.d, min: 0, max: 3, step: 0.1, value: 0, format: whole, change: set("d", power, false) });
  buttons(panel, [words.again, () => {
    now.seed += 1;
    simulate();
    simulateRays();
    draw();
  }]);
  simulate();
  simulateRays();
  draw();
}
