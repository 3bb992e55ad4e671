/** A plot in SVG: axes, curves, fields of colour, and points that one drags or moves with the arrow keys. */

const NAMESPACE = "http://www.w3.org/2000/svg";
let boards = 0;

/** Make an element of SVG. */
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Return round numbers from low to high, about `count` of them. */
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = [1, 2, 5, 10].map((k) => k * power).find((value) => value >= rough * 0.999);
  const first = Math.ceil(low / size - 1e-9);
  const last = Math.floor(high / size + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * size).toPrecision(6)));
}

function scale(low, high, isLog) {
  const of = isLog ? Math.log10 : (value) => value;
  const [from, to] = [of(low), of(high)];
  return {
    share: (value) => (of(value) - from) / (to - from),
    value: (share) => (isLog ? 10 ** (from + share * (to - from)) : from + share * (to - from)),
    ticks: isLog
      ? ticks(from, to, Math.max(1, Math.round(to - from))).filter(Number.isInteger).map((k) => 10 ** k)
      : ticks(low, high),
  };
}

function format(value) {
  return (Math.abs(value) >= 1e4 ? `10${[...String(Math.log10(value))].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? c).join("")}` : String(value)).replace("-", "−");
}

export class Board {
  /**
   * @param {{x: [number, number], y: [number, number], label: string, names?: [string, string],
   *   width?: number, height?: number, log?: string, left?: number, ticks?: string}} options
   *   ranges, accessible name, names of the axes, size, the axes that are logarithmic ("x", "y", "xy"), room on the
   *   left, the axes that have ticks
   */
  constructor({ x, y, label, names = ["", ""], width = 480, height = 380, log = "", left = 44, ticks = "xy" }) {
    this.box = { left, right: width - 12, top: 12, bottom: height - 38 };
    this.ranges = { x, y };
    this.sx = scale(...x, log.includes("x"));
    this.sy = scale(...y, log.includes("y"));
    const id = `course-board-${++boards}`;
    this.node = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label, class: "course-board" });
    const { left: l, right, top, bottom } = this.box;
    const clip = svg("clipPath", { id }, svg("rect", { x: l, y: top, width: right - l, height: bottom - top }));
    this.layers = {};
    this.node.append(svg("defs", {}, clip), svg("rect", { class: "paper", x: l, y: top, width: right - l, height: bottom - top }));
    for (const name of ["field", "axes", "lines", "points", "texts"]) {
      this.layers[name] = svg("g", name === "axes" || name === "texts" ? {} : { "clip-path": `url(#${id})` });
      if (name === "axes") this.layers[name].setAttribute("aria-hidden", "true");
      this.node.append(this.layers[name]);
    }
    this.layers.points.removeAttribute("clip-path");
    this.known = new Map();
    this.drawAxes(names, ticks);
  }

  px(x) {
    return this.box.left + this.sx.share(x) * (this.box.right - this.box.left);
  }

  py(y) {
    return this.box.bottom - this.sy.share(y) * (this.box.bottom - this.box.top);
  }

  drawAxes([nameX, nameY], ticked) {
    const { left, right, top, bottom } = this.box;
    for (const value of this.sx.ticks) {
      const x = this.px(value);
      this.layers.axes.append(
        svg("line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom }),
        svg("text", { x, y: bottom + 15, "text-anchor": "middle" }, format(value)),
      );
    }
    for (const value of ticked.includes("y") ? this.sy.ticks : []) {
      const y = this.py(value);
      this.layers.axes.append(
        svg("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
        svg("text", { x: left - 5, y: y + 4, "text-anchor": "end" }, format(value)),
      );
    }
    this.layers.axes.append(
      svg("text", { class: "name", x: right, y: bottom + 32, "text-anchor": "end" }, nameX),
      svg("text", { class: "name", x: left + 6, y: top + 14 }, nameY),
    );
  }

  /** Draw everything anew: what `draw` does not mention goes. Elements keep the focus. */
  paint(draw) {
    this.seen = new Set();
    draw(this);
    for (const [key, node] of this.known) {
      if (this.seen.has(key)) continue;
      node.remove();
      this.known.delete(key);
    }
  }

  keep(layer, key, name, attributes) {
    this.seen.add(key);
    let node = this.known.get(key);
    if (!node) {
      node = svg(name);
      this.known.set(key, node);
      this.layers[layer].append(node);
    }
    for (const [attribute, value] of Object.entries(attributes)) {
      if (node.getAttribute(attribute) !== String(value)) node.setAttribute(attribute, value);
    }
    return node;
  }

  /** Draw a curve through [x, y]; null begins a new piece. */
  path(key, points, kind, layer = "lines") {
    let pen = "M";
    const d = points.map((point) => {
      if (point === null || !Number.isFinite(point[0] + point[1])) {
        pen = "M";
        return "";
      }
      const drawn = `${pen}${this.px(point[0]).toFixed(2)} ${this.py(point[1]).toFixed(2)}`;
      pen = "L";
      return drawn;
    });
    return this.keep(layer, key, "path", { d: d.join(""), class: kind });
  }

  /** Draw the line a + b·x + c·y = 0 through the whole board. */
  line(key, [a, b, c], kind) {
    const { x, y } = this.ranges;
    const length = Math.hypot(b, c);
    if (length === 0) return this.path(key, [], kind);
    const foot = [(-a * b) / length ** 2, (-a * c) / length ** 2];
    const far = 2 * (x[1] - x[0] + y[1] - y[0]) + Math.hypot(...foot);
    const end = (t) => [foot[0] - (t * far * c) / length, foot[1] + (t * far * b) / length];
    return this.path(key, [end(-1), end(1)], kind);
  }

  bar(key, x0, x1, y0, y1, kind) {
    const [left, right] = [this.px(x0), this.px(x1)].sort((a, b) => a - b);
    const [top, bottom] = [this.py(y0), this.py(y1)].sort((a, b) => a - b);
    return this.keep("lines", key, "rect", { x: left, y: top, width: right - left, height: bottom - top, class: kind });
  }

  text(key, x, y, words, kind = "", anchor = "start") {
    const node = this.keep("texts", key, "text", { x: this.px(x), y: this.py(y), class: `note ${kind}`, "text-anchor": anchor });
    if (node.textContent !== words) node.textContent = words;
    return node;
  }

  /** Colour the plane by f(x, y) in [−1, 1]: −1 the second class, +1 the first. */
  field(f, columns = 72, rows = 54) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [columns, rows];
    const context = canvas.getContext("2d");
    const image = context.createImageData(columns, rows);
    for (let r = 0; r < rows; r++) {
      const y = this.sy.value(1 - (r + 0.5) / rows);
      for (let c = 0; c < columns; c++) {
        const value = f(this.sx.value((c + 0.5) / columns), y);
        const colour = value >= 0 ? [0, 114, 178] : [213, 94, 0];
        image.data.set([...colour, Math.round(Math.min(1, Math.abs(value)) * 96)], 4 * (r * columns + c));
      }
    }
    context.putImageData(image, 0, 0);
    const { left, right, top, bottom } = this.box;
    this.keep("field", "field", "image", {
      x: left, y: top, width: right - left, height: bottom - top, preserveAspectRatio: "none", href: canvas.toDataURL(),
    });
  }

  /** Draw where f(x, y) = level, by marching squares. */
  contour(key, f, level, kind, columns = 80, rows = 64) {
    const xs = Array.from({ length: columns + 1 }, (_, c) => this.sx.value(c / columns));
    const ys = Array.from({ length: rows + 1 }, (_, r) => this.sy.value(r / rows));
    const values = ys.map((y) => xs.map((x) => f(x, y) - level));
    const pieces = [];
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) {
        const corners = [[r, c], [r, c + 1], [r + 1, c + 1], [r + 1, c]];
        const crossed = [];
        corners.forEach(([i, j], k) => {
          const [m, n] = corners[(k + 1) % 4];
          const [u, v] = [values[i][j], values[m][n]];
          if (u >= 0 === v >= 0) return;
          const t = u / (u - v);
          crossed.push([xs[j] + t * (xs[n] - xs[j]), ys[i] + t * (ys[m] - ys[i])]);
        });
        for (let k = 0; k + 1 < crossed.length; k += 2) pieces.push(crossed[k], crossed[k + 1], null);
      }
    return this.path(key, pieces, kind);
  }

  /**
   * Draw a point. With `move(x, y)` it can be dragged and follows the arrow keys (with Shift in small steps); with
   * `press()` it answers to Enter, Space and a double click. `name` is what a screen reader says.
   */
  point(key, x, y, { kind = "plus", name = "", radius = 7, move, press, ring = "" }) {
    const active = Boolean(move ?? press);
    const inside = (value, [low, high]) => value >= low && value <= high;
    if (!active && !(inside(x, this.ranges.x) && inside(y, this.ranges.y))) return null;
    const group = this.keep("points", key, "g", {
      class: `point ${kind}${active ? " active" : ""}`,
      transform: `translate(${this.px(x).toFixed(2)} ${this.py(y).toFixed(2)})`,
    });
    const shape = `${kind} ${radius} ${ring}`;
    if (group.dataset.shape !== shape) {
      group.dataset.shape = shape;
      group.replaceChildren(...(active ? [svg("circle", { class: "halo", r: 19 })] : []), mark(kind, radius));
      if (ring) group.append(svg("circle", { class: `ring ${ring}`, r: radius + 5 }));
    }
    if (active) {
      group.place = { x, y, move, press };
      group.setAttribute("aria-label", name);
      if (!group.hasAttribute("tabindex")) this.listen(group);
    }
    return group;
  }

  listen(group) {
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    const within = (value, [low, high]) => Math.min(high, Math.max(low, value));
    const moveTo = (x, y) => group.place.move?.(within(x, this.ranges.x), within(y, this.ranges.y));
    group.addEventListener("pointerdown", (event) => {
      if (!group.place.move) return;
      group.setPointerCapture(event.pointerId);
      group.focus({ preventScroll: true });
      event.preventDefault();
    });
    group.addEventListener("pointermove", (event) => {
      if (!group.hasPointerCapture(event.pointerId)) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.node.getScreenCTM().inverse());
      const { left, right, top, bottom } = this.box;
      moveTo(this.sx.value((at.x - left) / (right - left)), this.sy.value((bottom - at.y) / (bottom - top)));
    });
    group.addEventListener("dblclick", () => group.place.press?.());
    group.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (way && group.place.move) {
        const part = event.shiftKey ? 200 : 40;
        const { x, y } = group.place;
        const share = (s, value, step) => s.value(s.share(value) + step / part);
        moveTo(share(this.sx, x, way[0]), share(this.sy, y, way[1]));
      } else if ((event.key === "Enter" || event.key === " ") && group.place.press) {
        group.place.press();
      } else return;
      event.preventDefault();
    });
  }
}

function mark(kind, r) {
  if (kind.includes("minus")) return svg("rect", { class: "mark", x: -0.9 * r, y: -0.9 * r, width: 1.8 * r, height: 1.8 * r });
  if (kind.includes("line")) return svg("path", { class: "mark", d: `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0Z` });
  return svg("circle", { class: "mark", r });
}
