// The row of a point lights up while the point is looked at, and the other way round.
"use strict";
for (const point of document.querySelectorAll(".plane .point")) {
  const row = document.querySelector(point.getAttribute("href"));
  const light = (on) => () => row.classList.toggle("is-near", on);
  for (const [event, on] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]]) point.addEventListener(event, light(on));
}
