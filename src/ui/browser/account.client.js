// @ts-check
import { enablePasskeys } from "./account-passkeys.client.js";
import { enableSessions } from "./account-sessions.client.js";
import { enableCopying, getElement, unlock } from "./dom.client.js";
import { restoreUnsent } from "./unsent.client.js";

/**
 * What each button that names an act does. One listener for all of them: lists are replaced after an act.
 * @type {Readonly<Record<string, (button: HTMLButtonElement) => void>>}
 */
const ACTS = {
  ...enablePasskeys(),
  ...enableSessions(),
  close: (button) => button.closest("dialog")?.close(),
};

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-act]") : null;
  if (button instanceof HTMLButtonElement) ACTS[button.dataset["act"] ?? ""]?.(button);
});

enableCopying();
unlock();
restoreUnsent(getElement("add-status", HTMLElement));
