// Nodes or cells of a drawing in, ways to look at them and to move among them out.

export function stepInTree(key, element, all, turned) {
  const { node } = element, find = (other) => other && all.find((one) => one.node === other);
  const [up, down, next] = turned ? ["ArrowLeft", "ArrowRight", "ArrowDown"] : ["ArrowUp", "ArrowDown", "ArrowRight"];
  if (key === up) return find(node.parent);
  if (key === down) return find(node.folded ? null : node.children[0]);
  const along = turned ? "y" : "x";
  const row = all.filter((one) => Boolean(one.node.foot) === Boolean(node.foot) && (node.foot || one.node.depth === node.depth)).sort((a, b) => a.node[along] - b.node[along]);
  return row[row.indexOf(element) + (key === next ? 1 : -1)];
}

export function stepInList(key, element, all) {
  return all[all.indexOf(element) + (key === "ArrowRight" || key === "ArrowDown" ? 1 : -1)];
}

// One stop for the Tab key; arrows move from there.  focus: the id of a node to go to.
export function rove(drawing, selector, { look, open, fold, step, focus }) {
  const all = [...drawing.querySelectorAll(selector)];
  const seen = (element) => {
    all.forEach((one) => { one.classList.toggle("on", one === element); one.setAttribute("tabindex", one === element ? 0 : -1); });
    look(element.node);
  };
  for (const element of all) {
    element.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") seen(element); });
    element.addEventListener("focus", () => seen(element));
    element.addEventListener("click", () => { seen(element); open(element); });
    element.addEventListener("dblclick", () => fold(element.node));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") open(element);
      else if (event.key.startsWith("Arrow")) step(event.key, element, all)?.focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  const first = all.find((one) => one.node.id === focus) || all[0];
  if (first) first.setAttribute("tabindex", 0);
  if (focus && first) first.focus();
}
