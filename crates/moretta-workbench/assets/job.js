// Follows a job: the stage, how far it is, and what parts of it have come to. Without this script the page reloads itself.
"use strict";
const job = document.getElementById("job");
const isOpen = job && ["waiting", "running"].includes(job.dataset.phase);

function timeLeft(seconds) {
  if (seconds === null || seconds < 1) return "";
  if (seconds < 90) return `about ${Math.ceil(seconds)} seconds left`;
  return seconds < 5400 ? `about ${Math.ceil(seconds / 60)} minutes left` : `about ${Math.ceil(seconds / 3600)} hours left`;
}

// A comparison tells the losses of each candidate: they are drawn as they come.
const SVG = "http://www.w3.org/2000/svg";
function draw(plane, line) {
  const found = /P_loss ([\d.]+), U_loss ([\d.]+)/.exec(line);
  if (!found) return plane;
  if (!plane) {
    plane = document.createElementNS(SVG, "svg");
    plane.setAttribute("viewBox", "-0.04 -1.02 1.08 1.08");
    plane.setAttribute("class", "plane live");
    plane.setAttribute("role", "img");
    plane.setAttribute("aria-label", "The points so far: to the right what is told about people, upwards what analysts lose");
    document.getElementById("outcomes").before(plane);
  }
  const point = document.createElementNS(SVG, "circle");
  point.setAttribute("cx", found[1]);
  point.setAttribute("cy", String(-Number(found[2])));
  point.setAttribute("r", "0.015");
  const title = document.createElementNS(SVG, "title");
  title.textContent = line;
  point.append(title);
  plane.append(point);
  return plane;
}

if (isOpen) {
  const [phase, bar, left, outcomes] = ["phase", "bar", "left", "outcomes"].map((id) => document.getElementById(id));
  let shown = outcomes.children.length;
  let plane = null;
  const events = new EventSource(job.dataset.events);
  events.onmessage = (event) => {
    const state = JSON.parse(event.data);
    if (!["waiting", "running"].includes(state.phase)) {
      events.close();
      location.reload();
      return;
    }
    const stage = state.phase === "waiting" ? "waiting for its turn" : state.stage;
    const words = stage.charAt(0).toUpperCase() + stage.slice(1);
    if (phase.textContent !== words) phase.textContent = words;
    if (state.fraction === null) bar.removeAttribute("value");
    else bar.value = state.fraction;
    left.textContent = timeLeft(state.left);
    for (const line of state.outcomes.slice(shown)) {
      const item = document.createElement("li");
      item.textContent = line;
      outcomes.append(item);
      plane = draw(plane, line);
    }
    shown = Math.max(shown, state.outcomes.length);
  };
  // The server was stopped: whatever stands in the workspace is shown by the next page.
  events.onerror = () => { left.textContent = "The server does not answer. It is asked again."; };
}
