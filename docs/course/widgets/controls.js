/** What stands beside a board: sliders, buttons, choices, and a result that is read aloud when it changes. */

let controls = 0;

/** Make an element of HTML. */
export function html(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Return a number as it is written: with a minus sign, and so many digits after the point. */
export function show(value, digits = 2) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "0/0" : value > 0 ? "∞" : "−∞";
  const written = value.toFixed(digits);
  return (Number(written) === 0 ? written.replace("-", "") : written).replace("-", "−");
}

/** Replace the static picture of a figure by a stage: boards on the left, controls and the result on the right. */
export function stage(host) {
  const caption = host.querySelector("figcaption");
  const boards = html("div", { class: "course-boards" });
  const panel = html("div", { class: "course-controls" });
  const result = html("output", { class: "course-result", "aria-live": "polite" });
  const body = html("div", { class: "course-stage" }, boards, html("div", { class: "course-side" }, panel, result));
  host.replaceChildren(body, ...(caption ? [caption] : []));
  return { boards, panel, result, tell: (...lines) => tell(result, lines) };
}

function tell(result, lines) {
  const known = [...result.children];
  const wanted = lines.filter(Boolean);
  if (known.length !== wanted.length) result.replaceChildren(...wanted.map(() => html("p")));
  [...result.children].forEach((line, k) => {
    const [name, value] = Array.isArray(wanted[k]) ? wanted[k] : ["", wanted[k]];
    const text = name ? `${name} ${value}` : value;
    if (line.textContent === text) return;
    line.replaceChildren(...(name ? [html("span", {}, `${name} `), html("strong", {}, value)] : [value]));
  });
}

/** Add a slider; `format` writes its value, `change` is called with it. Returns an object whose `value` may be set. */
export function slider(panel, { label, min, max, step, value, format = (v) => show(v), change }) {
  const id = `course-control-${++controls}`;
  const input = html("input", { type: "range", id, min, max, step, value });
  const written = html("span", { class: "value", "aria-hidden": "true" });
  const write = () => {
    written.textContent = format(Number(input.value));
    input.setAttribute("aria-valuetext", written.textContent);
  };
  input.addEventListener("input", () => {
    write();
    change(Number(input.value));
  });
  write();
  const row = html("div", { class: "slider" }, html("label", { for: id }, label), written, input);
  panel.append(row);
  return {
    row,
    get value() {
      return Number(input.value);
    },
    set value(next) {
      input.value = next;
      write();
    },
    set disabled(is) {
      input.disabled = is;
    },
  };
}

/** Add a row of buttons, [words, what to do] each. */
export function buttons(panel, ...pairs) {
  const row = html("div", { class: "buttons" });
  const made = pairs.map(([words, press]) => {
    const button = html("button", { type: "button", class: "course-button" }, words);
    button.addEventListener("click", press);
    row.append(button);
    return button;
  });
  panel.append(row);
  return made;
}

/** Add a box to tick. */
export function checkbox(panel, { label, checked = false, change }) {
  const input = html("input", { type: "checkbox" });
  input.checked = checked;
  input.addEventListener("change", () => change(input.checked));
  panel.append(html("label", { class: "check" }, input, ` ${label}`));
  return input;
}

/** Add a choice among [value, words]. */
export function choice(panel, { label, options, value, change }) {
  const id = `course-control-${++controls}`;
  const select = html("select", { id }, ...options.map(([key, words]) => html("option", { value: key }, words)));
  select.value = value;
  select.addEventListener("change", () => change(select.value));
  panel.append(html("div", { class: "choice" }, html("label", { for: id }, label), select));
  return select;
}

/** Call `step` some times a second until it returns false or the button is pressed again; no motion that was not asked for. */
export function runner(button, words, step, milliseconds = 120) {
  let timer = null;
  // While the figure runs by itself nothing is read aloud; the result is, once it stops.
  const live = (how) => button.closest(".course-side")?.querySelector("output").setAttribute("aria-live", how);
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = words.run;
    live("polite");
  };
  button.addEventListener("click", () => {
    if (timer !== null) return stop();
    button.textContent = words.pause;
    live("off");
    timer = setInterval(() => (!button.isConnected || step() === false) && stop(), milliseconds);
  });
  return { stop: () => timer !== null && stop() };
}
