// What the page does by itself: keys, corrections without a new page, the slider. Without it every form still works.
"use strict";

const said = document.getElementById("said");
const dialog = document.getElementById("keys");
const KEYS = "deciban.keys";
let timer = 0;

function tell(text) {
  said.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { said.textContent = ""; }, 4000);
}

function keysAreOn() {
  try { return localStorage.getItem(KEYS) !== "off"; } catch { return true; }
}

// --- corrections ---

async function correct(form, button) {
  if (button.getAttribute("aria-disabled") || form.dataset.busy) return;
  form.dataset.busy = "1";
  const fields = new URLSearchParams(new FormData(form));
  fields.set("label", button.value);
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { "X-Requested-With": "deciban" } });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    const text = found.querySelector("template[data-said]");
    if (!answer.ok || !text) {
      const why = ["[open] .detail", ".wrong", ".cause", "h1"].map((each) => found.querySelector(each)).find(Boolean);
      throw new Error(why.textContent);
    }
    const old = form.closest("[data-row], [data-panel]");
    const fresh = document.adoptNode(found.querySelector("[data-row], [data-panel]"));
    const key = document.activeElement?.dataset?.key;
    const had = old.contains(document.activeElement);
    old.replaceWith(fresh);
    fresh.classList.add("was-changed");
    if (had) (key ? fresh.querySelector(`[data-key="${key}"]`) : fresh.querySelector("a.subject"))?.focus();
    tell(text.content.textContent || text.textContent);
  } catch (error) {
    delete form.dataset.busy;
    tell(error instanceof TypeError ? document.body.dataset.unreachable : error.message);
  }
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-correct]") || !event.submitter) return;
  event.preventDefault();
  correct(event.target, event.submitter);
});

// --- keys ---

function rows() { return [...document.querySelectorAll(".row a.subject")]; }

function move(step) {
  const link = document.querySelector(step > 0 ? ".steps a[rel=next]" : ".steps a[rel=prev]");
  if (document.querySelector(".steps")) { if (link) location.href = link.href; return; }
  const all = rows();
  const at = all.findIndex((each) => each.closest(".row").contains(document.activeElement));
  const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
  if (!next) return;
  next.focus({ preventScroll: true });
  next.closest(".row").scrollIntoView({ block: "nearest" });
}

function press(key) {
  const here = document.activeElement?.closest(".row") || document.querySelector("[data-panel]");
  const button = here?.querySelector(`[data-key="${key}"]`);
  if (button) correct(button.form, button);
}

const ACTS = {
  j: () => move(1), k: () => move(-1), s: () => press("s"), h: () => press("h"), u: () => press("u"),
  m: () => { location.href = "/"; }, r: () => { location.href = "/review"; },
  "/": () => document.querySelector("input[type=search]")?.focus(), "?": () => dialog?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog?.open) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const latin = /^Key([A-Z])$/.exec(event.code)?.[1].toLowerCase();  // a Korean keyboard types letters of its own
  const key = event.key.length === 1 && event.key.charCodeAt(0) > 127 && latin ? latin : event.key;
  if (ACTS[key] && (key === "?" || keysAreOn())) {
    event.preventDefault();
    ACTS[key]();
  }
});

if (dialog) {
  const choice = document.getElementById("keys-on");
  choice.checked = keysAreOn();
  choice.addEventListener("change", () => { try { localStorage.setItem(KEYS, choice.checked ? "on" : "off"); } catch { /* none is kept */ } });
  for (const button of document.querySelectorAll("[data-keys]")) {
    button.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
  }
}

document.querySelector(".bar nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });

// --- more words ---

for (const button of document.querySelectorAll("[data-more]")) {
  const more = document.getElementById(button.getAttribute("aria-controls"));
  more.classList.add("shut");
  button.hidden = false;
  button.addEventListener("click", () => { more.classList.remove("shut"); button.setAttribute("aria-expanded", "true"); button.hidden = true; });
}

// --- the slider ---

const slider = document.querySelector("form[data-slider]");
if (slider) {
  const stops = new Map(JSON.parse(slider.dataset.stops).map((stop) => [stop[0], stop]));
  const input = slider.elements.at;
  const put = (name, text) => { document.querySelector(`[data-told="${name}"]`).textContent = text; };
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  slider.querySelector("[data-show]").hidden = true;
  input.addEventListener("input", () => {
    const [at, spam, fp, fn, expected, cost] = stops.get(Number(input.value));
    const line = slider.querySelector("line.chosen");
    const place = `${(100 * (at - Number(input.min))) / (input.max - input.min)}%`;
    line.setAttribute("x1", place);
    line.setAttribute("x2", place);
    put("at", fill(slider.dataset.at, { threshold: at }));
    put("cost", fill(slider.dataset.cost, { threshold: at, cost }));
    for (const [name, value] of [["spam", spam], ["fp", fp], ["fn", fn]]) put(name, value.toLocaleString("en"));
    put("expected", expected);
  });
  input.addEventListener("change", () => slider.requestSubmit());
}
