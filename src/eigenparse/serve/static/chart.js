// Posteriors of spans in, a heat map out: a row is where a span begins, a column where it ends.

import { heatColour, heatInk } from "./palette.js";
import { canvas, clipped, percent, svg, text, textWidth } from "./svg.js";

export function spansOf(chart) {
  const spans = new Map();
  for (const { label, start, end, posterior } of chart) {
    const key = `${start}:${end}`;
    if (!spans.has(key)) spans.set(key, { start, end, labels: [] });
    spans.get(key).labels.push({ label, posterior });
  }
  for (const span of spans.values()) span.labels.sort((a, b) => b.posterior - a.posterior);
  return [...spans.values()];
}

export function drawChart(chart, tokens, inTree, colours, room) {
  const n = tokens.length, size = Math.max(19, Math.min(36, (room - 90) / n)), font = Math.max(11, Math.min(13, size * 0.6));
  const margin = Math.min(110, Math.max(...tokens.map((word, i) => textWidth(clipped(word, 16), font) - i * size)) + 10);
  const left = Math.max(8, margin), parts = [];
  for (let i = 0; i < n; i++) {
    parts.push(svg("rect", { x: left + i * size, y: i * size + 2, width: (n - i) * size - 2, height: size - 2, rx: 3, fill: colours.heat[0] }));
    parts.push(text(left + i * size - 6, i * size + size / 2 + 1, clipped(tokens[i], 16), { "text-anchor": "end", "font-size": font, fill: colours.ink }));
  }
  for (const span of spansOf(chart)) {
    const best = span.labels[0], x = left + (span.end - 1) * size, y = span.start * size + 2;
    const told = `${clipped(tokens.slice(span.start, span.end).join(" "), 60)}: ${span.labels.map((one) => `${one.label} ${percent(one.posterior)}`).join(", ")}`;
    const framed = inTree.has(`${span.start}:${span.end}`);
    const group = svg("g", { class: "cell", role: "button", tabindex: -1, "aria-label": told },
      svg("rect", { class: "ring", x: x + 0.5, y: y + 0.5, width: size - 3, height: size - 3, rx: 3, fill: heatColour(colours, best.posterior), stroke: framed ? colours.ink : "none", "stroke-width": 1.5 }),
      textWidth(best.label, 11) <= size - 4 ? text(x + size / 2 - 1, y + size / 2 - 1, best.label, { "font-size": 11, fill: heatInk(colours, best.posterior) }) : null);
    group.node = { ...span, label: best.label, posterior: best.posterior, cell: true, id: `cell:${span.start}:${span.end}` };
    parts.push(group);
  }
  return canvas(Math.ceil(left + n * size + 4), Math.ceil(n * size + 6), colours, "Span posteriors", parts);
}
