// @ts-check
import { wordsOf } from "./messages.client.js";

/**
 * @typedef {Readonly<Record<string, Readonly<Record<string, readonly (string | boolean)[]>>>>} Forms what forms held, by
 *   the form's id and the field's name: of each of its fields of that name, in order
 * @typedef {{ readonly account?: string, readonly forms: Forms }} Unsent whose page it was, and its forms
 */

function place() {
  return `unsent:${location.pathname}`;
}

/**
 * The fields of a form that a person fills in, by their names.
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
 * Keeps what is written in the forms of these ids over a sign-in, in the storage of this tab, and that something was not
 * done: the session ended before it was sent. None of them asks for a secret.
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
    // The browser gives no storage: what is written is lost.
  }
}

/**
 * What was kept for this page, which is forgotten.
 * @returns {Unsent | undefined}
 */
function takeUnsent() {
  try {
    const kept = sessionStorage.getItem(place());
    sessionStorage.removeItem(place());
    return kept === null ? undefined : JSON.parse(kept);
  } catch {
    return undefined;
  }
}

/**
 * Says that nothing was done when the session had ended, and brings back what was written, unless somebody else has signed
 * in.
 * @param {HTMLElement} status
 */
export function restoreUnsent(status) {
  const unsent = takeUnsent();
  if (unsent === undefined) return;
  const forms = unsent.account === document.body.dataset["account"] ? restoreForms(unsent.forms) : [];
  const words = wordsOf("unsent");
  status.textContent = forms.length === 0 ? words.ended : words.restored;
}

/**
 * Brings back what forms held, where there is still something to fill in; gives those.
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
