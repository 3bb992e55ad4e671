/** A mail filter of a few kilobytes: evidence word by word, and learning by addition. */

import { Board } from "./board.js";
import { buttons, html, show, slider, stage } from "./controls.js";
import { MODEL } from "./mail-model.js";
import { explain, learn } from "./numbers/bayes.js";

export const WORDS = {
  en: {
    board: "Evidence of each word in decibans: right for spam, left for ham",
    message: "Your message", alpha: "α", spam: "Learn it as spam", ham: "Learn it as ham", reset: "Forget all that you taught",
    prior: "prior", axis: "evidence for spam, dB", more: (n) => `and ${n} weaker words`,
    verdict: "Evidence for spam:", probability: "Probability of spam:",
    learnt: (spam, ham) => `The model knows ${spam} spam and ${ham} ham messages.`,
    unknown: "None of these words is in the model's vocabulary: only the prior is left.",
    bars: (terms) => `Strongest words: ${terms}.`,
    examples: [
      ["Spam", "Dear customer, your account is suspended. Click here to verify your password now, limited offer, free gift!"],
      ["Ham", "Hi Anna, thanks for the notes from the meeting on Tuesday. I will send the report tomorrow, see you then."],
    ],
  },
  ko: {
    board: "단어별 증거(데시반): 오른쪽은 스팸, 왼쪽은 햄",
    message: "메시지", alpha: "α", spam: "스팸으로 학습", ham: "햄으로 학습", reset: "가르친 것을 모두 잊기",
    prior: "사전 확률", axis: "스팸을 가리키는 증거, dB", more: (n) => `그 밖에 약한 단어 ${n}개`,
    verdict: "스팸을 가리키는 증거:", probability: "스팸일 확률:",
    learnt: (spam, ham) => `모형은 스팸 ${spam}통과 햄 ${ham}통을 학습했습니다.`,
    unknown: "모형이 아는 단어가 하나도 없어 사전 확률만 남았습니다.",
    bars: (terms) => `가장 강한 단어: ${terms}.`,
    examples: [
      ["스팸 예시", "(광고) 지금 무료 회원으로 신청 하시면 최대 수익률 종목을 알려 드려요. 직장인 주부 누구나 특별 한도, 바로 지급!"],
      ["햄 예시", "목요일 오전 점검 일정 안내를 첨부 합니다. 다른 의견이 있으면 오늘 중으로 알려 주세요. 검토 부탁드립니다."],
    ],
  },
};

const ROWS = 12;

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const board = new Board({ x: [-20, 20], y: [-0.7, ROWS + 1], label: words.board, names: [words.axis, ""], left: 12, ticks: "x" });
  boards.append(board.node);
  let [model, alpha] = [MODEL, 1];

  const box = html("textarea", { id: "course-message", rows: 6 });
  panel.append(html("div", { class: "choice" }, html("label", { for: "course-message" }, words.message), box));
  box.value = words.examples[0][1];

  const draw = () => board.paint(() => {
    const found = explain(model, alpha, box.value);
    const bars = [{ word: words.prior, decibans: found.prior, count: 1 }, ...found.terms.slice(0, ROWS - 1)];
    board.path("zero", [[0, -0.7], [0, ROWS + 1]], "street");
    bars.forEach((term, k) => {
      const y = ROWS - k;
      const isFor = term.decibans >= 0;
      const end = Math.max(-20, Math.min(20, term.decibans));
      board.bar(`b${k}`, 0, end, y - 0.3, y + 0.3, isFor ? "plus-bar" : "minus-bar");
      const name = term.count > 1 ? `${term.word} ×${term.count}` : term.word;
      board.text(`w${k}`, isFor ? -0.4 : 0.4, y - 0.18, `${name}  ${isFor ? "+" : ""}${show(term.decibans, 1)}`, isFor ? "plus-text" : "minus-text", isFor ? "end" : "start");
    });
    const left = found.terms.length - (ROWS - 1);
    if (left > 0) board.text("more", 19.5, -0.45, words.more(left), "", "end");
    const strongest = found.terms.slice(0, 3).map((term) => `${term.word} ${show(term.decibans, 1)} dB`).join(", ");
    tell(
      [words.verdict, `${found.decibans > 0 ? "+" : ""}${show(found.decibans, 1)} dB`],
      [words.probability, show(found.probability, 4)],
      found.terms.length ? words.bars(strongest) : words.unknown,
      words.learnt(model.messages.spam, model.messages.ham),
    );
  });
  const teach = (label) => () => {
    model = learn(model, box.value, label);
    draw();
  };
  box.addEventListener("input", draw);
  const write = (text) => () => {
    box.value = text;
    draw();
  };
  buttons(panel, ...words.examples.map(([name, text]) => [name, write(text)]));
  buttons(panel, [words.spam, teach("spam")], [words.ham, teach("ham")], [words.reset, () => {
    model = MODEL;
    draw();
  }]);
  slider(panel, {
    label: words.alpha, min: 0.1, max: 5, step: 0.1, value: alpha, format: (v) => show(v, 1),
    change: (value) => {
      alpha = value;
      draw();
    },
  });
  draw();
}
