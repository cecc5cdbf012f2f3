// @ts-check
import { showLocalTimes } from "./times.client.js";

// The script of every page of a signed-in user.

const menu = document.querySelector("details.menu");

/** @param {"focus" | "leave"} then where the focus goes */
function closeMenu(then) {
  if (!(menu instanceof HTMLDetailsElement) || !menu.open) return;
  menu.open = false;
  if (then === "focus") menu.querySelector("summary")?.focus();
}

document.addEventListener("click", ({ target }) => {
  if (target instanceof Node && !menu?.contains(target)) closeMenu("leave");
});
document.addEventListener("focusin", ({ target }) => {
  if (target instanceof Node && !menu?.contains(target)) closeMenu("leave");
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") closeMenu("focus");
});

showLocalTimes(document);
