// The OpenAPI description in, a page that explains each route, with a form to try it.

import { html } from "./svg.js";

const SAMPLES = {
  "/parse": { sentence: "The old man saw the boats.", k: 2, dependencies: true, require: [{ start: 0, end: 3, label: "NP" }] },
  "/tag": { text: "She can fish. They saw the saw." },
  "/score": { trees: ["(TOP (S (NP (PRP She)) (VP (VBD slept)) (. .)))"] },
};
let all;

function named(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf || schema.oneOf) return [...new Set((schema.anyOf || schema.oneOf).map(named))].join(", ");
  if (schema.type === "array") return `list of ${schema.prefixItems ? "values" : named(schema.items)}`;
  return schema.const !== undefined ? JSON.stringify(schema.const) : schema.enum ? schema.enum.join(", ") : schema.type || "anything";
}

function limits(schema) {
  const told = [["minLength", "at least", "characters"], ["maxLength", "at most", "characters"], ["minimum", "from", ""], ["maximum", "up to", ""], ["minItems", "at least", "items"], ["maxItems", "at most", "items"]];
  return told.filter(([name]) => schema[name] !== undefined).map(([name, before, after]) => `${before} ${schema[name]} ${after}`.trim()).join(", ");
}

function fields(schema) {
  return Object.entries(schema.properties || {}).map(([name, one]) => html("tr", {},
    html("td", {}, html("code", {}, name), (schema.required || []).includes(name) ? " *" : ""),
    html("td", {}, named(one)), html("td", {}, [(one.description || "").replace(/\.$/, ""), limits(one)].filter(Boolean).join("; "))));
}

function shapes(schema) {
  const refs = schema.$ref ? [schema] : (schema.oneOf || schema.anyOf || []);
  return refs.map(named).filter((name) => all.components.schemas[name]).map((name) => {
    const one = all.components.schemas[name];
    return html("details", {}, html("summary", {}, `${name}: ${one.description || ""}`),
      html("table", {}, html("thead", {}, html("tr", {}, ["field", "type", "meaning"].map((head) => html("th", { scope: "col" }, head)))), html("tbody", {}, fields(one))));
  });
}

function trial(path, verb, operation) {
  const out = html("pre", { tabindex: 0, role: "region", "aria-label": `Answer of ${path}`, hidden: true });
  const body = SAMPLES[path] && html("textarea", { rows: 7, "aria-label": `Body for ${path}`, spellcheck: "false" });
  if (body) body.value = JSON.stringify(SAMPLES[path], null, 1);
  const query = (operation.parameters || []).map((one) => html("input", { "aria-label": one.name, placeholder: one.name, value: one.name === "label" ? "NP" : "" }));
  const run = async () => {
    out.hidden = false;
    out.textContent = "…";
    const asked = (operation.parameters || []).map((one, i) => `${one.name}=${encodeURIComponent(query[i].value)}`).join("&");
    try {
      const response = await fetch(asked ? `${path}?${asked}` : path, body ? { method: verb, headers: { "content-type": "application/json" }, body: body.value } : { method: verb });
      const text = await response.text();
      const shown = response.headers.get("content-type").startsWith("application/json") ? JSON.stringify(JSON.parse(text), null, 1) : text;
      out.textContent = `${response.status}\n${shown.slice(0, 20000)}`;
    } catch (problem) { out.textContent = problem.message; }
  };
  return [body, ...query, html("p", {}, html("button", { type: "button", onclick: run }, "Try it")), out].filter(Boolean);
}

function route(path, verb, operation) {
  const asked = operation.requestBody?.content["application/json"].schema;
  const given = operation.responses["200"].content["application/json"]?.schema;
  const failures = Object.entries(operation.responses).filter(([code]) => code !== "200");
  return html("section", { class: "card" },
    html("h2", {}, html("span", { class: "verb" }, verb.toUpperCase()), ` ${path}`),
    html("p", {}, operation.description || operation.summary),
    (operation.parameters || []).map((one) => html("p", { class: "small" }, `${one.name}: ${one.description || named(one.schema)}`)),
    asked ? [html("h3", {}, "Request"), shapes(asked)] : null,
    given ? [html("h3", {}, "Answer"), shapes(given)] : null,
    html("details", {}, html("summary", {}, "Failures"), html("table", {}, html("tbody", {}, failures.map(([code, one]) => html("tr", {}, html("td", {}, code), html("td", {}, one.description)))))),
    trial(path, verb, operation));
}

async function start() {
  const box = document.getElementById("docs");
  try {
    all = await (await fetch("/openapi.json")).json();
    box.replaceChildren(html("section", { class: "card" }, html("h2", {}, `${all.info.title} ${all.info.version}`), html("p", {}, all.info.description)),
      ...Object.entries(all.paths).flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, operation]) => route(path, verb, operation))));
  } catch (problem) {
    box.replaceChildren(html("p", { class: "card" }, `The description cannot be shown: ${problem.message}`));
  }
}

start();
