// A node in, the user's wish about it out: require, forbid or fold.

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

function choices(node, act) {
  const { start, end, label } = node;
  const named = { start, end, label }, any = { start, end };
  if (node.top) return [];
  const more = narrow.matches ? [look] : [];
  if (node.word) return [...more, ["Require this tag", "r", () => act("require", named)]];
  const list = [
    ...more,
    [`Require ${label} here`, "r", () => act("require", named)],
    [`Forbid ${label} here`, "f", () => act("forbid", named)],
  ];
  if (end - start > 1) list.push(["Forbid any phrase here", "x", () => act("forbid", any)]);
  if (!node.cell) list.push([node.folded ? "Unfold" : "Fold", "c", () => act("fold", node)]);
  return list;
}

export function openMenu(element, tokens, act) {
  const { node } = element;
  const found = choices(node, (...wish) => { closeMenu(); act(...wish); });
  if (!found.length) return;
  origin = element;
  const buttons = found.map(([name, key, run]) => html("button", { type: "button", "data-key": key, onclick: run }, name, html("kbd", {}, key)));
  box.replaceChildren(html("p", { class: "small" }, `${node.label} over “${clipped(tokens.slice(node.start, node.end).join(" "), 60)}”${node.posterior === null ? "" : `, ${percent(node.posterior)}`}`), ...buttons);
  box.hidden = false;
  const at = element.getBoundingClientRect();
  const left = Math.min(at.left + window.scrollX, window.scrollX + document.documentElement.clientWidth - box.offsetWidth - 8);
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${at.bottom + window.scrollY + 6}px`;
  buttons[0].focus();
}

box.addEventListener("keydown", (event) => {
  const buttons = [...box.querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
  if (event.key === "Escape") closeMenu();
  else if (step) buttons[(at + step + buttons.length) % buttons.length].focus();
  else if (!event.ctrlKey && !event.metaKey && buttons.some((b) => b.dataset.key === event.key)) buttons.find((b) => b.dataset.key === event.key).click();
  else return;
  event.preventDefault();
});
document.addEventListener("pointerdown", (event) => { if (!box.contains(event.target)) closeMenu(false); });
