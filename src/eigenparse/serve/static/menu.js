// The menu of a node: correct it or fold it.

import { named } from "./inspect.js";
import { clipped, html, percent } from "./svg.js";

const box = document.getElementById("menu");
const narrow = window.matchMedia("(max-width: 1020px)");
let origin = null;

export function closeMenu(back = true) {
  if (box.hidden) return;
  box.hidden = true;
  if (back && origin && origin.isConnected) origin.focus();
  origin = null;
}

// Where there is no room beside the tree, what is inside a node stands below it.
const look = ["Look inside", "i", () => { closeMenu(false); document.getElementById("h-node").scrollIntoView({ block: "start" }); }];
const need = (what) => ({ kind: "require", ...what }), ban = (what) => ({ kind: "forbid", ...what });

function choices(node, { limit, fold, labels, tokens }) {
  const { start, end, label } = node, here = { start, end, label };
  if (node.top) return [];
  const more = narrow.matches ? [look] : [];
  const rename = ["Another label…", "l", () => askLabel(node, labels, (other) => limit([need({ start, end, label: other }), ...(other === label || node.word ? [] : [ban(here)])], [here]))];
  if (node.word) return [...more, ["Require this tag", "r", () => limit([need(here)])], ["Another tag…", "l", rename[2]]];
  const list = [...more, [`Require ${label} here`, "r", () => limit([need(here)])], [`Forbid ${label} here`, "f", () => limit([ban(here)])]];
  if (end - start > 1) list.push(["Not a constituent", "x", () => limit([ban({ start, end })])]);
  if (node.cell) return list;
  const respan = ["Other words…", "s", () => askSpan(node, tokens, (first, last) => limit([need({ start: first, end: last, label }), ...(first <= start && end <= last ? [] : [ban(here)])]))];
  return [...list, rename, respan, [node.folded ? "Unfold" : "Fold", "c", () => fold(node)]];
}

function form(title, fields, done) {
  const made = html("form", { class: "stack-form", onsubmit: (event) => { event.preventDefault(); done(); } },
    html("p", { class: "small" }, title), ...fields, html("button", { class: "primary" }, "Parse again"));
  box.replaceChildren(made);
  made.querySelector("input, select").focus();
}

function askLabel(node, labels, done) {
  const names = node.word ? labels.tags : labels.phrases;
  const field = html("input", { list: "names", value: "", placeholder: node.label, "aria-label": node.word ? "Tag" : "Label", autocomplete: "off" });
  form(`What is “${node.word || "this phrase"}”?`, [field, html("datalist", { id: "names" }, names.map((name) => html("option", { value: name })))],
    () => { const other = field.value.trim(); closeMenu(); if (other) done(other); });
}

function askSpan(node, tokens, done) {
  const choice = (name, chosen) => html("select", { "aria-label": name }, tokens.map((word, i) => html("option", { value: i, selected: i === chosen }, `${i + 1} ${word}`)));
  const from = choice("First word", node.start), to = choice("Last word", node.end - 1);
  form(`Words of this ${node.label}`, [from, to], () => {
    const [first, last] = [Number(from.value), Number(to.value) + 1];
    closeMenu();
    if (first < last && (first !== node.start || last !== node.end)) done(first, last);
  });
}

// wishes: limit(constraints, constraints that they replace), fold(node), labels that exist, tokens.
export function openMenu(element, wishes) {
  const { node } = element, found = choices(node, wishes);
  if (!found.length) return;
  origin = element;
  const stays = (name) => name.endsWith("…");
  const buttons = found.map(([name, key, run]) => html("button", { type: "button", "data-key": key, onclick: () => { if (!stays(name)) closeMenu(); run(); } }, name, html("kbd", {}, key)));
  const words = clipped(wishes.tokens.slice(node.start, node.end).join(" "), 60);
  box.replaceChildren(html("p", { class: "small" }, `${node.label} over “${words}”${node.posterior === null ? "" : `, ${percent(node.posterior)}`}`), named(node.label) || "", ...buttons);
  box.hidden = false;
  const at = element.getBoundingClientRect();
  const left = Math.min(at.left + window.scrollX, window.scrollX + document.documentElement.clientWidth - box.offsetWidth - 8);
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${at.bottom + window.scrollY + 6}px`;
  buttons[0].focus();
}

box.addEventListener("keydown", (event) => {
  const buttons = [...box.querySelectorAll("button, select, input")], at = buttons.indexOf(document.activeElement);
  const typing = document.activeElement.matches("input, select");
  const step = { ArrowDown: typing ? 0 : 1, ArrowUp: typing ? 0 : -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
  if (event.key === "Escape") closeMenu();
  else if (step) buttons[(at + step + buttons.length) % buttons.length].focus();
  else if (!typing && !event.ctrlKey && !event.metaKey && buttons.some((b) => b.dataset.key === event.key)) buttons.find((b) => b.dataset.key === event.key).click();
  else return;
  event.preventDefault();
});
document.addEventListener("pointerdown", (event) => { if (!box.contains(event.target)) closeMenu(false); });
