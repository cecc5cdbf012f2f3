// @ts-check
import { messagesOf } from "./messages.client.js";

/**
 * Returns the element with an id. Throws TypeError if it is missing or of another type.
 * @template {Element} T
 * @param {string} id
 * @param {{ new (): T }} type
 * @returns {T}
 */
export function getElement(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new TypeError(`Cannot find element: ${id}`);
  return element;
}

/**
 * Creates an element. Strings become text nodes, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {string} className
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function newElement(name, className, ...children) {
  const element = document.createElement(name);
  if (className !== "") element.className = className;
  element.append(...children);
  return element;
}

/** @param {HTMLFormElement} form @returns {HTMLButtonElement} */
export function submitButton(form) {
  // A button may be outside of its form.
  const button = [...form.elements].find((one) => one instanceof HTMLButtonElement && one.type === "submit");
  if (!(button instanceof HTMLButtonElement)) throw new TypeError(`Cannot find button of form ${form.id}`);
  return button;
}

/**
 * Runs a job when the form is submitted, instead of sending it.
 * @param {HTMLFormElement} form
 * @param {() => unknown} job
 */
export function onSubmit(form, job) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    job();
  });
}

/**
 * Runs a job and marks the button as busy. A busy button keeps the focus and its size, and ignores clicks. Failures go
 * to `onFailure`.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} job
 * @param {(error: unknown) => void} onFailure
 */
export async function whileBusy(button, job, onFailure) {
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  button.ariaDisabled = "true";
  try {
    await job();
  } catch (error) {
    onFailure(error);
  } finally {
    button.ariaBusy = null;
    button.ariaDisabled = null;
  }
}

/**
 * Enables the controls that were disabled until the script was loaded.
 * @param {ParentNode} root
 */
export function unlock(root = document) {
  for (const element of root.querySelectorAll("fieldset:disabled, button:disabled")) {
    element.removeAttribute("disabled");
  }
}

export function enableCopying() {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    if (button instanceof HTMLButtonElement) enableCopyButton(button);
  }
}

/**
 * Makes a button copy the text of the element whose id is in its `data-copy`.
 * @param {HTMLButtonElement} button
 */
export function enableCopyButton(button) {
  const target = getElement(button.dataset["copy"] ?? "", HTMLElement);
  const before = [...button.childNodes];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @param {string} message */
  const show = (message) => {
    clearTimeout(timer);
    button.replaceChildren(newElement("span", "", message));
    timer = setTimeout(() => button.replaceChildren(...before), 2000);
  };
  button.ariaLive = "polite";
  button.disabled = false;
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(target.textContent ?? "").then(() => show(messagesOf("dom").copied), () => {
      // Without permission, selects the text so that the user can copy it by keyboard.
      getSelection()?.selectAllChildren(target);
      show(messagesOf("dom").selected);
    });
  });
}

/**
 * Copies the title of a list row, as the server rendered it, into the element with this id.
 * @param {Element} button in the row
 * @param {string} id
 */
export function showRowTitle(button, id) {
  const title = button.closest(".row")?.querySelector(".row-title > bdi");
  if (!(title instanceof HTMLElement)) throw new TypeError("Cannot find title of row");
  getElement(id, HTMLElement).replaceChildren(...title.cloneNode(true).childNodes);
}

/**
 * Returns the path to open after signing in: the pending authorization request, else the query's `next` if it is a path
 * of this origin, else the keys.
 * @param {string} search
 * @returns {string}
 */
export function nextPath(search) {
  const parameters = new URLSearchParams(search);
  const request = parameters.get("request");
  if (request !== null) return `/consent?request=${encodeURIComponent(request)}`;
  const next = parameters.get("next") ?? "";
  return /^\/(?!\/)[!-[\]-~]*$/.test(next) ? next : "/keys";
}
