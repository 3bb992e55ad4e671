"use strict";
{
  const box = document.querySelector(".slider"), [at, price, told, cheapest] =
    ["threshold", "price", "told", "cheapest"].map((id) => document.getElementById(id));
  const stops = JSON.parse(box.dataset.stops), words = JSON.parse(box.dataset.words);
  const ratio = () => Math.max(0, Number(price.value) || 0);
  const cost = (stop) => ratio() * stop[2] + stop[3];
  const best = () => stops.reduce((least, stop, i) => (cost(stop) < cost(stops[least]) ? i : least), 0);
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const number = (value) => value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 2 });
  function tell() {
    const stop = stops[at.value], least = stops[best()];
    const values = {
      threshold: stop[0], decibans: stop[1], false_positives: number(stop[2]), false_negatives: number(stop[3]),
      cost: number(cost(stop)), least: number(cost(least)), best: least[0],
    };
    told.value = filled(words.told, values);
    at.setAttribute("aria-valuetext", filled(words.place, values));
  }
  at.addEventListener("input", tell);
  price.addEventListener("input", tell);
  cheapest.addEventListener("click", () => { at.value = best(); tell(); });
  box.hidden = false;
  tell();
}
