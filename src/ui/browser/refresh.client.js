// @ts-check
import { fetchDocument } from "./document.client.js";
import { unlock } from "./dom.client.js";
import { showLocalTimes } from "./times.client.js";

/**
 * Replaces the content of these parts of the page by the server's current content. Everything else stays, above all the
 * input of the user. The focus stays if its element still exists by id. Rejects if the page cannot be loaded.
 * @param {readonly string[]} ids
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
