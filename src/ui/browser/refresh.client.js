// @ts-check
import { fetchDocument } from "./document.client.js";
import { unlock } from "./dom.client.js";
import { showLocalTimes } from "./times.client.js";

/**
 * Replaces what is in these parts of the page by what the server has in them now. Everything else stays, what is typed
 * above all; so does the focus where its element is still there by its id. Rejects when the page cannot be had.
 * @param {readonly string[]} ids
 * @returns {Promise<void>}
 */
export async function refreshParts(ids) {
  const page = await fetchDocument("GET", location.pathname);
  const focused = document.activeElement?.id;
  for (const id of ids) {
    const [part, news] = [document.getElementById(id), page.getElementById(id)];
    if (part === null || news === null) continue;
    part.replaceChildren(...news.childNodes);
    showLocalTimes(part);
    unlock(part);
  }
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}
