// While a point is looked at, or has the focus, its row lights up and its account is shown. Without this script a click does so.
"use strict";
const abouts = [...document.querySelectorAll("#abouts .about")];

function look(point) {
  for (const about of abouts) about.classList.toggle("is-shown", `#${about.id}` === point.getAttribute("href"));
  for (const row of document.querySelectorAll("tr.is-near")) row.classList.remove("is-near");
  document.getElementById(point.dataset.row)?.classList.add("is-near");
}

for (const point of document.querySelectorAll(".plane .point")) {
  for (const event of ["mouseenter", "focus"]) point.addEventListener(event, () => look(point));
  point.addEventListener("click", (event) => { event.preventDefault(); look(point); });
}
// One account is there from the beginning, so that nothing moves later.
const first = document.querySelector(".plane .is-knee") ?? document.querySelector(".plane .is-efficient");
if (first) look(first);
