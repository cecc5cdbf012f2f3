// @ts-check
import { messagesOf } from "./messages.client.js";

/**
 * @typedef {Readonly<Record<string, Readonly<Record<string, readonly (string | boolean)[]>>>>} Forms the values by
 *   form id and field name, in the order of the fields
 * @typedef {{ readonly account?: string, readonly forms: Forms }} Unsent the page's account and its forms
 */

function place() {
  return `unsent:${location.pathname}`;
}

/**
 * Returns the fields of a form that the user fills in, by name.
 * @param {HTMLFormElement} form
 * @returns {ReadonlyMap<string, readonly (HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[]>}
 */
function fieldsOf(form) {
  const fields = new Map();
  for (const field of form.elements) {
    const isField = field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement ||
      (field instanceof HTMLInputElement && field.type !== "hidden");
    if (isField && field.name !== "") fields.set(field.name, [...(fields.get(field.name) ?? []), field]);
  }
  return fields;
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field */
function isBox(field) {
  return field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);
}

/**
 * Stores the content of these forms in the tab's session storage, for after the sign-in, and records that nothing was
 * done. None of the forms asks for a secret.
 * @param {readonly string[]} formIds
 */
export function keepUnsent(formIds) {
  /** @type {Record<string, Record<string, readonly (string | boolean)[]>>} */
  const forms = {};
  for (const id of formIds) {
    const form = document.getElementById(id);
    if (!(form instanceof HTMLFormElement)) continue;
    forms[id] = Object.fromEntries(
      [...fieldsOf(form)].map(([name, fields]) => [
        name,
        fields.map((field) => isBox(field) ? /** @type {HTMLInputElement} */ (field).checked : field.value),
      ]),
    );
  }
  try {
    sessionStorage.setItem(place(), JSON.stringify({ account: document.body.dataset["account"], forms }));
  } catch {
    // Without storage the content is lost.
  }
}

/** @returns {Unsent | undefined} the stored forms of this page, now deleted from the storage */
function takeUnsent() {
  try {
    const stored = sessionStorage.getItem(place());
    sessionStorage.removeItem(place());
    return stored === null ? undefined : JSON.parse(stored);
  } catch {
    return undefined;
  }
}

/**
 * Reports that nothing was done because the session had ended, and restores the stored forms, unless another user has
 * signed in.
 * @param {HTMLElement} status
 */
export function restoreUnsent(status) {
  const unsent = takeUnsent();
  if (unsent === undefined) return;
  const forms = unsent.account === document.body.dataset["account"] ? restoreForms(unsent.forms) : [];
  const messages = messagesOf("unsent");
  status.textContent = forms.length === 0 ? messages.ended : messages.restored;
}

/**
 * Restores the fields of forms that still exist, and returns those forms.
 * @param {Forms} held
 * @returns {readonly HTMLFormElement[]}
 */
function restoreForms(held) {
  return Object.entries(held).flatMap(([id, values]) => {
    const form = document.getElementById(id);
    if (!(form instanceof HTMLFormElement)) return [];
    for (const [name, fields] of fieldsOf(form)) {
      for (const [index, field] of fields.entries()) restoreField(field, values[name]?.[index]);
    }
    return [form];
  });
}

/**
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 * @param {string | boolean | undefined} value
 */
function restoreField(field, value) {
  if (typeof value === "boolean") /** @type {HTMLInputElement} */ (field).checked = value;
  else if (value !== undefined) field.value = value;
}
