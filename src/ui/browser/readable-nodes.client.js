// @ts-check
import { newElement } from "./dom.client.js";
import { readableParts } from "./readable.client.js";

/**
 * A text of somebody else's for a page: nothing in it is hidden or passes for something else. The element around it
 * isolates it from what stands beside it (`bdi`).
 * @param {string} text
 * @returns {readonly (Node | string)[]}
 */
export function readableNodes(text) {
  return readableParts(text).map(({ kind, text }) => {
    if (kind === "text") return text;
    if (kind !== "isolated") return newElement("span", "unseen", text);
    const isolated = newElement("bdi", "", text);
    isolated.dir = "ltr";
    return isolated;
  });
}
