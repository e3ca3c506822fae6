// Elements in, elements out: small helpers to build SVG and HTML without text templates.

const NS = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export const svg = (name, attributes, ...children) => fill(document.createElementNS(NS, name), attributes, children);
export const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

const context = document.createElement("canvas").getContext("2d");
export const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

export function textWidth(text, size, weight = 400) {
  context.font = `${weight} ${size}px ${FAMILY}`;
  return context.measureText(text).width;
}

export function text(x, y, content, attributes) {
  return svg("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", ...attributes }, content);
}

export function clipped(content, most) {
  return content.length > most ? `${content.slice(0, most - 1)}…` : content;
}

export function percent(value) {
  if (value === null || value === undefined) return "–";
  const share = 100 * value;
  if (share === 0) return "0 %";
  if (share < 0.01) return "< 0.01 %";
  return `${share >= 99.95 ? "100" : share >= 10 ? share.toFixed(1) : share.toPrecision(2)} %`;
}

export function bar(share) {
  const inner = html("div", { class: "fill" });
  inner.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return html("div", { class: "track" }, inner);
}

export function canvas(width, height, palette, label, children) {
  return svg("svg", {
    xmlns: NS, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FAMILY, fill: palette.ink, role: "group", "aria-label": label,
  }, children);
}
