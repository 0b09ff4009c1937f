// A slider for each cut point of the finest level: dragged, or moved by the arrow keys. The field with the numbers stays what is sent.
"use strict";
const handles = document.getElementById("handles");
const cuts = document.getElementById("cuts");

function finest() {
  return cuts.value.split("\n")[0].split(/[\s,;]+/).filter(Boolean).map(Number).filter(Number.isFinite);
}

function show() {
  handles.replaceChildren(...finest().map((cut, index) => {
    const [label, name, slider] = ["label", "span", "input"].map((tag) => document.createElement(tag));
    Object.assign(slider, { type: "range", min: handles.dataset.low, max: handles.dataset.high, value: cut });
    slider.setAttribute("aria-label", `Cut point ${index + 1}`);
    name.textContent = cut;
    slider.addEventListener("input", () => {
      const [, ...coarser] = cuts.value.split("\n");
      const moved = finest();
      const before = moved[index];
      moved[index] = Number(slider.value);
      name.textContent = slider.value;
      // Coarser levels cut where the finer one does.
      const follow = (line) => line.split(/[\s,;]+/).filter(Boolean).map((cut) => (Number(cut) === before ? slider.value : cut)).join(", ");
      cuts.value = [moved.join(", "), ...coarser.map(follow)].join("\n");
      document.querySelector("input[name=kind][value=cuts]").checked = true;
    });
    label.append(name, slider);
    return label;
  }));
}

if (handles && cuts) {
  cuts.addEventListener("change", show);
  show();
}
