/** A line of least squares, its residuals, and how much each point pulls it: the hat matrix. */

import { Board } from "./board.js";
import { buttons, show, stage } from "./controls.js";
import { fitLine, fittedValues, hatMatrix, leaveOneOutResidual, meanSquaredError } from "./numbers/least_squares.js";

export const WORDS = {
  en: {
    board: "Points and their line of least squares", row: "Row of the hat matrix of the selected point",
    point: (k, x, y) => `Point ${k} at ${x}, ${y}. Arrow keys move it.`,
    reset: "Start again", outlier: "Pull the last point down",
    line: "Line:", leverage: (k) => `Leverage of point ${k}, h:`,
    pull: (h) => `Raise it by 1 and its fitted value rises by ${h}.`,
    trace: "Sum of all leverages, trace H:", error: "E_in:", left: "Residual with it, and of a line without it:",
    bars: "h of the selected point with each point",
  },
  ko: {
    board: "점들과 최소제곱 직선", row: "선택한 점에 해당하는 모자 행렬의 행",
    point: (k, x, y) => `${k}번 점, 좌표 ${x}, ${y}. 화살표 키로 옮깁니다.`,
    reset: "처음부터", outlier: "마지막 점을 끌어내리기",
    line: "직선:", leverage: (k) => `${k}번 점의 지렛값 h:`,
    pull: (h) => `이 점을 1만큼 올리면 적합값은 ${h}만큼 올라갑니다.`,
    trace: "지렛값의 합, trace H:", error: "E_in:", left: "이 점을 넣은 잔차와 빼고 맞춘 직선의 잔차:",
    bars: "선택한 점과 각 점 사이의 h",
  },
};

const X = [0.6, 1.1, 1.6, 2.2, 2.7, 3.1, 3.8, 4.4, 8.6];
const Y = [1.1, 1.9, 1.5, 2.4, 2.2, 3.1, 2.9, 3.6, 5.6];

export function mount(host, words) {
  const { boards, panel, tell } = stage(host);
  const board = new Board({ x: [0, 10], y: [-1, 8], names: ["x", "y"], label: words.board });
  const bars = new Board({ x: [0, 10], y: [-0.5, 1], names: ["x", "h"], label: words.row, height: 190 });
  boards.append(board.node, bars.node);
  let [x, y, selected] = [[...X], [...Y], X.length - 1];

  const draw = () => {
    const H = hatMatrix(x);
    const fitted = fittedValues(H, y);
    const { slope, intercept } = fitLine(x, y);
    board.paint(() => {
      board.path("line", [[0, intercept], [10, intercept + 10 * slope]], "boundary");
      x.forEach((value, k) => {
        board.path(`r${k}`, [[value, y[k]], [value, fitted[k]]], "residual");
        board.point(`p${k}`, value, y[k], {
          kind: k === selected ? "second" : "plus",
          radius: 4 + 12 * Math.sqrt(Math.max(0, H[k][k])) * 0.7,
          name: words.point(k + 1, show(value, 1), show(y[k], 1)),
          move: (a, b) => {
            [x[k], y[k], selected] = [a, b, k];
            draw();
          },
          press: () => {
            selected = k;
            draw();
          },
        });
      });
    });
    bars.paint(() => {
      bars.path("zero", [[0, 0], [10, 0]], "street");
      x.forEach((value, k) => bars.bar(`b${k}`, value - 0.12, value + 0.12, 0, H[selected][k], k === selected ? "second-bar" : "plus-bar"));
      bars.text("name", 2.2, 0.84, words.bars);
    });
    const h = H[selected][selected];
    tell(
      [words.line, `ŷ = ${show(intercept)} ${slope < 0 ? "−" : "+"} ${show(Math.abs(slope))} x`],
      [words.leverage(selected + 1), show(h, 3)],
      words.pull(show(h, 3)),
      [words.left, `${show(y[selected] - fitted[selected])}, ${show(leaveOneOutResidual(H, y, selected))}`],
      [words.trace, show(H.reduce((sum, row, i) => sum + row[i], 0), 3)],
      [words.error, show(meanSquaredError(fitted, y), 3)],
    );
  };
  buttons(
    panel,
    [words.outlier, () => {
      selected = x.length - 1;
      y[selected] = 0.5;
      draw();
    }],
    [words.reset, () => {
      [x, y, selected] = [[...X], [...Y], X.length - 1];
      draw();
    }],
  );
  draw();
}
