// The trees of a sentence in, a list to choose from out; those that differ in tags alone are one entry.

import { bar, clipped, html, percent } from "./svg.js";

const key = (bracket) => `${bracket.label} ${bracket.start} ${bracket.end}`;
const shape = (parse) => parse.brackets.map(key).join("|");

// Places of trees in order, and groups of the same brackets: [[first, other tags, ...], ...].
export function grouped(parses, byProbability) {
  const order = parses.map((_, i) => i);
  if (byProbability) order.sort((a, b) => (parses[b].log_probability ?? -Infinity) - (parses[a].log_probability ?? -Infinity) || a - b);
  const groups = new Map();
  for (const i of order) groups.set(shape(parses[i]), [...(groups.get(shape(parses[i])) || []), i]);
  return [...groups.values()];
}

function difference(best, other, tokens) {
  const had = new Set(best.brackets.map(key));
  const added = other.brackets.filter((bracket) => !had.has(key(bracket)));
  const tags = other.tags.flatMap((tag, i) => (tag.tag === best.tags[i].tag ? [] : [`${tokens[i]}: ${tag.tag}`]));
  const spans = added.map((b) => `${b.label} “${clipped(tokens.slice(b.start, b.end).join(" "), 26)}”`);
  const told = [...tags, ...spans];
  if (told.length) return told.slice(0, 2).join(", ") + (told.length > 2 ? ` and ${told.length - 2} more` : "");
  const has = new Set(other.brackets.map(key));
  const gone = best.brackets.filter((bracket) => !has.has(key(bracket)));
  return gone.length ? `without ${gone[0].label} “${clipped(tokens.slice(gone[0].start, gone[0].end).join(" "), 26)}”` : "same spans, other shape";
}

const MOST_VARIANTS = 3;

export function drawList(list, { parses, tokens }, { choice, k, byProbability }, choose) {
  const row = (i, name) => html("button", { type: "button", "aria-pressed": String(i === choice), "data-tree": i, onclick: () => choose(i) },
    html("span", { class: "num" }, name),
    bar(parses[i].probability || 0),
    html("span", { class: "num" }, percent(parses[i].probability)),
    html("span", { class: "diff" }, i ? difference(parses[0], parses[i], tokens) : "the parser's answer"));
  const variants = (rest) => html("details", { open: rest.includes(choice) }, html("summary", { class: "small" }, `${rest.length} more with other tags`),
    rest.filter((i, n) => n < MOST_VARIANTS || i === choice || i === 0).map((i) => row(i, "")));
  const shown = (group, number) => number < k || group.includes(0); // however improbable, the parser's answer is there
  list.replaceChildren(...grouped(parses, byProbability).map(([first, ...rest], number) => shown([first, ...rest], number) &&
    html("li", {}, row(first, `${number + 1}`), rest.length ? variants(rest) : null)).filter(Boolean));
}
