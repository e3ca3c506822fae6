// A theme and a probability in, colours out.

const THEMES = {
  light: {
    ink: "#1c2430", soft: "#566070", line: "#b9bec6", faint: "#ece9e2", surface: "#ffffff", accent: "#0f6b66", heat: ["#f4f2ec", "#0f6b66"],
    fills: ["#f9c6b0", "#f7e4ac", "#c3e8d9"], edges: ["#b4501f", "#94730f", "#1f7d60"],
  },
  dark: {
    ink: "#e8ebef", soft: "#a3adba", line: "#536072", faint: "#262e38", surface: "#1a2028", accent: "#5cc9bb", heat: ["#202832", "#5cc9bb"],
    fills: ["#6b3520", "#5c4d1c", "#1b4d40"], edges: ["#f19a72", "#dcb949", "#5cc9a0"],
  },
};
const dark = window.matchMedia("(prefers-color-scheme: dark)");

export const onThemeChange = (handler) => dark.addEventListener("change", handler);
export const palette = (name = dark.matches ? "dark" : "light") => THEMES[name];

const parts = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

export function mix(a, b, share) {
  const [x, y] = [parts(a), parts(b)];
  return `#${x.map((v, i) => Math.round(v + (y[i] - v) * share).toString(16).padStart(2, "0")).join("")}`;
}

function along(stops, value) {
  return value < 0.5 ? mix(stops[0], stops[1], value * 2) : mix(stops[1], stops[2], (value - 0.5) * 2);
}

// Unknown posteriors, as after a fallback, are grey.
export function nodeColours(colours, posterior) {
  if (posterior === null || posterior === undefined) return { fill: colours.faint, edge: colours.line };
  return { fill: along(colours.fills, posterior), edge: along(colours.edges, posterior) };
}

export const heatColour = (colours, posterior) => mix(...colours.heat, Math.pow(posterior, 0.8));
export const heatInk = (colours, posterior) => (posterior > 0.55 ? colours.surface : colours.ink);
