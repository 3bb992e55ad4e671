/** Logistic regression of one feature: the curve, the surface of its error, and the steps down. */

import { Board } from "./board.js";
import { buttons, checkbox, runner, show, slider, stage } from "./controls.js";
import { crossEntropy, descend, gradient, largestStep, sigmoid } from "./numbers/logistic.js";
import { generator } from "./numbers/random.js";

export const WORDS = {
  en: {
    curve: "Examples and the probability that the model gives", surface: "Error of every intercept and weight, and the steps taken",
    point: (k, x, label) => `Example ${k}, class ${label > 0 ? "plus" : "minus"}, at ${x}. Left and right move it, Enter changes its class.`,
    start: (b, w) => `Weights: intercept ${b}, weight ${w}. Arrow keys move them.`,
    step: "One step", run: "Run", pause: "Pause", reset: "Start again", eta: "Step size η", stochastic: "One random example a step",
    steps: "Steps:", weights: "b, w:", error: "E_in:", slope: "‖∇E_in‖:",
    limit: (l) => `Below η = ${l} every step over all examples goes down.`,
    rose: "The last step went up: η is too large here.",
  },
  ko: {
    curve: "예제와 모형이 매긴 확률", surface: "절편과 가중치마다의 오차, 그리고 지나온 걸음",
    point: (k, x, label) => `${k}번 예제, ${label > 0 ? "양" : "음"}의 클래스, 위치 ${x}. 좌우 화살표 키로 옮기고 Enter 키로 클래스를 바꿉니다.`,
    start: (b, w) => `가중치: 절편 ${b}, 기울기 ${w}. 화살표 키로 옮깁니다.`,
    step: "한 걸음", run: "계속", pause: "멈춤", reset: "처음부터", eta: "보폭 η", stochastic: "걸음마다 무작위 예제 하나만",
    steps: "걸음 수:", weights: "b, w:", error: "E_in:", slope: "‖∇E_in‖:",
    limit: (l) => `η가 ${l}보다 작으면 전체 예제로 걷는 걸음은 늘 내려갑니다.`,
    rose: "방금 걸음에서 오차가 커졌습니다. 여기서는 η가 너무 큽니다.",
  },
};

const X = [-2.6, -1.9, -1.3, -0.8, 0.5, -0.4, 0.2, 0.9, 1.6, 2.4];
const Y = [-1, -1, -1, -1, -1, 1, 1, 1, 1, 1];
const START = [-3, -1];

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const curve = new Board({ x: [-4, 4], y: [-0.1, 1.1], names: ["x", "P(y = +1 | x)"], label: words.curve, height: 230 });
  const surface = new Board({ x: [-4, 4], y: [-2, 5], names: ["b", "w"], label: words.surface, height: 330 });
  boards.append(curve.node, surface.node);
  let [x, y] = [[...X], [...Y]];
  let [trail, eta, isStochastic] = [[START], 1, false];
  let random = generator(1);

  const drawCurve = (w) => curve.paint(() => {
    curve.path("half", [[-4, 0.5], [4, 0.5]], "street");
    curve.path("curve", Array.from({ length: 161 }, (_, k) => [k / 20 - 4, sigmoid(w[0] + w[1] * (k / 20 - 4))]), "boundary");
    x.forEach((value, k) => curve.point(`p${k}`, value, y[k] > 0 ? 1 : 0, {
      kind: y[k] > 0 ? "plus" : "minus",
      name: words.point(k + 1, show(value, 1), y[k]),
      move: (to) => {
        x[k] = to;
        draw();
      },
      press: () => {
        y[k] = -y[k];
        draw();
      },
    }));
  });
  const drawSurface = (w) => surface.paint(() => {
    const error = (b, slope) => crossEntropy([b, slope], x, y);
    for (const level of [0.32, 0.36, 0.42, 0.5, 0.6, 0.75, 1, 1.3, 1.7, 2.2, 3, 4]) surface.contour(`l${level}`, error, level, "level", 48, 40);
    surface.path("trail", trail, "second-line");
    trail.slice(-60, -1).forEach((at, k) => surface.point(`t${k}`, ...at, { kind: "second", radius: 2.5 }));
    surface.point("now", ...w, {
      kind: "line", radius: 6, name: words.start(show(w[0], 1), show(w[1], 1)),
      move: (b, slope) => {
        trail = [[b, slope]];
        draw();
      },
    });
  });
  const draw = () => {
    const w = trail[trail.length - 1];
    const last = trail.length > 1 ? trail[trail.length - 2] : null;
    const error = crossEntropy(w, x, y);
    drawCurve(w);
    drawSurface(w);
    tell(
      [words.steps, String(trail.length - 1)],
      [words.weights, `${show(w[0])}, ${show(w[1])}`],
      [words.error, show(error, 4)],
      [words.slope, show(Math.hypot(...gradient(w, x, y)), 4)],
      last && !isStochastic && error > crossEntropy(last, x, y) + 1e-12 ? words.rose : words.limit(show(largestStep(x))),
    );
  };
  const advance = () => {
    const w = trail[trail.length - 1];
    const i = Math.floor(random() * x.length);
    trail = [...trail, isStochastic ? descend(w, [x[i]], [y[i]], eta) : descend(w, x, y, eta)];
    draw();
    return trail.length < 500;
  };
  const [, run] = buttons(panel, [words.step, advance], [words.run, () => {}], [words.reset, () => {
    running.stop();
    [x, y, trail, random] = [[...X], [...Y], [START], generator(1)];
    draw();
  }]);
  const running = runner(run, words, advance);
  slider(panel, {
    label: words.eta, min: -1, max: 1.6, step: 0.05, value: 0, format: (v) => show(10 ** v),
    change: (value) => {
      eta = 10 ** value;
    },
  });
  checkbox(panel, {
    label: words.stochastic,
    change: (is) => {
      isStochastic = is;
    },
  });
  draw();
}
