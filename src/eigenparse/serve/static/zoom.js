// A drawing in a box: zoomed, moved and fitted by mouse, touch and keys.

import { html } from "./svg.js";

const LEAST_LABEL = 11, MOST = 3, STEP = 1.25;

// font: size of the smallest label of the drawings.  A label below 11 px is not shown: far away there are only shapes.
export function zoomable(box, { font, usual = 1.25, turn = null }) {
  const view = { drawing: null, scale: 1, chosen: null };
  const size = (side) => Number(view.drawing.dataset[side]);
  const whole = () => Math.min(usual, (box.clientWidth - 2) / size("width"));
  const readable = LEAST_LABEL / font;

  function apply(scale) {
    view.scale = scale;
    for (const side of ["width", "height"]) view.drawing.setAttribute(side, Math.round(size(side) * scale));
    view.drawing.classList.toggle("far", scale < readable - 1e-9);
  }

  // (x, y): the place of the box that stays where it is.
  function zoom(factor, x = box.clientWidth / 2, y = box.clientHeight / 2) {
    if (!view.drawing) return;
    const scale = Math.max(Math.min(whole(), readable), Math.min(MOST, view.scale * factor)), ratio = scale / view.scale;
    const [left, top] = [(box.scrollLeft + x) * ratio - x, (box.scrollTop + y) * ratio - y];
    view.chosen = scale;
    apply(scale);
    box.scrollTo(left, top);
  }

  function fit() { view.chosen = null; if (view.drawing) apply(whole()); }

  function show(drawing) {
    view.drawing = drawing;
    for (const side of ["width", "height"]) drawing.dataset[side] = drawing.getAttribute(side);
    box.replaceChildren(drawing);
    apply(view.chosen ?? Math.max(whole(), readable));
  }

  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = box.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), event.clientX - at.left, event.clientY - at.top);
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    const wish = { "+": () => zoom(STEP), "=": () => zoom(STEP), "-": () => zoom(1 / STEP), 0: fit, t: turn }[event.key];
    if (!wish || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    wish();
  });
  drag(box);
  pinch(box, zoom);
  const button = (name, label, run) => html("button", { type: "button", title: label, "aria-label": label, onclick: run }, name);
  const buttons = html("div", { class: "chips zoom", role: "group", "aria-label": "Zoom" },
    button("−", "Zoom out (key −)", () => zoom(1 / STEP)), button("+", "Zoom in (key +)", () => zoom(STEP)),
    button("Fit", "Fit to the box (key 0)", fit), turn && button("Turn", "Upright or sideways (key t)", turn));
  return { show, buttons, reset: () => { view.chosen = null; } };
}

function drag(box) {
  let from = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button || event.target.closest(".node, .cell")) return;
    from = [event.clientX + box.scrollLeft, event.clientY + box.scrollTop];
    box.setPointerCapture(event.pointerId);
    box.classList.add("held");
  });
  box.addEventListener("pointermove", (event) => { if (from) box.scrollTo(from[0] - event.clientX, from[1] - event.clientY); });
  for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, () => { from = null; box.classList.remove("held"); });
}

function pinch(box, zoom) {
  let apart = 0;
  const between = ({ touches: [a, b] }) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  box.addEventListener("touchstart", (event) => { if (event.touches.length === 2) apart = between(event); });
  box.addEventListener("touchmove", (event) => {
    if (event.touches.length !== 2 || !apart) return;
    event.preventDefault();
    const at = box.getBoundingClientRect(), [a, b] = event.touches, now = between(event);
    zoom(now / apart, (a.clientX + b.clientX) / 2 - at.left, (a.clientY + b.clientY) / 2 - at.top);
    apart = now;
  }, { passive: false });
}
