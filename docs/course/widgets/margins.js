/** The widest street between two classes, what C allows inside it, and the boundaries of kernels. */

import { Board } from "./board.js";
import { buttons, choice, show, slider, stage } from "./controls.js";
import { gramMatrix, KERNELS, smallestEigenvalue } from "./numbers/kernels.js";
import { solveDual } from "./numbers/svm.js";

export const WORDS = {
  en: {
    board: "Points of two classes, the boundary between them and its margins",
    point: (k, label, zone, x, y) => `Point ${k}, class ${label > 0 ? "plus" : "minus"}, ${zone}, at ${x}, ${y}. Arrow keys move it, Enter changes its class.`,
    zones: { outside: "outside the margin", on: "on the margin", inside: "inside the margin", wrong: "misclassified" },
    C: "C", gamma: "γ of the kernel", kernel: "Kernel",
    kernels: [["linear", "linear, x·z"], ["poly", "polynomial, (γ x·z + 1)³"], ["rbf", "RBF, exp(−γ ‖x − z‖²)"], ["tanh", "tanh(γ x·z − 1)"]],
    data: "Points", sets: [["blobs", "two clouds"], ["lecture", "five points of the notes"], ["ring", "a ring about a cloud"], ["xor", "exclusive or"]],
    support: "Support vectors:", counts: "Outside, on, inside, misclassified:", width: "Geometric margin 1/‖w‖:",
    values: "Primal, dual:", gap: "Duality gap:", mercer: "Smallest eigenvalue of the Gram matrix:",
    witness: (v) => `A witness: with these weights v on the points, vᵀKv = ${v} < 0. This is no inner product, and the fit is a stationary point only.`,
    valid: "No witness among these points: here K is an inner product.",
    reset: "Start again",
  },
  ko: {
    board: "두 클래스의 점, 그 사이의 경계와 마진",
    point: (k, label, zone, x, y) => `${k}번 점, ${label > 0 ? "양" : "음"}의 클래스, ${zone}, 좌표 ${x}, ${y}. 화살표 키로 옮기고 Enter 키로 클래스를 바꿉니다.`,
    zones: { outside: "마진 바깥", on: "마진 위", inside: "마진 안", wrong: "오분류" },
    C: "C", gamma: "커널의 γ", kernel: "커널",
    kernels: [["linear", "선형, x·z"], ["poly", "다항식, (γ x·z + 1)³"], ["rbf", "RBF, exp(−γ ‖x − z‖²)"], ["tanh", "tanh(γ x·z − 1)"]],
    data: "점의 배치", sets: [["blobs", "두 무리"], ["lecture", "강의의 다섯 점"], ["ring", "무리를 둘러싼 고리"], ["xor", "배타적 논리합"]],
    support: "서포트 벡터:", counts: "바깥, 마진 위, 안, 오분류:", width: "기하 마진 1/‖w‖:",
    values: "원문제, 쌍대문제의 값:", gap: "쌍대 간극:", mercer: "그람 행렬의 가장 작은 고윳값:",
    witness: (v) => `반증: 점들에 이 가중치 v를 주면 vᵀKv = ${v} < 0입니다. 내적이 아니므로 학습 결과는 정류점일 뿐입니다.`,
    valid: "이 점들에서는 반증이 없습니다. 여기서 K는 내적입니다.",
    reset: "처음부터",
  },
};

const SETS = {
  blobs: [[2.0, 2.2, 1], [3.1, 1.4, 1], [2.6, 3.2, 1], [3.8, 2.6, 1], [1.2, 3.0, 1], [4.2, 3.6, 1], [0.9, 1.5, 1],
    [-0.4, 0.3, -1], [0.6, -0.6, -1], [-1.2, 1.1, -1], [-0.8, -1.0, -1], [1.4, 0.2, -1], [-1.8, -0.2, -1], [0.2, 1.9, -1]],
  lecture: [[1, 3, 1], [3, 3, 1], [4, 4, 1], [2, 1, -1], [5, 2, -1]],
  ring: Array.from({ length: 22 }, (_, k) => (k < 14
    ? [2 + 2.2 * Math.cos((2 * Math.PI * k) / 14), 1.5 + 2 * Math.sin((2 * Math.PI * k) / 14), -1]
    : [2 + (0.35 + 0.07 * (k % 3)) * 2 * Math.cos(k * 2.4), 1.5 + 0.8 * Math.sin(k * 2.4), 1])),
  xor: [[0, 0, 1], [0.6, 0.4, 1], [-0.3, 0.5, 1], [4, 3, 1], [3.6, 3.4, 1], [4.4, 2.8, 1],
    [0, 3, -1], [0.5, 3.4, -1], [-0.4, 2.7, -1], [4, 0, -1], [3.6, 0.5, -1], [4.4, -0.3, -1]],
};

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const board = new Board({ x: [-2.5, 6.5], y: [-2, 5], names: ["x₁", "x₂"], label: words.board, height: 390 });
  boards.append(board.node);
  const now = { kernel: "linear", C: 1, gamma: 0.5, set: "blobs" };
  let points = SETS.blobs;

  const draw = () => {
    const kernel = KERNELS[now.kernel](now.gamma);
    const y = points.map((point) => point[2]);
    const K = gramMatrix(kernel, points);
    const found = solveDual(K, y, now.C, 1e-6, 20000);
    const f = (a, b) => points.reduce((sum, point, t) => (found.alpha[t] ? sum + found.alpha[t] * y[t] * kernel(point, [a, b]) : sum), found.b);
    board.paint(() => {
      board.field((a, b) => Math.tanh(f(a, b)), 60, 48);
      board.contour("low", f, -1, "street");
      board.contour("high", f, 1, "street");
      board.contour("boundary", f, 0, "boundary");
      points.forEach(([a, b, label], k) => board.point(`p${k}`, a, b, {
        kind: label > 0 ? "plus" : "minus", radius: 6,
        ring: found.zones[k] === "outside" ? "" : found.zones[k],
        name: words.point(k + 1, label, words.zones[found.zones[k]], show(a, 1), show(b, 1)),
        move: (u, v) => change(k, [u, v, label]),
        press: () => change(k, [a, b, -label]),
      }));
    });
    const count = (zone) => found.zones.filter((each) => each === zone).length;
    const { value } = smallestEigenvalue(K);
    const rounding = 1e-9 * Math.max(...K.map((row) => row.reduce((sum, k) => sum + Math.abs(k), 0)));
    tell(
      [words.support, `${points.length - count("outside")} / ${points.length}`],
      [words.counts, ["outside", "on", "inside", "wrong"].map(count).join(", ")],
      found.square > 0 ? [words.width, show(1 / Math.sqrt(found.square), 4)] : "",
      [words.values, `${show(found.primal, 4)}, ${show(found.dual, 4)}`],
      [words.gap, show(Math.max(0, found.gap), 6)],
      [words.mercer, Math.abs(value) < rounding ? "0" : show(value, 4)],
      value < -rounding ? words.witness(show(value, 4)) : words.valid,
    );
  };
  const change = (k, values) => {
    points = points.map((point, t) => (t === k ? values : point));
    draw();
  };
  const set = (key, convert = (v) => v) => (value) => {
    now[key] = convert(value);
    draw();
  };
  choice(panel, {
    label: words.data, options: words.sets, value: now.set,
    change: (value) => {
      now.set = value;
      points = SETS[value];
      draw();
    },
  });
  choice(panel, { label: words.kernel, options: words.kernels, value: now.kernel, change: set("kernel") });
  slider(panel, { label: words.C, min: -2, max: 3, step: 0.1, value: 0, format: (v) => String(Number((10 ** v).toPrecision(2))), change: set("C", (v) => 10 ** v) });
  slider(panel, { label: words.gamma, min: -2, max: 1, step: 0.05, value: -0.3, format: (v) => show(10 ** v, 3), change: set("gamma", (v) => 10 ** v) });
  buttons(panel, [words.reset, () => {
    points = SETS[now.set];
    draw();
  }]);
  draw();
}
