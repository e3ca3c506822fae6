// Drawings and answers in, files out.

import { html } from "./svg.js";

function save(name, blob) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const written = (drawing) => `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawing)}\n`;

// What only the page needs (focus, roles of buttons) stays on the page.
function still(drawing) {
  const copy = drawing.cloneNode(true);
  copy.setAttribute("role", "img");
  for (const area of copy.querySelectorAll(".hit")) area.remove();
  for (const group of copy.querySelectorAll("g")) for (const name of ["tabindex", "role", "class", "data-id", "aria-expanded", "aria-label"]) group.removeAttribute(name);
  for (const part of copy.querySelectorAll("[class]")) part.removeAttribute("class");
  return copy;
}

export const saveSvg = (name, drawing) => save(name, new Blob([written(still(drawing))], { type: "image/svg+xml" }));
export const saveText = (name, content, type = "text/plain") => save(name, new Blob([content], { type }));

export async function savePng(name, drawing, background, scale = 2) {
  const [width, height] = ["width", "height"].map((side) => Number(drawing.getAttribute(side)));
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(written(still(drawing)))}`;
  await picture.decode();
  const factor = Math.min(scale, 16000 / Math.max(width, height));
  const board = html("canvas", { width: Math.ceil(width * factor), height: Math.ceil(height * factor) });
  const brush = board.getContext("2d");
  brush.fillStyle = background;
  brush.fillRect(0, 0, board.width, board.height);
  brush.drawImage(picture, 0, 0, board.width, board.height);
  const blob = await new Promise((done) => board.toBlob(done, "image/png"));
  if (!blob) throw new Error("The picture is too large for this browser; save the SVG instead.");
  save(name, blob);
}
