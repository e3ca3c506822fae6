"use strict";

// Everything happens below ``root``: a document, or the shadow of an element of another page.
function browse(root) {
  const byId = (id) => root.querySelector(`#${id}`);
  const data = JSON.parse(byId("data").textContent);
  const list = byId("list"), view = byId("view"), order = byId("order"), only = byId("only"), find = byId("find");
  let chosen = [], current = 0;

  function element(name, attributes, text) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // A tree is [label, verdict, children] or [tag, verdict, word]; verdict "" is right or not counted.
  function drawn(tree) {
    const node = element("span", { class: "node" + (tree[1] ? " bad" : "") + (tree[3] ? " crossing" : "") });
    const label = element("span", { class: typeof tree[2] === "string" ? "tag" : "label" }, tree[0]);
    if (tree[1]) label.title = tree[1] + (tree[3] ? ", crosses the other side" : "");
    node.append(label);
    if (typeof tree[2] === "string") node.append(element("span", { class: "word" }, tree[2]));
    else for (const child of tree[2]) node.append(drawn(child));
    return node;
  }

  function filtered() {
    const wanted = find.value.trim().toLowerCase();
    chosen = data.sentences.filter((one) =>
      (!only.value || one.classes.includes(only.value)) && (!wanted || one.text.toLowerCase().includes(wanted)));
    const by = { worst: (a, b) => b.wrong - a.wrong || a.f1 - b.f1, f1: (a, b) => a.f1 - b.f1 || b.wrong - a.wrong,
      file: (a, b) => a.number - b.number, changed: (a, b) => Math.abs(b.change || 0) - Math.abs(a.change || 0) };
    chosen.sort(by[order.value]);
    const rows = document.createDocumentFragment();
    chosen.forEach((one, k) => {
      const row = element("button", { type: "button", class: "row" });
      row.append(element("b", {}, String(one.number)), element("i", {}, one.f1.toFixed(2)), element("span", {}, one.text));
      row.addEventListener("click", () => show(k));
      const item = element("li");
      item.append(row);
      rows.append(item);
    });
    list.replaceChildren(rows);
    byId("count").textContent = `${chosen.length} of ${data.sentences.length} sentences`;
    show(0);
  }

  function show(k) {
    if (!chosen.length) { view.replaceChildren(element("p", {}, "No sentence matches.")); return; }
    current = Math.min(Math.max(k, 0), chosen.length - 1);
    list.querySelectorAll(".row").forEach((row, i) => row.setAttribute("aria-current", String(i === current)));
    list.children[current].scrollIntoView({ block: "nearest" });
    const one = chosen[current];
    const parts = [element("h2", {}, `Sentence ${one.number}`), element("p", { class: "text" }, one.text),
      element("p", { class: "soft" }, `F1 ${(100 * one.f1).toFixed(1)}, ${one.wrong} wrong or missing brackets` +
        (one.scored ? "" : "; not scored, the words differ or the line is broken"))];
    for (const [title, tree] of one.trees) {
      const box = element("section", { class: "tree", "aria-label": title });
      box.append(element("h3", {}, title), tree ? drawn(tree) : element("p", {}, "no tree"));
      parts.push(box);
    }
    view.replaceChildren(...parts);
  }

  for (const control of [order, only]) control.addEventListener("change", filtered);
  find.addEventListener("input", filtered);
  root.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" || event.target.tagName === "SELECT") return;
    if (event.key === "j" || event.key === "ArrowRight") show(current + 1);
    if (event.key === "k" || event.key === "ArrowLeft") show(current - 1);
  });
  filtered();
}
