// A task in, its result out; meanwhile the page shows the time, and the user can cancel it.

const byId = (id) => document.getElementById(id);
const SOON = 200; // milliseconds: what is quicker needs no bar
let turn = null;

export function complain(sentence) {
  byId("message").textContent = sentence;
  byId("message").hidden = !sentence;
}

// Closing the connection ends the work on the server, too.
export function cancel() { if (turn) turn.abort(); }

// task: (signal, tell) => promise; tell(done, total) moves the bar.  Null if it was cancelled or failed.
export async function during(task) {
  cancel();
  const mine = (turn = new AbortController()), begun = performance.now();
  let part = "";
  byId("done").removeAttribute("value");
  byId("go").disabled = true;
  complain("");
  const tell = (done, total) => { if (total > 1) { part = `sentence ${done + 1} of ${total}, `; Object.assign(byId("done"), { max: total, value: done }); } };
  const clock = setInterval(() => {
    const passed = performance.now() - begun;
    byId("progress").hidden = passed < SOON;
    byId("waiting").textContent = `Parsing: ${part}${(passed / 1000).toFixed(1)} s`;
  }, 100);
  try {
    return await task(mine.signal, tell);
  } catch (problem) {
    if (problem.name !== "AbortError") complain(problem.message);
    else if (turn === mine) complain("Cancelled.");
    return null;
  } finally {
    clearInterval(clock);
    if (turn === mine) { turn = null; byId("go").disabled = false; byId("progress").hidden = true; }
  }
}

byId("cancel").onclick = cancel;
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && turn) cancel(); });
