// Counts who is alone as soon as a role is changed; nothing is saved before the button is pressed.
"use strict";
const form = document.getElementById("roles");
const alone = document.getElementById("alone");
let asked = 0;
form.addEventListener("change", async () => {
  const mine = ++asked;
  const response = await fetch(form.dataset.alone, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  // An answer to an older question comes too late.
  if (response.ok && mine === asked) alone.textContent = (await response.json()).alone;
});
