/** A word in few messages: the raw share, the share with α, and how sure either is. */

import { Board } from "./board.js";
import { show, slider, stage } from "./controls.js";
import { betaDensity, evidence, smoothedShare } from "./numbers/smoothing.js";

export const WORDS = {
  en: {
    board: "What the counts say of the share of messages with the word: a density for spam, one for ham",
    share: "share of messages with the word", spam: "spam", ham: "ham",
    k: "Spam messages with the word", n: "Spam messages", m: "Ham messages with the word", l: "Ham messages", alpha: "α",
    raw: "Raw shares (spam, ham):", smoothed: "With α:", evidence: "Evidence of the word:",
    never: "Without α a word never seen in one class is decisive for ever, and one never seen at all is 0/0.",
  },
  ko: {
    board: "개수만 보고 추정한, 그 단어가 든 메일의 비율: 스팸의 밀도와 햄의 밀도",
    share: "그 단어가 든 메일의 비율", spam: "스팸", ham: "햄",
    k: "그 단어가 든 스팸 수", n: "전체 스팸 수", m: "그 단어가 든 햄 수", l: "전체 햄 수", alpha: "α",
    raw: "날것의 비율(스팸, 햄):", smoothed: "α를 더하면:", evidence: "이 단어의 증거:",
    never: "α가 없으면 한쪽에서 본 적 없는 단어 하나가 판정을 영영 결정해 버리고, 양쪽 모두에서 본 적이 없으면 0/0이 됩니다.",
  },
};

const GRID = Array.from({ length: 400 }, (_, k) => (k + 0.5) / 400);

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const board = new Board({ x: [0, 1], y: [0, 12], names: [words.share, ""], label: words.board, height: 320 });
  boards.append(board.node);
  const now = { k: 2, n: 6, m: 0, l: 6, alpha: 1 };

  const draw = () => board.paint(() => {
    const { k, n, m, l, alpha } = now;
    [[k, n, "plus", words.spam], [m, l, "minus", words.ham]].forEach(([count, of, kind, name], row) => {
      const density = (p) => betaDensity(p, count + alpha, of - count + alpha);
      if (alpha > 0) board.path(`d${row}`, GRID.map((p) => [p, density(p)]), `${kind}-line`);
      const [raw, mean] = [smoothedShare(count, of, 0), smoothedShare(count, of, alpha)];
      board.path(`r${row}`, [[raw, 0], [raw, 12]], `${kind}-line dashed`);
      board.point(`s${row}`, mean, 0.35, { kind, radius: 7 });
      const right = mean < 0.7;
      board.text(`t${row}`, mean + (right ? 0.02 : -0.02), 9.6 - 1.4 * row, `${name}: ${show(mean, 3)}`, `${kind}-text`, right ? "start" : "end");
    });
    const found = evidence(k, n, m, l, alpha);
    tell(
      [words.raw, `${show(smoothedShare(k, n, 0), 3)}, ${show(smoothedShare(m, l, 0), 3)}`],
      [words.smoothed, `${show(smoothedShare(k, n, alpha), 3)}, ${show(smoothedShare(m, l, alpha), 3)}`],
      [words.evidence, `${found > 0 ? "+" : ""}${show(found, 1)} dB`],
      alpha === 0 ? words.never : "",
    );
  });
  const whole = (v) => String(v);
  const add = (key, max, step, format = whole, min = 0) => slider(panel, {
    label: words[key], min, max, step, value: now[key], format,
    change: (value) => {
      now[key] = value;
      if (now.k > now.n) sliders[key === "k" ? "n" : "k"].value = now[key === "k" ? "n" : "k"] = value;
      if (now.m > now.l) sliders[key === "m" ? "l" : "m"].value = now[key === "m" ? "l" : "m"] = value;
      draw();
    },
  });
  const sliders = {};
  sliders.alpha = add("alpha", 5, 0.1, (v) => show(v, 1));
  for (const key of ["k", "n", "m", "l"]) sliders[key] = add(key, 40, 1, whole, key === "n" || key === "l" ? 1 : 0);
  draw();
}
