/** The perceptron: one mistake, one update; and the pocket, which keeps the best line met. */

import { Board } from "./board.js";
import { buttons, checkbox, runner, show, stage } from "./controls.js";
import { countErrors, isCorrect, novikoffBound, start, step } from "./numbers/perceptron.js";

export const WORDS = {
  en: {
    board: "Points of two classes, the line of the perceptron and the line in the pocket",
    point: (k, label, x, y) => `Point ${k}, class ${label > 0 ? "plus" : "minus"}, at ${x}, ${y}. Arrow keys move it, Enter changes its class.`,
    step: "One update", run: "Run", pause: "Pause", reset: "Start again",
    mixed: "Two points on the wrong side",
    updates: "Updates:", errors: "Errors of the solid line:", pocket: "Fewest errors so far (dashed, the pocket):",
    separated: (bound) => `No point is misclassified, so nothing moves any more. Novikoff: at most ${bound} updates for this margin.`,
    changed: (k, label) => `Point ${k} was misclassified: w ${label > 0 ? "+" : "−"} (1, x₁, x₂).`,
    idle: "w = 0: every point counts as plus.",
  },
  ko: {
    board: "두 클래스의 점, 퍼셉트론의 직선과 포켓에 든 직선",
    point: (k, label, x, y) => `${k}번 점, ${label > 0 ? "양" : "음"}의 클래스, 좌표 ${x}, ${y}. 화살표 키로 옮기고 Enter 키로 클래스를 바꿉니다.`,
    step: "한 번 갱신", run: "계속", pause: "멈춤", reset: "처음부터",
    mixed: "반대편에 섞인 점 두 개",
    updates: "갱신 횟수:", errors: "실선의 오분류:", pocket: "지금까지 가장 적은 오분류(점선, 포켓):",
    separated: (bound) => `잘못 분류된 점이 없어 더는 움직이지 않습니다. 노비코프 정리: 이 마진이면 갱신은 많아야 ${bound}번입니다.`,
    changed: (k, label) => `${k}번 점이 잘못 분류되어 w에 (1, x₁, x₂)를 ${label > 0 ? "더했습니다" : "뺐습니다"}.`,
    idle: "w = 0: 모든 점을 양의 클래스로 봅니다.",
  },
};

const POINTS = [
  [-1.5, 1.2, -1], [-0.9, 0.4, -1], [-0.2, 0.8, -1], [-1.7, 0.1, -1], [0.3, 1.4, -1], [-0.3, 0.2, -1], [-1.2, -0.4, -1],
  [-0.4, -0.8, 1], [0.6, 0.2, 1], [0.2, -1.2, 1], [1.5, 1.1, 1], [1.4, -0.7, 1], [0.9, 0.7, 1], [-1.0, -1.3, 1],
];
const MIXED = [[0.9, -0.3, -1], [-0.9, 0.9, 1]];

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const board = new Board({ x: [-2, 2], y: [-1.6, 1.6], names: ["x₁", "x₂"], label: words.board });
  boards.append(board.node);
  const read = (rows) => rows.map(([x, y, label]) => ({ x, y, label }));
  let points = read(POINTS);
  let state = start(points);

  const draw = () => board.paint(() => {
    const [b, w1, w2] = state.w;
    const moved = Math.hypot(w1, w2) > 0;
    if (moved) board.field((x, y) => (b + w1 * x + w2 * y >= 0 ? 0.5 : -0.5));
    board.line("pocket", state.best.w, "pocket");
    board.line("now", state.w, "boundary");
    points.forEach((point, k) => board.point(`p${k}`, point.x, point.y, {
      kind: point.label > 0 ? "plus" : "minus",
      ring: k === state.changed ? "last" : isCorrect(state.w, point) ? "" : "wrong",
      name: words.point(k + 1, point.label, show(point.x, 1), show(point.y, 1)),
      move: (x, y) => change(k, { x, y }),
      press: () => change(k, { label: -point.label }),
    }));
    const changed = points[state.changed];
    tell(
      [words.updates, String(state.updates)],
      [words.errors, `${countErrors(state.w, points)} / ${points.length}`],
      [words.pocket, `${state.best.errors} / ${points.length}`],
      state.separated
        ? words.separated(show(novikoffBound(state.w, points), 0))
        : changed ? words.changed(state.changed + 1, changed.label) : words.idle,
    );
  });
  const change = (k, values) => {
    points[k] = { ...points[k], ...values };
    const best = { w: state.best.w, errors: countErrors(state.best.w, points) };
    state = { ...state, best, separated: false, changed: -1 };
    draw();
  };
  const advance = () => {
    state = step(state, points);
    draw();
    return !state.separated;
  };
  const restart = () => {
    running.stop();
    state = start(points);
    draw();
  };
  const [, run] = buttons(panel, [words.step, advance], [words.run, () => {}], [words.reset, restart]);
  const running = runner(run, words, advance, 200);
  checkbox(panel, {
    label: words.mixed,
    change: (isMixed) => {
      points = read(isMixed ? [...POINTS, ...MIXED] : POINTS);
      restart();
    },
  });
  draw();
}
