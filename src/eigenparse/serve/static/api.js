// Questions in, answers out; failures become one sentence.

async function answer(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw new Error((body && body.error && body.error.message) || `The service answered ${response.status}.`);
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Error("The service does not answer; is it still running?");
  }
  return answer(response);
}

const post = (path, body, signal) => ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });

export const split = (body, signal) => post("/split", body, signal);
export const parse = (body, signal) => post("/parse", { probabilities: true, dependencies: true, universal: true, states: true, chart: true, ...body }, signal);
export const compare = (body) => post("/compare", body);

let known;
export const info = () => (known ??= ask("/info").catch((problem) => { known = undefined; throw problem; }));

const profiles = new Map();
export function states(label) {
  if (!profiles.has(label)) {
    const asked = ask(`/states?label=${encodeURIComponent(label)}`).catch((problem) => { profiles.delete(label); throw problem; });
    profiles.set(label, asked);
  }
  return profiles.get(label);
}
