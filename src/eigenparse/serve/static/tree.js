// A parse in, a drawing of its tree out.

import { nodeColours } from "./palette.js";
import { canvas, clipped, percent, svg, text, textWidth } from "./svg.js";

const LEVEL = 50, PILL = 24, ROW = 30, GAP = 16, MARGIN = 14, WORD = 15.5, LABEL = 13, TAG = 12;
export const LEAST_FONT = TAG;

// The constituents come from left to right, outer before inner, so a stack rebuilds the tree.
export function build(parse, tokens) {
  const root = { id: "TOP", label: "TOP", start: 0, end: tokens.length, children: [], posterior: null, top: true };
  const stack = [root];
  const seen = new Map();
  for (const bracket of parse.brackets) {
    while (bracket.start < stack.at(-1).start || bracket.end > stack.at(-1).end) stack.pop();
    const key = `${bracket.label}:${bracket.start}:${bracket.end}`;
    seen.set(key, (seen.get(key) || 0) + 1);
    const node = { ...bracket, id: `${key}:${seen.get(key)}`, children: [], parent: stack.at(-1) };
    stack.at(-1).children.push(node);
    stack.push(node);
  }
  tokens.forEach((word, i) => {
    let above = root;
    for (let next = above; next; next = above.children.find((c) => !c.word && c.start <= i && i < c.end)) above = next;
    const tag = parse.tags[i];
    above.children.push({ id: `tag:${i}`, label: tag.tag, posterior: tag.posterior, latent: tag.latent, word, start: i, end: i + 1, children: [], parent: above });
  });
  sortChildren(root);
  const shown = root.children.length === 1 && !root.children[0].word ? root.children[0] : root;
  shown.parent = null;
  return shown;
}

function sortChildren(node) {
  node.children.sort((a, b) => a.start - b.start);
  node.children.forEach(sortChildren);
}

const pillWidth = (node) => textWidth(node.label, node.word ? TAG : LABEL, 600) + 18;

// Places for all nodes.  Upright: words side by side at the foot, phrases by depth above the middle of their children.
export function layout(root, tokens, folded, turned) {
  const shown = [];
  let deepest = 0;
  const measure = (node, depth) => {
    node.depth = depth;
    node.folded = !node.word && folded.has(node.id);
    shown.push(node);
    const kids = node.folded ? [] : node.children;
    if (!kids.length) node.foot = node.word || clipped(tokens.slice(node.start, node.end).join(" "), 34);
    deepest = Math.max(deepest, kids.length ? depth + 1 : depth);
    const inner = kids.map((kid) => measure(kid, depth + 1)).reduce((a, b) => a + b, 0);
    const own = Math.max(pillWidth(node), node.foot ? textWidth(node.foot, WORD) : 0) + GAP;
    node.width = Math.max(inner, own);
    node.slack = (node.width - inner) / 2;
    return node.width;
  };
  const place = (node, left) => {
    const kids = node.folded ? [] : node.children;
    let at = left + node.slack;
    for (const kid of kids) { place(kid, at); at += kid.width; }
    node.x = kids.length ? (kids[0].x + kids.at(-1).x) / 2 : left + node.width / 2;
    node.y = MARGIN + PILL / 2 + LEVEL * (node.foot ? deepest : node.depth);
  };
  const width = measure(root, 0) + 2 * MARGIN;
  if (turned) return sideways(shown);
  place(root, MARGIN);
  return { nodes: shown, width: Math.ceil(width), height: Math.ceil(2 * MARGIN + LEVEL * deepest + PILL + 34) };
}

// Words below each other, phrases by depth to their left: long sentences fit into a narrow page.
function sideways(nodes) {
  const left = [MARGIN];
  for (let depth = 0; depth <= Math.max(...nodes.map((node) => node.depth)); depth++) {
    left.push(left[depth] + 18 + Math.max(0, ...nodes.filter((node) => node.depth === depth && !node.foot).map(pillWidth)));
  }
  let row = 0;
  const below = (node) => {
    const kids = node.folded ? [] : node.children;
    kids.forEach(below);
    node.y = kids.length ? (kids[0].y + kids.at(-1).y) / 2 : MARGIN + PILL / 2 + ROW * row++;
    node.x = left[node.depth] + pillWidth(node) / 2;
  };
  below(nodes[0]);
  const end = Math.max(...nodes.filter((node) => node.foot).map((node) => node.x + pillWidth(node) / 2 + 10 + textWidth(node.foot, WORD)));
  return { nodes, width: Math.ceil(end + MARGIN), height: Math.ceil(2 * MARGIN + ROW * row) };
}

function sideEdge(node, colours) {
  const [x, y, px, py] = [node.x - pillWidth(node) / 2, node.y, node.parent.x + pillWidth(node.parent) / 2, node.parent.y];
  return svg("path", { d: `M${px} ${py} C${px + 12} ${py} ${px + 2} ${y} ${px + 14} ${y} H${x}`, fill: "none", stroke: colours.line, "stroke-width": node.word ? 1 : 1.6 });
}

function edge(node, colours) {
  const [x, y, px, py] = [node.x, node.y - PILL / 2, node.parent.x, node.parent.y + PILL / 2];
  const bend = Math.min(24, (y - py) / 2);
  return svg("path", { d: `M${px} ${py} C${px} ${py + bend} ${x} ${py + bend} ${x} ${py + 2 * bend} L${x} ${y}`, fill: "none", stroke: colours.line, "stroke-width": node.word ? 1 : 1.6 });
}

const isPutIn = (node, imposed) => imposed && !node.top && node.posterior === null;

function describe(node, tokens, imposed) {
  const words = tokens.slice(node.start, node.end).join(" ");
  return `${node.label}: ${clipped(words, 80)}${node.posterior === null ? "" : `, posterior ${percent(node.posterior)}`}${isPutIn(node, imposed) ? ", put in by you" : ""}`;
}

function drawNode(node, tokens, { colours, marked, turned, imposed }) {
  const { fill, edge: stroke } = nodeColours(colours, node.posterior);
  const width = pillWidth(node), thick = marked(node);
  const parts = [
    svg("rect", { class: "ring", x: node.x - width / 2, y: node.y - PILL / 2, width, height: PILL, rx: PILL / 2, fill, stroke: thick ? colours.accent : stroke, "stroke-width": thick ? 3 : 1.2, "stroke-dasharray": isPutIn(node, imposed) ? "5 3" : undefined }),
    text(node.x, node.y + 0.5, node.label, { "font-size": node.word ? TAG : LABEL, "font-weight": 600, fill: colours.ink }),
  ];
  if (node.foot && turned) {
    const wide = width + 10 + textWidth(node.foot, WORD);
    parts.push(svg("rect", { class: "hit", x: node.x - width / 2, y: node.y - PILL / 2, width: wide, height: PILL, fill: "none", "pointer-events": "all" }));
    parts.push(" ", text(node.x + width / 2 + 10, node.y + 0.5, node.foot, { "text-anchor": "start", "font-size": WORD, fill: colours.ink }));
  } else if (node.foot) {
    const foot = node.y + PILL / 2 + 20;
    if (node.folded) {
      const half = textWidth(node.foot, WORD) / 2;
      parts.unshift(svg("path", { d: `M${node.x} ${node.y + PILL / 2} L${node.x - half} ${foot - 9} H${node.x + half} Z`, fill: colours.faint, stroke: colours.line }));
    }
    const wide = Math.max(width, textWidth(node.foot, WORD));
    parts.push(svg("rect", { class: "hit", x: node.x - wide / 2, y: node.y, width: wide, height: foot + 10 - node.y, fill: "none", "pointer-events": "all" }));
    parts.push(" ", text(node.x, foot + (node.folded ? 3 : 0), node.foot, { "font-size": WORD, fill: colours.ink }));
  }
  const group = svg("g", { class: "node", role: "button", tabindex: -1, "data-id": node.id, "aria-label": describe(node, tokens, imposed), "aria-expanded": node.word || node.top ? undefined : String(!node.folded) }, parts);
  group.node = node;
  return group;
}

export function draw(root, tokens, { colours, folded = new Set(), marked = () => false, turned = false, imposed = false }) {
  const { nodes, width, height } = layout(root, tokens, folded, turned);
  const edges = nodes.filter((node) => node.parent).map((node) => (turned ? sideEdge : edge)(node, colours));
  return canvas(width, height, colours, `Tree of: ${clipped(tokens.join(" "), 120)}`, [...edges, ...nodes.map((node) => drawNode(node, tokens, { colours, marked, turned, imposed }))]);
}
