// @ts-check
import { ownHeaders, readProblem, TIME_OUT } from "./api.client.js";

const PROBLEM_HEADERS = ["content-type", "retry-after", "x-request-id"];

/**
 * @param {XMLHttpRequest} request that was answered with text
 * @returns {Promise<unknown>}
 */
async function failureOf(request) {
  const headers = PROBLEM_HEADERS.flatMap((name) => {
    const value = request.getResponseHeader(name);
    return value === null ? [] : [/** @type {[string, string]} */ ([name, value])];
  });
  return await readProblem(new Response(request.responseText, { status: request.status, headers }));
}

/**
 * Fetches HTML of the service. Uses XMLHttpRequest because it parses: the page's Trusted Types policy forbids creating
 * nodes from text. Scripts in the document do not run. Throws ApiError for a problem, DOMException `TimeoutError`, and
 * TypeError if the response is not HTML from this path, as after a redirect of a signed-out user.
 * @param {"GET" | "POST"} method
 * @param {string} path
 * @param {string} [body] JSON text, sent as it is
 * @returns {Promise<Document>}
 */
export function fetchDocument(method, path, body) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(new TypeError("Cannot load HTML"));
    request.open(method, path);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    for (const [name, value] of Object.entries({ accept: "text/html", ...type, ...ownHeaders() })) {
      request.setRequestHeader(name, value);
    }
    request.timeout = TIME_OUT;
    request.addEventListener("readystatechange", () => {
      const isAnswered = request.readyState === XMLHttpRequest.HEADERS_RECEIVED;
      // A problem is read as text.
      if (isAnswered && request.status === 200) request.responseType = "document";
    });
    request.addEventListener("load", () => {
      if (request.status !== 200) return void failureOf(request).then(reject, reject);
      const isHere = new URL(request.responseURL).pathname === new URL(path, location.href).pathname;
      if (isHere && request.responseXML !== null) resolve(request.responseXML);
      else fail();
    });
    request.addEventListener("timeout", () => reject(new DOMException("", "TimeoutError")));
    for (const event of ["error", "abort"]) request.addEventListener(event, fail);
    request.send(body ?? null);
  });
}
