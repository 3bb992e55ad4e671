/** Two Gaussian classes: their means, covariances and prior, and the boundary between them. */

import { Board } from "./board.js";
import { checkbox, show, slider, stage } from "./controls.js";
import { conic, covariance, ellipse, kindOfConic, logOdds } from "./numbers/gaussians.js";
import { DECIBANS_PER_NAT } from "./numbers/smoothing.js";

export const WORDS = {
  en: {
    board: "Two Gaussian classes and the boundary where their probabilities are equal",
    mean: (name, x, y) => `Mean of class ${name} at ${x}, ${y}. Arrow keys move it.`,
    probe: (x, y) => `Item to classify at ${x}, ${y}. Arrow keys move it.`,
    names: ["circle", "square"], shared: "One covariance for both classes",
    s1: "Width of the circle class, σ₁", s2: "Height of the circle class, σ₂", rho: "Correlation of the circle class, ρ",
    prior: "Prior probability of the circle class, φ",
    boundary: "Boundary:",
    kinds: { line: "a straight line", ellipse: "an ellipse", parabola: "a parabola", hyperbola: "a hyperbola", none: "none" },
    q: "Quadratic part:", evidence: "Evidence at the diamond for circle:",
  },
  ko: {
    board: "두 가우스 클래스와 두 확률이 같아지는 경계",
    mean: (name, x, y) => `${name} 클래스의 평균, 좌표 ${x}, ${y}. 화살표 키로 옮깁니다.`,
    probe: (x, y) => `분류할 점, 좌표 ${x}, ${y}. 화살표 키로 옮깁니다.`,
    names: ["동그라미", "네모"], shared: "두 클래스가 공분산을 공유",
    s1: "동그라미 클래스의 가로 폭 σ₁", s2: "동그라미 클래스의 세로 폭 σ₂", rho: "동그라미 클래스의 상관계수 ρ",
    prior: "동그라미 클래스의 사전 확률 φ",
    boundary: "경계:",
    kinds: { line: "직선", ellipse: "타원", parabola: "포물선", hyperbola: "쌍곡선", none: "없음" },
    q: "이차항의 계수:", evidence: "마름모 위치에서 동그라미를 가리키는 증거:",
  },
};

const SQUARE = { s1: 1, s2: 1, rho: 0 };

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const board = new Board({ x: [-4, 4], y: [-3.2, 3.2], names: ["x₁", "x₂"], label: words.board });
  boards.append(board.node);
  const means = [[1.2, 0.4], [-1.2, -0.4]];
  const now = { s1: 1, s2: 1, rho: 0.5, prior: 0.5, isShared: true, probe: [0.6, -1.4] };

  const draw = () => board.paint(() => {
    const own = covariance(now.s1, now.s2, now.rho);
    const A = { mean: means[0], covariance: own, prior: now.prior };
    const other = now.isShared ? own : covariance(SQUARE.s1, SQUARE.s2, SQUARE.rho);
    const B = { mean: means[1], covariance: other, prior: 1 - now.prior };
    const score = (x, y) => DECIBANS_PER_NAT * logOdds([x, y], A, B);
    board.field((x, y) => Math.tanh(score(x, y) / 20));
    for (const level of [-20, -10, 10, 20]) board.contour(`level${level}`, score, level, "level");
    board.contour("boundary", score, 0, "boundary");
    [A, B].forEach((each, k) => {
      const kind = k ? "minus" : "plus";
      for (const radius of [1, 2]) board.path(`e${k}${radius}`, ellipse(each, radius), `${kind}-line${radius > 1 ? " dashed" : ""}`);
      board.point(`m${k}`, ...each.mean, {
        kind,
        name: words.mean(words.names[k], show(each.mean[0], 1), show(each.mean[1], 1)),
        move: (x, y) => {
          means[k] = [x, y];
          draw();
        },
      });
    });
    board.point("probe", ...now.probe, {
      kind: "line", radius: 5, ring: "probe", name: words.probe(show(now.probe[0], 1), show(now.probe[1], 1)),
      move: (x, y) => {
        now.probe = [x, y];
        draw();
      },
    });
    const q = conic(A, B);
    tell(
      [words.boundary, words.kinds[kindOfConic(q)]],
      [words.q, `${show(q[0])} x₁² ${q[1] < 0 ? "−" : "+"} ${show(Math.abs(q[1]))} x₁x₂ ${q[2] < 0 ? "−" : "+"} ${show(Math.abs(q[2]))} x₂²`],
      [words.evidence, `${show(score(...now.probe), 1)} dB`],
    );
  });
  const add = (key, min, max, step) => slider(panel, {
    label: words[key], min, max, step, value: now[key],
    change: (value) => {
      now[key] = value;
      draw();
    },
  });
  checkbox(panel, {
    label: words.shared, checked: true,
    change: (is) => {
      now.isShared = is;
      draw();
    },
  });
  add("s1", 0.3, 2, 0.05);
  add("s2", 0.3, 2, 0.05);
  add("rho", -0.9, 0.9, 0.05);
  add("prior", 0.02, 0.98, 0.01);
  draw();
}
