// Gold and guessed trees in, the page of `eigenparse compare` out, shown here with the script of that page.

import * as api from "./api.js";
import { saveText } from "./export.js";

const byId = (id) => document.getElementById(id);
let page = "";

function complain(sentence) {
  byId("compare-message").textContent = sentence;
  byId("compare-message").hidden = !sentence;
}

// The page is parsed, never run: its script is loaded from the service, its style stays inside the shadow.
function show() {
  const box = byId("errors"), root = box.shadowRoot || box.attachShadow({ mode: "open" });
  const [whole, rules] = page.match(/<style>([^]*?)<\/style>/), style = new CSSStyleSheet();
  const found = new DOMParser().parseFromString(page.replace(whole, ""), "text/html");
  style.replaceSync(rules);
  root.adoptedStyleSheets = [style];
  found.querySelector("h1").replaceWith(Object.assign(found.createElement("h2"), { textContent: found.title }));
  found.querySelector("script:not([type])").remove();
  const body = document.createElement("div");
  body.className = "errors";
  body.append(...found.body.childNodes);
  for (const name of ["header", "main"]) { const one = body.querySelector(name), plain = document.createElement("div"); plain.className = `browser ${name}`; plain.append(...one.childNodes); one.replaceWith(plain); }
  root.replaceChildren(body);
  window.browse(root);
}

export function wireCompare() {
  for (const side of ["gold", "guess"]) {
    byId(`${side}-file`).onchange = async (event) => { if (event.target.files[0]) byId(side).value = await event.target.files[0].text(); };
  }
  byId("compare").onsubmit = async (event) => {
    event.preventDefault();
    const [gold, guess] = ["gold", "guess"].map((side) => byId(side).value);
    if (!gold.trim() || !guess.trim()) { complain("Give trees on both sides."); return; }
    complain("");
    try {
      ({ page } = await api.compare({ gold, guess, unknown: byId("unknown").checked }));
      show();
      byId("save-errors").hidden = false;
    } catch (problem) { complain(problem.message); }
  };
  byId("save-errors").onclick = () => saveText("errors.html", page, "text/html");
}
