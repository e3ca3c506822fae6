// Facts about the model in, a view to browse its labels and states out.

import { info, states } from "./api.js";
import { named, phraseList, wordList } from "./inspect.js";
import { palette } from "./palette.js";
import { html, svg, text } from "./svg.js";

const byId = (id) => document.getElementById(id);
const FACTS = [
  ["n_trees", "trees learnt from"], ["n_known_words", "known words"], ["n_labels", "labels"], ["n_rules", "rules"],
  ["n_states", "latent states"], ["parameters", "parameters"], ["members", "members"], ["method", "method"],
];
let labels = [], chosen = null;

const short = (value) => (typeof value !== "number" ? String(value) : value >= 1e6 ? `${(value / 1e6).toFixed(1)} M` : value.toLocaleString("en"));

function drawFacts(facts) {
  byId("facts").replaceChildren(...FACTS.filter(([name]) => facts[name] !== undefined).map(([name, told]) =>
    html("div", {}, html("b", {}, short(facts[name])), html("span", { class: "small" }, told))));
}

function spark(values) {
  const colours = palette(), width = 74, height = 20, step = Math.min(9, width / Math.max(values.length, 1));
  return svg("svg", { width, height, "aria-hidden": "true" }, values.map((value, i) => {
    const tall = Math.max(1.5, (height - 2) * (value / values[0]));
    return svg("rect", { x: i * step, y: height - tall, width: Math.max(step - 1, 0.8), height: tall, fill: colours.accent });
  }));
}

function spectrum(values) {
  const colours = palette(), step = Math.max(11, Math.min(26, 620 / values.length)), height = 150, left = 42;
  const width = Math.ceil(left + step * values.length + 10), scale = (value) => 116 * (value / values[0]);
  const parts = [0, 0.5, 1].flatMap((share) => [
    svg("path", { d: `M${left} ${124.5 - 116 * share} H${width - 8}`, stroke: colours.faint, fill: "none" }),
    text(left - 6, 124 - 116 * share, (values[0] * share).toPrecision(2), { "text-anchor": "end", "font-size": 10.5, fill: colours.soft }),
  ]);
  values.forEach((value, i) => {
    const tall = Math.max(1, scale(value));
    parts.push(svg("rect", { x: left + i * step + 1, y: 124 - tall, width: step - 3, height: tall, rx: 2, fill: colours.accent }, svg("title", {}, `σ${i + 1} = ${value}`)));
    if (i === 0 || (i + 1) % (values.length > 16 ? 4 : 2) === 0) parts.push(text(left + i * step + step / 2, 137, i + 1, { "font-size": 10.5, fill: colours.soft }));
  });
  return svg("svg", { class: "spectrum", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Singular values: ${values.join(", ")}` }, parts);
}

function drawLabels() {
  const wanted = byId("filter").value.trim().toLowerCase(), kind = byId("kind").value;
  const found = labels.filter((one) => (!kind || one.kind === kind) && one.label.toLowerCase().includes(wanted));
  const rows = found.slice(0, 400).map((one) => html("li", {}, html("button", { type: "button", "aria-pressed": String(one.label === chosen), title: `${one.label}: ${one.nodes} nodes`, onclick: () => showLabel(one.label) },
    html("span", { class: "name" }, one.label), spark(one.singular_values), html("span", { class: "num" }, `${one.states} st`))));
  byId("labels").replaceChildren(...(rows.length ? rows : [html("li", { class: "small" }, "No label has that name.")]));
}

function drawState(state) {
  return html("article", { class: "state" }, html("h3", {}, `State ${state.state}`),
    state.words.length ? wordList(state.words) : null,
    state.phrases.length ? phraseList(state.phrases.slice(0, 6)) : null,
    state.words.length + state.phrases.length ? null : html("p", { class: "small" }, "Rare words only."));
}

export async function showLabel(label) {
  chosen = label;
  for (const button of byId("labels").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.querySelector(".name").textContent === label));
  const facts = labels.find((one) => one.label === label), box = byId("label");
  byId("h-label").textContent = `${label}: ${facts.states} ${facts.states === 1 ? "state" : "states"}${facts.nodes ? `, ${facts.nodes.toLocaleString("en")} nodes` : ""}`;
  const values = facts.singular_values;
  const head = [named(label) || "", ...(values.length
    ? [html("p", { class: "small" }, "Singular values of the features inside and outside these nodes: how many states the data support."), spectrum(values)]
    : [html("p", { class: "small" }, "No singular values were kept for this label.")])];
  box.replaceChildren(...head, html("p", { class: "small" }, "…"));
  try {
    const found = await states(label);
    if (chosen === label) box.replaceChildren(...head, html("div", { class: "states" }, found.states.map(drawState)));
  } catch (problem) {
    if (chosen === label) box.replaceChildren(...head, html("p", { class: "small" }, problem.message));
  }
}

export async function showModel() {
  if (labels.length) return;
  const found = await info();
  labels = found.labels;
  drawFacts(found.facts);
  drawLabels();
  byId("filter").addEventListener("input", drawLabels);
  byId("kind").addEventListener("change", drawLabels);
  const first = labels.find((one) => one.label === "NP") || labels[0];
  if (first) await showLabel(first.label);
}
