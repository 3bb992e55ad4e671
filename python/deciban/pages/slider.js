"use strict";
{
  const box = document.querySelector(".slider"), [at, price, told, cheapest] =
    ["threshold", "price", "told", "cheapest"].map((id) => document.getElementById(id));
  const stops = JSON.parse(box.dataset.stops), words = JSON.parse(box.dataset.words);
  const ratio = () => Math.max(0, Number(price.value) || 0);
  const own = () => Math.max(-1e300, 10 * Math.log10(ratio()));
  const cost = (stop) => ratio() * stop[3] + stop[4];
  const away = ([, low, high]) => Math.max(low === null ? 0 : low - own(), high === null ? 0 : own() - high, 0);
  const inside = ([, low, high]) => (low === null || low < own()) && (high === null || own() < high);
  const place = (stop) => (ratio() > 0 && inside(stop) ? own() : stop[0]);
  function best() {  // of equal cost, the stop that is nearest to what the costs alone say
    const costs = stops.map(cost), least = Math.min(...costs), most = least + 1e-12 * Math.max(...costs);
    return stops.reduce((found, stop, i) =>
      (costs[i] <= most && (found < 0 || away(stop) < away(stops[found])) ? i : found), -1);
  }
  const sign = (decibans) => (decibans > 0 ? "+" : decibans < 0 ? "−" : "");
  const written = (decibans) => sign(decibans) + Number(Math.abs(decibans).toPrecision(12));
  function probability(decibans) {
    const odds = 10 ** (-Math.abs(decibans) / 10), rare = odds / (1 + odds);
    if (rare < 0.0001) return decibans > 0 ? ">99.99 %" : "<0.01 %";
    return `${(100 * (decibans > 0 ? 1 - rare : rare)).toPrecision(3)} %`;
  }
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const number = (value) => value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 2 });
  function tell() {
    const stop = stops[at.value], least = stops[best()];
    const values = {
      threshold: written(place(stop)), probability: probability(place(stop)), false_positives: number(stop[3]),
      false_negatives: number(stop[4]), cost: number(cost(stop)), least: number(cost(least)),
      best: written(place(least)),
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
