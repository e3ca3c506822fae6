// The trees of a sentence in, a list to choose from out; each says how it differs from the best.

import { bar, clipped, html, percent } from "./svg.js";

const key = (bracket) => `${bracket.label} ${bracket.start} ${bracket.end}`;

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

export function drawList(list, result, chosen, choose) {
  const most = Math.max(...result.parses.map((parse) => parse.probability || 0), 1e-12);
  list.replaceChildren(...result.parses.map((parse, i) => html("li", {}, html("button", { type: "button", "aria-pressed": String(i === chosen), onclick: () => choose(i) },
    html("span", { class: "num" }, `${i + 1}`),
    bar((parse.probability || 0) / most),
    html("span", { class: "num" }, percent(parse.probability)),
    html("span", { class: "diff" }, i ? difference(result.parses[0], parse, result.tokens) : "the best tree")))));
}
