// The rungs are shown anew while one types, and each cut point of the finest level has a slider: dragged, or moved by the arrow keys. The fields
// stay what is sent, and nothing is saved before the button is pressed.
"use strict";
const form = document.getElementById("ladder");
const handles = document.getElementById("handles");
const cuts = document.getElementById("cuts");
const PATIENCE = 300;
const DAY = 86_400_000;

// Days are counted from 1970-01-01 where they are slid, and spelled where they are typed.
const areDays = handles?.dataset.days !== undefined;
const counted = (text) => (areDays ? (/^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) / DAY : NaN) : Number(text));
const spelled = (number) => (areDays ? new Date(number * DAY).toISOString().slice(0, 10) : String(number));

// What is typed into a kind of ladder chooses it.
function choose(field) {
  const radio = field.closest(".option")?.querySelector("input[name=kind]");
  if (radio) radio.checked = true;
}

let waiting;
let asked = 0;
function look() {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const mine = ++asked;
    const body = new URLSearchParams(new FormData(form));
    body.set("do", "look");
    const response = await fetch(form.action, { method: "POST", body });
    // An answer to an older question comes too late.
    if (!response.ok || mine !== asked) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.getElementById("levels").replaceChildren(...page.getElementById("levels").childNodes);
  }, PATIENCE);
}

function finest() {
  return cuts.value.split("\n")[0].split(/[\s,;]+/).filter(Boolean).map(counted).filter(Number.isFinite);
}

function slide() {
  const { low, high, whole } = handles.dataset;
  const step = whole === undefined ? (high - low) / 200 : 1;
  handles.replaceChildren(...finest().map((cut, index) => {
    const [label, name, slider] = ["label", "span", "input"].map((tag) => document.createElement(tag));
    Object.assign(slider, { type: "range", min: low, max: high, step, value: cut });
    slider.setAttribute("aria-label", `Cut point ${index + 1}`);
    const say = (number) => {
      name.textContent = spelled(number);
      slider.setAttribute("aria-valuetext", spelled(number));
    };
    say(cut);
    slider.addEventListener("input", () => {
      const [, ...coarser] = cuts.value.split("\n");
      const moved = finest();
      const before = moved[index];
      moved[index] = Number(slider.value);
      say(moved[index]);
      // Coarser levels cut where the finer one does.
      const follow = (line) => line.split(/[\s,;]+/).filter(Boolean).map((cut) => (counted(cut) === before ? spelled(moved[index]) : cut)).join(", ");
      cuts.value = [moved.map(spelled).join(", "), ...coarser.map(follow)].join("\n");
    });
    label.append(name, slider);
    return label;
  }));
}

form.addEventListener("input", (event) => {
  if (event.target.name === "take" || event.target.name === "into") return;
  choose(event.target);
  look();
});
if (handles && cuts) {
  cuts.addEventListener("input", slide);
  slide();
}
