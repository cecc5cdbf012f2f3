// @ts-check
import { unlock } from "./dom.client.js";
import { ownHeaders } from "./own-page.client.js";
import { showLocalTimes } from "./times.client.js";

const TIME_OUT = 30_000;

/**
 * This page as the server has it now. By XMLHttpRequest, because it parses: the page's policy forbids making nodes from
 * text here (Trusted Types), and what it makes runs no scripts.
 * @returns {Promise<Document>}
 */
function fetchPage() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(new TypeError("Cannot load page"));
    request.open("GET", location.pathname);
    for (const [name, value] of Object.entries(ownHeaders())) request.setRequestHeader(name, value);
    request.responseType = "document";
    request.timeout = TIME_OUT;
    request.addEventListener("load", () => {
      // Elsewhere is where whoever is signed out is sent, and whoever signed in as somebody else.
      const isHere = new URL(request.responseURL).pathname === location.pathname;
      if (isHere && request.status === 200 && request.responseXML !== null) resolve(request.responseXML);
      else fail();
    });
    for (const event of ["error", "timeout", "abort"]) request.addEventListener(event, fail);
    request.send();
  });
}

/**
 * Replaces what is in these parts of the page by what the server has in them now. Everything else stays, what is typed
 * above all; so does the focus where its element is still there by its id. Rejects when the page cannot be had.
 * @param {readonly string[]} ids
 * @returns {Promise<void>}
 */
export async function refreshParts(ids) {
  const page = await fetchPage();
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
