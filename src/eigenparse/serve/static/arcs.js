// Heads and relations in, a drawing of the arcs out.

import { meaning, relation, told } from "./glossary.js";
import { nodeColours } from "./palette.js";
import { canvas, clipped, svg, text, textWidth } from "./svg.js";

const WORD = 15.5, TAG = 12, NAME = 12, STEP = 27, MARGIN = 18, GAP = 22;

function positions(tokens, parse) {
  const half = tokens.map((word, i) => Math.max(textWidth(word, WORD), textWidth(parse.tags[i].tag, TAG, 600) + 14) / 2);
  const x = [MARGIN + half[0]];
  for (let i = 1; i < tokens.length; i++) {
    const { dependencies: arcs } = parse;
    const name = arcs[i].head === i ? arcs[i].relation : arcs[i - 1].head === i + 1 ? arcs[i - 1].relation : "";
    x.push(x[i - 1] + Math.max(half[i - 1] + half[i] + GAP, name ? textWidth(name, NAME) + 26 : 0));
  }
  return { x, width: x.at(-1) + half.at(-1) + MARGIN };
}

// An arc lies above all arcs that it spans.
function levels(arcs) {
  const sorted = [...arcs].sort((a, b) => a.right - a.left - (b.right - b.left));
  for (const arc of sorted) {
    const below = sorted.filter((other) => other.level && other.left >= arc.left && other.right <= arc.right);
    arc.level = 1 + Math.max(0, ...below.map((other) => other.level));
  }
  return Math.max(0, ...sorted.map((arc) => arc.level));
}

function arrow(x, y, colour) {
  return svg("path", { d: `M${x} ${y} l-4 -8 h8 Z`, fill: colour });
}

function drawArc(arc, x, base, colours) {
  const shift = arc.to < arc.from ? -1 : 1, side = 5;
  const from = x[arc.from] + shift * side, to = x[arc.to] - shift * (arc.right - arc.left > 1 ? side : 0);
  const top = base - STEP * arc.level, r = Math.min(11, Math.abs(to - from) / 2) * Math.sign(to - from);
  const path = `M${from} ${base} V${top + Math.abs(r)} Q${from} ${top} ${from + r} ${top} H${to - r} Q${to} ${top} ${to} ${top + Math.abs(r)} V${base - 7}`;
  const width = textWidth(arc.name, NAME) + 8, middle = (from + to) / 2;
  return [
    svg("path", { d: path, fill: "none", stroke: colours.accent, "stroke-width": 1.5, opacity: 0.85 }),
    arrow(to, base, colours.accent),
    svg("rect", { x: middle - width / 2, y: top - 8, width, height: 16, fill: colours.surface }),
    svg("g", {}, svg("title", {}, told(relation(arc.name))), text(middle, top, arc.name, { "font-size": NAME, fill: colours.soft })),
  ];
}

export const LEAST_FONT = NAME;

// Lines of CoNLL-U: number, form, lemma, universal tag, tag, features, head, relation, two empty columns.
export function conllu({ tags, dependencies }, tokens, number) {
  const rows = tokens.map((word, i) => [i + 1, word, "_", dependencies[i].upos || "_", tags[i].tag, "_", dependencies[i].head, dependencies[i].relation, "_", "_"].join("\t"));
  return [`# sent_id = ${number}`, `# text = ${tokens.join(" ")}`, ...rows, "", ""].join("\n");
}

export function drawArcs(parse, tokens, colours) {
  const { x, width } = positions(tokens, parse);
  const arcs = [], roots = [];
  parse.dependencies.forEach(({ head, relation }, i) => {
    if (head === 0) roots.push(i);
    else arcs.push({ from: head - 1, to: i, left: Math.min(head - 1, i), right: Math.max(head - 1, i), name: relation });
  });
  const highest = levels(arcs), base = STEP * (highest + 1) + 22, height = base + 66;
  const parts = arcs.sort((a, b) => b.level - a.level).flatMap((arc) => drawArc(arc, x, base, colours));
  for (const i of roots) {
    parts.push(svg("path", { d: `M${x[i]} 20 V${base - 7}`, stroke: colours.ink, "stroke-width": 1.5, fill: "none" }), arrow(x[i], base, colours.ink), text(x[i], 10, "root", { "font-size": NAME, fill: colours.soft }));
  }
  tokens.forEach((word, i) => {
    const tag = parse.tags[i], { fill, edge } = nodeColours(colours, tag.posterior), wide = textWidth(tag.tag, TAG, 600) + 14;
    parts.push(text(x[i], base + 16, word, { "font-size": WORD, fill: colours.ink }));
    parts.push(svg("g", {}, svg("title", {}, told(meaning(tag.tag))),
      svg("rect", { x: x[i] - wide / 2, y: base + 33, width: wide, height: 20, rx: 10, fill, stroke: edge }),
      text(x[i], base + 43.5, tag.tag, { "font-size": TAG, "font-weight": 600, fill: colours.ink })));
  });
  const drawing = canvas(Math.ceil(width), height, colours, "", parts);
  drawing.setAttribute("role", "img");
  const spoken = tokens.map((word, i) => `${word} ← ${parse.dependencies[i].head ? tokens[parse.dependencies[i].head - 1] : "root"}`);
  drawing.setAttribute("aria-label", `Dependencies: ${clipped(spoken.join("; "), 600)}`);
  return drawing;
}
