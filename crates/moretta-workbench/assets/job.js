// Follows a job: the stage, how far it is, and what parts of it have come to. Without this script the page reloads itself.
"use strict";
const job = document.getElementById("job");
const isOpen = job && ["waiting", "running"].includes(job.dataset.phase);

function timeLeft(seconds) {
  if (seconds === null || seconds < 1) return "";
  if (seconds < 90) return `about ${Math.ceil(seconds)} seconds left`;
  return seconds < 5400 ? `about ${Math.ceil(seconds / 60)} minutes left` : `about ${Math.ceil(seconds / 3600)} hours left`;
}

// A comparison tells the losses of each candidate: they are drawn as they come, on axes from nothing to everything.
const SVG = "http://www.w3.org/2000/svg";
const [LEFT, BOTTOM, SIDE] = [44, 40, 320];
const across = (told) => LEFT + told * (SIDE - LEFT - 12);
const up = (lost) => SIDE - BOTTOM - lost * (SIDE - BOTTOM - 12);

function add(parent, name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

function axes() {
  const figure = document.createElement("figure");
  const plane = add(figure, "svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, class: "plane live", role: "img", "aria-label": "The releases so far: to the right what is told about people, upwards what analysts lose" });
  for (const part of [0, 0.5, 1]) {
    add(plane, "line", { class: "grid", x1: across(part), x2: across(part), y1: up(0), y2: up(1) });
    add(plane, "line", { class: "grid", x1: across(0), x2: across(1), y1: up(part), y2: up(part) });
    add(plane, "text", { class: "tick", x: across(part), y: up(0) + 15, "text-anchor": "middle" }, String(part));
    add(plane, "text", { class: "tick", x: LEFT - 6, y: up(part) + 4, "text-anchor": "end" }, String(part));
  }
  add(plane, "text", { x: across(0.5), y: SIDE - 6, "text-anchor": "middle" }, "told about people →");
  add(plane, "text", { x: 12, y: up(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${up(0.5)})` }, "lost to analysts →");
  document.getElementById("outcomes").before(figure);
  return plane;
}

function draw(plane, line) {
  const found = /P_loss ([\d.]+), U_loss ([\d.]+)/.exec(line);
  if (!found) return plane;
  const drawn = plane ?? axes();
  const point = add(drawn, "circle", { cx: across(Math.min(1, found[1])), cy: up(Math.min(1, found[2])), r: 5 });
  add(point, "title", {}, line);
  return drawn;
}

if (isOpen) {
  const [phase, bar, left, outcomes] = ["phase", "bar", "left", "outcomes"].map((id) => document.getElementById(id));
  let shown = outcomes.children.length;
  // After a reload the points that were there are drawn again.
  let plane = [...outcomes.children].reduce((drawn, item) => draw(drawn, item.textContent), null);
  const events = new EventSource(job.dataset.events);
  events.onmessage = (event) => {
    const state = JSON.parse(event.data);
    if (!["waiting", "running"].includes(state.phase)) {
      events.close();
      location.reload();
      return;
    }
    job.dataset.phase = state.phase;
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
