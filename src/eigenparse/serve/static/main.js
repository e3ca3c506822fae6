// The page: what the user does in, what is drawn out.

import * as address from "./address.js";
import * as api from "./api.js";
import { LEAST_FONT as ARC_FONT, conllu, drawArcs } from "./arcs.js";
import { drawChart } from "./chart.js";
import { wireCompare } from "./compare.js";
import { savePng, saveSvg, saveText } from "./export.js";
import { inspect, nothing } from "./inspect.js";
import { drawList } from "./kbest.js";
import { closeMenu, openMenu } from "./menu.js";
import { showModel } from "./model.js";
import { nodeColours, onThemeChange, palette } from "./palette.js";
import { rove, stepInList, stepInTree } from "./rove.js";
import { html } from "./svg.js";
import { LEAST_FONT as TREE_FONT, build, draw } from "./tree.js";
import { cancel, complain, during } from "./waiting.js";
import { zoomable } from "./zoom.js";

const byId = (id) => document.getElementById(id);
const TABS = ["parse", "model", "compare"];
const EXAMPLES = [
  "The old man saw the boats.", "She watched the star with a telescope.",
  "Nobody knew that the letter was fake.", "Time flies like an arrow.",
];
const MOST_ASKED = 20, PER_ENTRY = 4; // trees: some differ in tags alone and make one entry of the list
const STRANGE = { words: 0.5, letters: 0.15, least: 3 }; // shares of what the model has never seen, words that must be there

// items: the sentences, each { text, limits, done: the accepted tree or null, result, problem }.
const state = { text: "", lines: false, items: [], at: 0, choice: 0, folded: new Set(), turned: null, took: 0 };
const item = () => state.items[state.at];
const result = () => item().result;
const parse = () => result().parses[state.choice];
const arcsOf = () => (result().universal ? { ...parse(), dependencies: result().universal } : parse());

// --- asking ---

async function parseItem(one, signal) {
  const limits = (kind) => one.limits.filter((limit) => limit.kind === kind).map(({ start, end, label }) => (label ? { start, end, label } : { start, end }));
  const k = Number(byId("k").value), begun = performance.now();
  const asked = { sentence: one.text, require: limits("require"), forbid: limits("forbid"), k: k === 1 ? 1 : Math.min(MOST_ASKED, PER_ENTRY * k) };
  const found = await api.parse(asked, signal);
  one.problem = "";
  one.took = performance.now() - begun;
  [one.result] = found.results;
}

// The sentence that is shown comes first; then the others, one after another.
function parseAll() {
  return during(async (signal, tell) => {
    const todo = [item(), ...state.items.filter((one) => one !== item())];
    for (const [n, one] of todo.entries()) {
      tell(n, todo.length);
      try { await parseItem(one, signal); } catch (problem) { if (problem.name === "AbortError" || n === 0) throw problem; one.problem = problem.message; }
      if (one === item()) show(one.done ?? 0);
      drawBook();
    }
    return true;
  });
}

async function parseText({ at = 0, limits = [], done = new Map() } = {}) {
  const text = byId("text").value.trim(), lines = byId("lines").checked;
  if (!text) { complain("Type a sentence first."); byId("text").focus(); return; }
  const found = await during((signal) => api.split({ text, lines }, signal));
  if (!found) return;
  const items = found.sentences.map((one, i) => ({ text: one, limits: limits.filter((limit) => limit.at === i), done: done.get(i) ?? null, result: null, problem: "" }));
  Object.assign(state, { text, lines, items, at: Math.max(0, Math.min(at, items.length - 1)) });
  treeView.reset();
  drawBook();
  address.write(state);
  await parseAll();
}

const same = (a, b) => a.start === b.start && a.end === b.end && a.label === b.label;

// New constraints replace those about the same span; if they cannot be kept, a message says so and nothing changes.
async function limit(added, kept = item().limits) {
  const one = item(), limits = [...kept.filter((old) => !added.some((fresh) => same(old, fresh))), ...added];
  const trial = { ...one, limits, done: null };
  if (!(await during(async (signal) => { await parseItem(trial, signal); return true; }))) return;
  Object.assign(one, trial);
  address.write(state);
  drawBook();
  if (one === item()) show(0);
}

function fold(node) {
  if (node.word || node.cell) return;
  if (!state.folded.delete(node.id)) state.folded.add(node.id);
  drawTree(node.id);
}

function go(at) {
  state.at = at;
  treeView.reset();
  address.write(state);
  if (result()) show(item().done ?? 0);
  else { drawBook(); complain(item().problem || "This sentence is not parsed yet."); }
}

function accept() {
  if (!item() || !result()) return;
  item().done = state.choice;
  const next = [...state.items.keys()].find((i) => i > state.at && state.items[i].done === null);
  if (next === undefined) { address.write(state); drawBook(); } else go(next);
}

// --- drawing ---

const STATUS = { ok: "", relaxed: "A wider search was needed. ", fallback: "No whole tree was found; these are pieces. ", imposed: "The grammar has no such tree; your correction was put in (dashed frame). " };

function drawBook() {
  const accepted = state.items.filter((one) => one.done !== null).length;
  byId("book").hidden = state.items.length < 2 && !accepted;
  byId("save-book").textContent = `Save accepted trees (${accepted})`;
  byId("save-book").disabled = !accepted;
  byId("sentences").replaceChildren(...state.items.map((one, i) => {
    const sign = one.done !== null ? "✓" : one.problem ? "!" : one.result ? "" : "…";
    const told = { "✓": "accepted", "!": one.problem, "…": "not parsed yet" }[sign];
    return html("li", {}, html("button", { type: "button", "aria-current": i === state.at ? "true" : undefined, title: told, onclick: () => go(i) },
      html("span", { class: "num" }, `${i + 1}`), html("span", { class: "one" }, one.text), html("span", { class: "sign", role: "img", "aria-label": told || "parsed" }, sign)));
  }));
  byId("pager").hidden = state.items.length < 2;
  byId("pager").replaceChildren(
    html("button", { type: "button", "aria-label": "Previous sentence", disabled: state.at === 0, onclick: () => go(state.at - 1) }, "‹"),
    ` sentence ${state.at + 1} of ${state.items.length} `,
    html("button", { type: "button", "aria-label": "Next sentence", disabled: state.at === state.items.length - 1, onclick: () => go(state.at + 1) }, "›"));
}

function strangeness({ tokens, unknown }) {
  if (tokens.length < STRANGE.least || (unknown.words <= STRANGE.words && unknown.letters <= STRANGE.letters)) return "";
  const share = (value) => `${Math.round(100 * value)} %`;
  return `The model does not know ${share(unknown.words)} of these words${unknown.letters ? ` and ${share(unknown.letters)} of their letters` : ""}: is this its language?`;
}

function drawStrip() {
  const { tokens, status, log_total: total } = result();
  const words = `${tokens.length} ${tokens.length === 1 ? "word" : "words"}`;
  byId("status").textContent = `${STATUS[status]}${words} · ${Math.round(item().took)} ms${total === null ? "" : ` · log p = ${total.toFixed(2)}`}`;
  byId("notice").textContent = strangeness(result());
  byId("notice").hidden = !byId("notice").textContent;
  byId("limits").hidden = !item().limits.length;
  byId("limits").replaceChildren(...item().limits.map((one) => {
    const told = `${one.kind} ${one.label || "any phrase"}: ${tokens.slice(one.start, one.end).join(" ")}`;
    return html("button", { type: "button", class: one.kind, "aria-label": `Drop: ${told}`, onclick: () => limit([], item().limits.filter((other) => other !== one)) }, `${told} ✕`);
  }));
}

const marked = (node) => item().limits.some((one) => one.kind === "require" && one.start === node.start && one.end === node.end && (!one.label || one.label === node.label));

function treeDrawing(colours, turned = false) {
  return draw(build(parse(), result().tokens), result().tokens, { colours, folded: state.folded, marked, turned, imposed: result().status === "imposed" });
}

// On narrow screens a tree that is too wide is turned, until the user says otherwise.
function isTurned() {
  if (state.turned !== null) return state.turned;
  const box = byId("tree");
  return box.clientWidth < 600 && Number(treeDrawing(palette()).getAttribute("width")) * (11 / TREE_FONT) > box.clientWidth;
}

let labels = { phrases: [], tags: [] }, heads = "";
const wishes = () => ({ limit: (added, gone = []) => limit(added, item().limits.filter((old) => !gone.some((one) => same(old, one)))), fold, labels, tokens: result().tokens });
const looks = () => ({ look: (node) => inspect(byId("node"), node, result().tokens), open: (element) => openMenu(element, wishes()), fold: (node) => { closeMenu(); fold(node); } });

function drawTree(focus = null) {
  const turned = isTurned(), drawing = treeDrawing(palette(), turned);
  treeView.show(drawing);
  rove(drawing, ".node", { ...looks(), step: (key, element, all) => stepInTree(key, element, all, turned), focus });
}

const treeView = zoomable(byId("tree"), { font: TREE_FONT, turn: () => { state.turned = !isTurned(); treeView.reset(); drawTree(); } });
const arcsView = zoomable(byId("arcs"), { font: ARC_FONT, usual: 1.1 });

function drawArcsAndChart() {
  const { tokens, chart } = result(), colours = palette();
  arcsView.show(drawArcs(arcsOf(), tokens, colours));
  byId("arcs-from").textContent = result().universal ? "universal relations" : `from the tree by head rules (${heads})`;
  const inTree = new Set(parse().brackets.map(({ start, end }) => `${start}:${end}`));
  const heat = drawChart(chart, tokens, inTree, colours, byId("chart").clientWidth || 600);
  byId("chart").replaceChildren(heat);
  rove(heat, ".cell", { ...looks(), step: stepInList });
}

// Words are set apart from the brackets around them, so that “(” is just a word.
function indented(node, depth = 0) {
  const pad = "  ".repeat(depth);
  if (node.word) return [`${pad}(${node.label} `, html("b", {}, node.word), ")"];
  const flat = node.children.every((child) => child.word);
  const inner = node.children.flatMap((child, i) => [flat ? (i ? " " : "") : "\n", ...indented(child, flat ? 0 : depth + 1)]);
  return [`${pad}(${node.label}${flat ? " " : ""}`, ...inner, ")"];
}

function drawChoice() {
  drawTree();
  drawArcsAndChart();
  byId("brackets").replaceChildren(...indented(build(parse(), result().tokens)));
  const asked = { choice: state.choice, k: Number(byId("k").value), byProbability: byId("order").value === "p" };
  drawList(byId("kbest"), result(), asked, (i) => { state.choice = i; drawChoice(); byId("kbest").querySelector(`[data-tree="${i}"]`).focus(); });
}

function show(choice = state.choice) {
  closeMenu(false);
  state.folded.clear();
  state.choice = Math.min(choice, result().parses.length - 1);
  byId("result").hidden = false;
  nothing(byId("node"));
  complain("");
  drawBook();
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
  byId("save-conllu").onclick = () => saveText("sentence.conllu", conllu(arcsOf(), result().tokens, state.at + 1));
  byId("save-json").onclick = () => saveText("parse.json", `${JSON.stringify(result(), null, 1)}\n`, "application/json");
  byId("save-arcs").onclick = () => saveSvg("dependencies.svg", drawArcs(arcsOf(), result().tokens, light));
  byId("save-book").onclick = () => saveText("treebank.ptb", state.items.filter((one) => one.done !== null && one.result).map((one) => `${one.result.parses[one.done].tree}\n`).join(""));
  byId("copy").onclick = async () => {
    try { await navigator.clipboard.writeText(parse().tree); tell(byId("copy"), "Copied"); } catch { tell(byId("copy"), "Not allowed"); }
  };
}

function select(name) {
  for (const one of TABS) {
    const tab = byId(`tab-${one}`);
    tab.setAttribute("aria-selected", String(one === name));
    tab.tabIndex = one === name ? 0 : -1;
    byId(`panel-${one}`).hidden = one !== name;
  }
  closeMenu(false);
  if (name === "model") showModel().catch((problem) => byId("facts").replaceChildren(html("p", {}, problem.message)));
  else if (name === "parse" && item() && result()) show();
}

function wireTabs() {
  TABS.forEach((name, i) => {
    byId(`tab-${name}`).onclick = () => select(name);
    byId(`tab-${name}`).onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
      if (!step) return;
      const other = TABS[(i + step) % TABS.length];
      select(other);
      byId(`tab-${other}`).focus();
    };
  });
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
  byId("lines").onchange = () => parseText();
  byId("k").onchange = () => { if (item()) parseAll(); };
  byId("order").onchange = drawChoice;
  byId("accept").onclick = accept;
  byId("panel-parse").addEventListener("keydown", (event) => { if (event.key === "a" && !event.ctrlKey && !event.metaKey && !event.target.matches("input, select, textarea")) accept(); });
  byId("examples").replaceChildren(...EXAMPLES.map((sentence) => html("button", { type: "button", onclick: () => { byId("text").value = sentence; grow(); parseText(); } }, sentence)));
}

function wireDrawings() {
  let timer;
  const redraw = () => { if (item() && result() && !byId("panel-parse").hidden) { drawTree(); drawArcsAndChart(); } };
  window.addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(redraw, 120); });
  onThemeChange(() => { drawLegend(); if (item() && result()) show(); });
  byId("legend").after(treeView.buttons);
  byId("arcs-from").after(arcsView.buttons);
}

// A link holds the text and the constraints; one that is pasted while the page is open counts, too.
async function restore() {
  const asked = address.read();
  byId("text").value = asked.text || EXAMPLES[0];
  byId("lines").checked = asked.lines;
  grow();
  await parseText(asked);
}

async function start() {
  wireForm();
  wireTabs();
  wireExports();
  wireDrawings();
  wireCompare();
  drawLegend();
  window.addEventListener("hashchange", restore);
  window.addEventListener("pagehide", cancel);
  api.info().then(({ model, facts, labels: known }) => {
    const names = (kind) => [...new Set(known.filter((one) => one.kind === kind).map((one) => one.label.split("|").at(-1)))].sort();
    labels = { phrases: names("phrase").filter((name) => name !== "TOP"), tags: names("tag") };
    ({ heads } = facts);
    if (item() && result()) drawArcsAndChart();
    Object.assign(byId("model-name"), { textContent: model, hidden: false });
  }, () => {});
  await restore();
  byId("text").focus({ preventScroll: true });
}

start();
