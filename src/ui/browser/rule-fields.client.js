// @ts-check
import { getElement } from "./dom.client.js";
import { fill, messagesOf } from "./messages.client.js";
import { toUnits } from "./policy-choices.client.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/** @param {string} name @returns {Field} */
export function fieldOf(name) {
  const found = getElement("rule-form", HTMLFormElement).elements.namedItem(name);
  const isField = found instanceof HTMLInputElement || found instanceof HTMLSelectElement ||
    found instanceof HTMLTextAreaElement;
  if (!isField) throw new TypeError(`Cannot find field: ${name}`);
  return found;
}

/** @param {string} name */
export function valueOf(name) {
  return fieldOf(name).value.trim();
}

/** @param {Readonly<Record<string, string>>} values */
export function setValues(values) {
  for (const [name, value] of Object.entries(values)) fieldOf(name).value = value;
}

/**
 * Reads an amount in the smallest unit, empty for none. Marks the field if it is no amount.
 * @param {string} name
 * @param {number} decimals
 */
export function unitsOf(name, decimals) {
  const text = valueOf(name);
  const units = text === "" ? "" : toUnits(text, decimals);
  const { amount, whole } = messagesOf("rule-dialog");
  if (units === undefined) {
    fieldOf(name).setCustomValidity(decimals === 0 ? whole : fill(amount, { decimals }));
  }
  return units ?? "";
}
