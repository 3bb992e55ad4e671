/** XOR: what no line can do and two hidden units can, found by gradient descent. */

import { Board } from "./board.js";
import { buttons, choice, runner, show, slider, stage } from "./controls.js";
import { countErrors, descend, drawNetwork, forward, gradients, meanError } from "./numbers/network.js";
import { sigmoid } from "./numbers/logistic.js";
import { generator, normal } from "./numbers/random.js";

export const WORDS = {
  en: {
    board: "Points of the exclusive or, and the probability that the network gives", history: "Error after every step",
    point: (k, label, x, y) => `Point ${k}, class ${label ? "plus" : "minus"}, at ${x}, ${y}. Arrow keys move it, Enter changes its class.`,
    step: "Ten steps", run: "Run", pause: "Pause", reset: "New start", units: "Hidden units", eta: "Step size η",
    spread: "Size of the initial weights", spreads: [["0.01", "0.01: nearly equal units"], ["1", "1: usual"], ["6", "6: saturated units"]],
    steps: "steps", error: "E_in:", wrong: "Misclassified:", slopes: "Gradient of output and hidden weights:", seed: "Start",
  },
  ko: {
    board: "배타적 논리합(XOR)의 점들과 신경망이 매긴 확률", history: "걸음마다의 오차",
    point: (k, label, x, y) => `${k}번 점, ${label ? "양" : "음"}의 클래스, 좌표 ${x}, ${y}. 화살표 키로 옮기고 Enter 키로 클래스를 바꿉니다.`,
    step: "열 걸음", run: "계속", pause: "멈춤", reset: "새 출발점", units: "은닉 유닛 수", eta: "보폭 η",
    spread: "초기 가중치의 크기", spreads: [["0.01", "0.01: 거의 같은 유닛들"], ["1", "1: 보통"], ["6", "6: 포화된 유닛들"]],
    steps: "걸음", error: "E_in:", wrong: "오분류:", slopes: "출력층과 은닉층 가중치의 기울기 크기:", seed: "출발점",
  },
};

function drawPoints() {
  const random = generator(4);
  return Array.from({ length: 24 }, (_, k) => {
    const [a, b] = [k % 2 ? 1 : -1, k % 4 < 2 ? 1 : -1];
    return { x: a + 0.25 * normal(random), y: b + 0.25 * normal(random), label: a * b < 0 ? 1 : 0 };
  });
}

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const board = new Board({ x: [-2, 2], y: [-1.8, 1.8], names: ["x₁", "x₂"], label: words.board });
  const history = new Board({ x: [0, 2000], y: [0.003, 3], log: "y", names: [words.steps, "E_in"], label: words.history, height: 170 });
  boards.append(board.node, history.node);
  const points = drawPoints();
  const now = { units: 2, eta: 0.5, spread: 1, seed: 1 };
  let [network, errors] = [null, []];

  const draw = () => {
    board.paint(() => {
      board.field((x, y) => 2 * sigmoid(forward(network, [x, y]).s) - 1, 56, 48);
      board.contour("boundary", (x, y) => forward(network, [x, y]).s, 0, "boundary", 64, 56);
      network.b.forEach((b, j) => board.line(`unit${j}`, [b, network.W[0][j], network.W[1][j]], "second-line dashed"));
      points.forEach((point, k) => board.point(`p${k}`, point.x, point.y, {
        kind: point.label ? "plus" : "minus", radius: 6,
        name: words.point(k + 1, point.label, show(point.x, 1), show(point.y, 1)),
        move: (x, y) => {
          points[k] = { ...point, x, y };
          draw();
        },
        press: () => {
          points[k] = { ...point, label: 1 - point.label };
          draw();
        },
      }));
    });
    history.paint(() => history.path("errors", errors.map((error, k) => [10 * k, Math.max(0.003, error)]), "second-line"));
    const g = gradients(network, points);
    tell(
      [`${words.seed} ${now.seed}, ${words.steps}:`, String(10 * (errors.length - 1))],
      [words.error, show(errors[errors.length - 1], 4)],
      [words.wrong, `${countErrors(network, points)} / ${points.length}`],
      [words.slopes, `${Math.hypot(...g.v).toExponential(1)}, ${Math.hypot(...g.W[0], ...g.W[1]).toExponential(1)}`.replaceAll("-", "−")],
    );
  };
  const restart = () => {
    network = drawNetwork(now.units, generator(now.seed), now.spread);
    errors = [meanError(network, points)];
    draw();
  };
  const advance = () => {
    for (let k = 0; k < 10; k++) network = descend(network, points, now.eta);
    errors.push(meanError(network, points));
    draw();
    return errors.length <= 200;
  };
  const [, run] = buttons(panel, [words.step, advance], [words.run, () => {}], [words.reset, () => {
    running.stop();
    now.seed += 1;
    restart();
  }]);
  const running = runner(run, words, advance, 60);
  slider(panel, {
    label: words.units, min: 1, max: 6, step: 1, value: 2, format: String,
    change: (value) => {
      now.units = value;
      restart();
    },
  });
  slider(panel, {
    label: words.eta, min: -1.5, max: 1, step: 0.1, value: Math.log10(now.eta), format: (v) => show(10 ** v),
    change: (value) => {
      now.eta = 10 ** value;
    },
  });
  choice(panel, {
    label: words.spread, options: words.spreads, value: "1",
    change: (value) => {
      now.spread = Number(value);
      restart();
    },
  });
  restart();
}
