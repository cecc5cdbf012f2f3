// @ts-check
import { wordsOf } from "./messages.client.js";

/**
 * The element of that id, which the page must have.
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
 * A new element. Children are nodes, or texts that stay texts.
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

/**
 * The form's button that submits it.
 * @param {HTMLFormElement} form
 * @returns {HTMLButtonElement}
 */
export function submitButton(form) {
  const button = form.querySelector("button[type=submit]");
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
 * Runs a job while the button is busy. A busy button keeps the focus and its size, and starts nothing twice.
 * Failures go to `onFailure`.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} job
 * @param {(error: unknown) => void} onFailure
 * @returns {Promise<void>}
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
 * What the page locked until its script was there.
 * @param {ParentNode} root
 */
export function unlock(root = document) {
  for (const element of root.querySelectorAll("fieldset:disabled, button:disabled")) {
    element.removeAttribute("disabled");
  }
}

/** Makes every copy button of the page work. */
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
  /** @param {string} words */
  const say = (words) => {
    clearTimeout(timer);
    button.replaceChildren(newElement("span", "", words));
    timer = setTimeout(() => button.replaceChildren(...before), 2000);
  };
  button.ariaLive = "polite";
  button.disabled = false;
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(target.textContent ?? "").then(() => say(wordsOf("dom").copied), () => {
      // No permission: select it, so that the keyboard can copy it.
      getSelection()?.selectAllChildren(target);
      say(wordsOf("dom").selected);
    });
  });
}

/**
 * Shows the title of a row of a list, as the server drew it, in the element of that id too.
 * @param {Element} button in the row
 * @param {string} id
 */
export function showRowTitle(button, id) {
  const title = button.closest(".row")?.querySelector(".row-title > bdi");
  if (!(title instanceof HTMLElement)) throw new TypeError("Cannot find title of row");
  getElement(id, HTMLElement).replaceChildren(...title.cloneNode(true).childNodes);
}

/**
 * The path to go to after signing in: to the authorization request that waits, else the query's `next` when it is a path
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
