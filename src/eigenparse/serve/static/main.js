// The page: what the user does in, what is drawn out.

import * as api from "./api.js";
import { drawArcs } from "./arcs.js";
import { drawChart } from "./chart.js";
import { savePng, saveSvg, saveText } from "./export.js";
import { inspect, nothing } from "./inspect.js";
import { drawList } from "./kbest.js";
import { closeMenu, openMenu } from "./menu.js";
import { showModel } from "./model.js";
import { nodeColours, onThemeChange, palette } from "./palette.js";
import { fit, html } from "./svg.js";
import { build, draw } from "./tree.js";

const byId = (id) => document.getElementById(id);
const EXAMPLES = [
  "The old man saw the boats.", "She watched the star with a telescope.",
  "Nobody knew that the letter was fake.", "Time flies like an arrow.",
];
const state = { results: [], at: 0, choice: 0, limits: [], folded: new Set(), asking: null };

const result = () => state.results[state.at];
const parse = () => result().parses[state.choice];

// --- asking ---

function complain(sentence) {
  byId("message").textContent = sentence;
  byId("message").hidden = !sentence;
}

async function ask(body) {
  if (state.asking) state.asking.abort();
  const turn = (state.asking = new AbortController());
  byId("go").disabled = true;
  complain("");
  try {
    const begun = performance.now();
    const found = await api.parse({ k: Number(byId("k").value), ...body }, turn.signal);
    return { results: found.results, took: performance.now() - begun };
  } catch (problem) {
    if (problem.name !== "AbortError") complain(problem.message);
    return null;
  } finally {
    if (state.asking === turn) { state.asking = null; byId("go").disabled = false; }
  }
}

async function parseText() {
  const text = byId("text").value.trim();
  if (!text) { complain("Type a sentence first."); byId("text").focus(); return; }
  const found = await ask({ text });
  if (!found) return;
  Object.assign(state, { results: found.results, at: 0, choice: 0, limits: [], took: found.took });
  state.folded.clear();
  history.replaceState(null, "", `#text=${encodeURIComponent(text)}`);
  drawAll();
}

async function parseLimited(limits) {
  const wanted = (kind) => limits.filter((limit) => limit.kind === kind).map(({ start, end, label }) => (label ? { start, end, label } : { start, end }));
  const found = await ask({ sentence: result().tokens, require: wanted("require"), forbid: wanted("forbid") });
  if (!found) return;
  state.results = state.results.map((one, i) => (i === state.at ? found.results[0] : one));
  Object.assign(state, { choice: 0, limits, took: found.took });
  drawAll();
}

const same = (a, b) => a.start === b.start && a.end === b.end && a.label === b.label;

function act(kind, what) {
  if (kind === "fold") {
    if (!state.folded.delete(what.id)) state.folded.add(what.id);
    drawTree(what.id);
  } else {
    parseLimited([...state.limits.filter((limit) => !same(limit, what)), { kind, ...what }]);
  }
}

// --- drawing ---

const STATUS = { ok: "", relaxed: "A wider search was needed. ", fallback: "No whole tree was found; these are pieces. " };

function drawStrip() {
  const { tokens, status, log_total: total } = result();
  const words = `${tokens.length} ${tokens.length === 1 ? "word" : "words"}`;
  byId("status").textContent = `${STATUS[status]}${words} · ${Math.round(state.took)} ms${total === null ? "" : ` · log p = ${total.toFixed(2)}`}`;
  byId("limits").hidden = !state.limits.length;
  byId("limits").replaceChildren(...state.limits.map((limit) => {
    const told = `${limit.kind} ${limit.label || "any phrase"}: ${tokens.slice(limit.start, limit.end).join(" ")}`;
    return html("button", { type: "button", class: limit.kind, "aria-label": `Drop: ${told}`, onclick: () => parseLimited(state.limits.filter((one) => one !== limit)) }, `${told} ✕`);
  }));
  byId("pager").hidden = state.results.length < 2;
  const go = (step) => () => { Object.assign(state, { at: state.at + step, choice: 0, limits: [] }); state.folded.clear(); drawAll(); };
  byId("pager").replaceChildren(
    html("button", { type: "button", "aria-label": "Previous sentence", disabled: state.at === 0, onclick: go(-1) }, "‹"),
    ` sentence ${state.at + 1} of ${state.results.length} `,
    html("button", { type: "button", "aria-label": "Next sentence", disabled: state.at === state.results.length - 1, onclick: go(1) }, "›"));
}

const marked = (node) => state.limits.some((limit) => limit.kind === "require" && limit.start === node.start && limit.end === node.end && (!limit.label || limit.label === node.label));

function treeDrawing(colours) {
  return draw(build(parse(), result().tokens), result().tokens, { colours, folded: state.folded, marked });
}

function drawTree(focus = null) {
  const drawing = treeDrawing(palette()), box = byId("tree");
  box.replaceChildren(drawing);
  fit(drawing, box);
  rove(drawing, ".node", stepInTree, focus);
}

function drawArcsAndChart() {
  const { tokens, chart } = result(), colours = palette();
  const arcs = drawArcs(parse(), tokens, colours);
  byId("arcs").replaceChildren(arcs);
  fit(arcs, byId("arcs"), 0.6, 1.1);
  const inTree = new Set(parse().brackets.map(({ start, end }) => `${start}:${end}`));
  const heat = drawChart(chart, tokens, inTree, colours, byId("chart").clientWidth || 600);
  byId("chart").replaceChildren(heat);
  fit(heat, byId("chart"), 0.95, 1);
  rove(heat, ".cell", stepInList, null);
}

function indented(node, depth = 0) {
  const pad = "  ".repeat(depth);
  if (node.word) return `${pad}(${node.label} ${node.word})`;
  if (node.children.every((child) => child.word)) return `${pad}(${node.label} ${node.children.map((child) => indented(child)).join(" ")})`;
  return `${pad}(${node.label}\n${node.children.map((child) => indented(child, depth + 1)).join("\n")})`;
}

function drawChoice() {
  drawTree();
  drawArcsAndChart();
  byId("brackets").textContent = indented(build(parse(), result().tokens));
  drawList(byId("kbest"), result(), state.choice, (i) => { state.choice = i; drawChoice(); byId("kbest").children[i].firstChild.focus(); });
}

function drawAll() {
  closeMenu(false);
  byId("result").hidden = false;
  nothing(byId("node"));
  drawStrip();
  drawChoice();
}

function drawLegend() {
  const swatches = [0, 0.25, 0.5, 0.75, 1].map((value) => {
    const box = html("span", { "aria-hidden": "true" });
    Object.assign(box.style, { width: "16px", height: "10px", background: nodeColours(palette(), value).fill, display: "inline-block", borderRadius: "3px" });
    return box;
  });
  byId("legend").replaceChildren("doubtful", ...swatches, "certain");
}

// --- looking and moving ---

function stepInTree(key, element, all) {
  const { node } = element, find = (other) => other && all.find((one) => one.node === other);
  if (key === "ArrowUp") return find(node.parent);
  if (key === "ArrowDown") return find(node.folded ? null : node.children[0]);
  const row = all.filter((one) => Boolean(one.node.foot) === Boolean(node.foot) && (node.foot || one.node.depth === node.depth)).sort((a, b) => a.node.x - b.node.x);
  return row[row.indexOf(element) + (key === "ArrowRight" ? 1 : -1)];
}

function stepInList(key, element, all) {
  return all[all.indexOf(element) + (key === "ArrowRight" || key === "ArrowDown" ? 1 : -1)];
}

// One stop for the Tab key; arrows move from there.
function rove(drawing, selector, step, focus) {
  const all = [...drawing.querySelectorAll(selector)], { tokens } = result();
  const look = (element) => {
    all.forEach((one) => { one.classList.toggle("on", one === element); one.setAttribute("tabindex", one === element ? 0 : -1); });
    inspect(byId("node"), element.node, tokens);
  };
  for (const element of all) {
    element.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") look(element); });
    element.addEventListener("focus", () => look(element));
    element.addEventListener("click", () => { look(element); openMenu(element, tokens, act); });
    element.addEventListener("dblclick", () => { closeMenu(); if (!element.node.word && !element.node.cell) act("fold", element.node); });
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") openMenu(element, tokens, act);
      else if (event.key.startsWith("Arrow")) step(event.key, element, all)?.focus();
      else return;
      event.preventDefault();
    });
  }
  const first = all.find((one) => one.node.id === focus) || all[0];
  if (first) first.setAttribute("tabindex", 0);
  if (focus && first) first.focus();
}

// --- wiring ---

function tell(button, said) {
  const before = button.textContent;
  button.textContent = said;
  setTimeout(() => { button.textContent = before; }, 1200);
}

function wireExports() {
  const light = palette("light");
  byId("save-svg").onclick = () => saveSvg("tree.svg", treeDrawing(light));
  byId("save-png").onclick = () => savePng("tree.png", treeDrawing(light), light.surface).catch((problem) => complain(problem.message));
  byId("save-brackets").onclick = () => saveText("tree.ptb", `${parse().tree}\n`);
  byId("save-json").onclick = () => saveText("parse.json", `${JSON.stringify(result(), null, 1)}\n`, "application/json");
  byId("save-arcs").onclick = () => saveSvg("dependencies.svg", drawArcs(parse(), result().tokens, light));
  byId("copy").onclick = async () => {
    try { await navigator.clipboard.writeText(parse().tree); tell(byId("copy"), "Copied"); } catch { tell(byId("copy"), "Not allowed"); }
  };
}

function select(name) {
  for (const one of ["parse", "model"]) {
    const tab = byId(`tab-${one}`);
    tab.setAttribute("aria-selected", String(one === name));
    tab.tabIndex = one === name ? 0 : -1;
    byId(`panel-${one}`).hidden = one !== name;
  }
  closeMenu(false);
  if (name === "model") showModel().catch((problem) => byId("facts").replaceChildren(html("p", {}, problem.message)));
  else if (state.results.length) drawAll();
}

function wireTabs() {
  for (const name of ["parse", "model"]) {
    byId(`tab-${name}`).onclick = () => select(name);
    byId(`tab-${name}`).onkeydown = (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      const other = name === "parse" ? "model" : "parse";
      select(other);
      byId(`tab-${other}`).focus();
    };
  }
}

function grow() {
  const field = byId("text");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

function wireForm() {
  byId("form").onsubmit = (event) => { event.preventDefault(); parseText(); };
  byId("text").onkeydown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); parseText(); }
  };
  byId("text").oninput = grow;
  byId("k").onchange = () => { if (state.results.length) state.limits.length ? parseLimited(state.limits) : parseText(); };
  byId("examples").replaceChildren(...EXAMPLES.map((sentence) => html("button", { type: "button", onclick: () => { byId("text").value = sentence; grow(); parseText(); } }, sentence)));
}

function wireSize() {
  let timer;
  window.addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(() => { if (state.results.length && !byId("panel-parse").hidden) { drawTree(); drawArcsAndChart(); } }, 120); });
  onThemeChange(() => { drawLegend(); if (state.results.length) drawAll(); });
}

async function start() {
  wireForm();
  wireTabs();
  wireExports();
  wireSize();
  drawLegend();
  const asked = new URLSearchParams(location.hash.slice(1)).get("text");
  byId("text").value = asked || EXAMPLES[0];
  grow();
  api.info().then(({ model }) => { byId("model-name").textContent = model; byId("model-name").hidden = false; }, () => {});
  await parseText();
  byId("text").focus({ preventScroll: true });
}

start();
