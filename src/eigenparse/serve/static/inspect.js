// A node or a span in, its details out: posterior, latent states, their words and phrases.

import { states } from "./api.js";
import { meaning } from "./glossary.js";
import { bar, clipped, html, percent } from "./svg.js";

let shown = 0;

export function shareRow(name, share) {
  return [html("span", {}, name), bar(share), html("span", { class: "num" }, percent(share))];
}

export function wordList(words) {
  const most = words.length ? words[0].weight : 1;
  return html("div", { class: "words" }, words.map(({ word, weight }) => {
    const chip = html("span", { title: percent(weight) }, word);
    chip.style.fontWeight = 400 + Math.round(3 * (weight / most)) * 100;
    return chip;
  }));
}

export function phraseList(phrases) {
  return html("ul", { class: "phrases" }, phrases.map(({ rule, phrase, weight }) =>
    html("li", { title: percent(weight) }, phrase ? `${phrase} ` : "", html("code", {}, rule))));
}

function typical(state) {
  return [
    state.words.length ? wordList(state.words) : null,
    state.phrases.length ? phraseList(state.phrases.slice(0, 5)) : null,
    state.words.length + state.phrases.length ? null : html("p", { class: "small" }, "This state has no typical words."),
  ];
}

export function nothing(box) {
  shown += 1;
  box.replaceChildren(html("p", { class: "small" }, "Hover over a node of the tree or a cell of the chart, or move to one with the keyboard."));
}

// What a label is called, with an example.
export function named(label) {
  const found = meaning(label);
  return found && html("p", { class: "meaning" }, found.name, found.example ? html("span", { class: "quote" }, ` (${found.example})`) : null);
}

export async function inspect(box, node, tokens) {
  const turn = ++shown;
  const words = clipped(tokens.slice(node.start, node.end).join(" "), 90);
  const parts = [html("p", { class: "title" }, node.label), named(node.label) || "", html("p", { class: "quote" }, `“${words}”`)];
  if (node.cell) {
    parts.push(html("div", { class: "share" }, node.labels.slice(0, 6).flatMap((one) => shareRow(one.label, one.posterior))));
    box.replaceChildren(...parts);
    return;
  }
  if (node.posterior !== null) parts.push(html("div", { class: "share" }, shareRow("posterior", node.posterior)));
  if (!node.latent || !node.latent.states.length) {
    if (!node.top) parts.push(html("p", { class: "small" }, "Its latent states are not known."));
    box.replaceChildren(...parts);
    return;
  }
  const { label, n_states: all, states: likely } = node.latent;
  const where = label === node.label ? "" : ` of ${label}`;
  parts.push(html("h3", {}, all === 1 ? `One latent state${where}` : `Latent states${where} (${all})`));
  parts.push(html("div", { class: "share", id: "shares" }, likely.flatMap(([state, share]) => shareRow(`state ${state}`, share))));
  const place = html("div", { id: "typical" }, html("p", { class: "small" }, "…"));
  parts.push(html("h3", {}, `Typical of state ${likely[0][0]}`), place);
  box.replaceChildren(...parts);
  try {
    const found = await states(label);
    if (turn === shown) place.replaceChildren(...typical(found.states[likely[0][0]]).filter(Boolean));
  } catch (problem) {
    if (turn === shown) place.replaceChildren(html("p", { class: "small" }, problem.message));
  }
}
