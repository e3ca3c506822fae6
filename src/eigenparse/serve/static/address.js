// What is on the page in, a link out; and back.

const isLimit = (one) => Array.isArray(one) && ["require", "forbid"].includes(one[1]) && [0, 2, 3].every((i) => Number.isInteger(one[i]));

function list(text) {
  try { const found = JSON.parse(text || "[]"); return Array.isArray(found) ? found : []; } catch { return []; }
}

export function read() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const limits = list(asked.get("limits")).filter(isLimit).map(([at, kind, start, end, label]) => ({ at, kind, start, end, ...(label ? { label: String(label) } : {}) }));
  return { text: asked.get("text"), lines: asked.has("lines"), at: Number(asked.get("at")) || 0, limits, done: new Map(list(asked.get("done")).filter(Array.isArray)) };
}

export function write({ text, lines, items, at }) {
  const limits = items.flatMap((item, i) => item.limits.map(({ kind, start, end, label }) => (label ? [i, kind, start, end, label] : [i, kind, start, end])));
  const done = items.flatMap((item, i) => (item.done === null ? [] : [[i, item.done]]));
  const parts = [["text", text], lines && ["lines", "1"], at && ["at", at], limits.length && ["limits", JSON.stringify(limits)], done.length && ["done", JSON.stringify(done)]];
  history.replaceState(null, "", `#${parts.filter(Boolean).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`);
}
