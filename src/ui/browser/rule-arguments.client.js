// @ts-check
import { getElement, newElement } from "./dom.client.js";
import { fill, messagesOf } from "./messages.client.js";
import { readFunctions } from "./policy-abi.client.js";
import { fieldOf, setValues, unitsOf, valueOf } from "./rule-fields.client.js";

/** Lists the functions of the pasted text, and takes the contract of a descriptor. */
export function showFunctions() {
  const { functions, deployments } = readFunctions(fieldOf("abi").value);
  const options = functions.map(({ text }) => {
    const option = newElement("option", "", text);
    option.value = text;
    return option;
  });
  getElement("rule-called", HTMLSelectElement).replaceChildren(...options);
  fieldOf("abi").setCustomValidity(functions.length === 0 ? messagesOf("rule-dialog").noFunction : "");
  const [first] = deployments;
  if (first !== undefined && valueOf("contracts") === "") {
    const here = deployments.filter(({ chainId }) => chainId === first.chainId);
    setValues({ callChain: first.chainId, contracts: here.map(({ address }) => address).join("\n") });
  }
  showArguments({});
}

/** @returns {readonly import("./policy-abi.client.js").Leaf[]} the values of the chosen function */
function chosenParameters() {
  const { functions } = readFunctions(fieldOf("abi").value);
  return functions.find(({ text }) => text === valueOf("called"))?.parameters ?? [];
}

/**
 * Shows the fields of each argument: any value, one of some, or at most one.
 * @param {Readonly<Record<string, any>>} where
 */
export function showArguments(where) {
  const rows = chosenParameters().map((parameter, index) =>
    argumentRow(parameter, index, where[parameter.path])
  );
  getElement("rule-arguments", HTMLElement).replaceChildren(...rows);
}

/**
 * @param {import("./policy-abi.client.js").Leaf} parameter
 * @param {number} index
 * @param {{ readonly atMost?: string, readonly oneOf?: readonly unknown[] }} [limit]
 */
function argumentRow({ path, type }, index, limit) {
  const { limits, values } = messagesOf("rule-dialog");
  const label = newElement("label", "", newElement("code", "", path.slice(1)), ` (${type})`);
  label.htmlFor = `rule-limit-${index}`;
  const select = newElement("select", "");
  const kinds = type.includes("int") ? ["any", "oneOf", "atMost"] : ["any", "oneOf"];
  select.append(...kinds.map((kind) => new Option(/** @type {any} */ (limits)[kind], kind)));
  Object.assign(select, { id: label.htmlFor, name: `limit-${index}`, autocomplete: "off" });
  select.value = Object.keys(limit ?? {})[0] ?? "any";
  const value = newElement("textarea", "mono short");
  Object.assign(value, {
    name: `value-${index}`,
    rows: 2,
    spellcheck: false,
    ariaLabel: fill(values, { name: path.slice(1) }),
  });
  value.value = limit?.atMost ?? limit?.oneOf?.join("\n") ?? "";
  const showValue = () => {
    value.hidden = select.value === "any";
    value.required = !value.hidden;
  };
  select.addEventListener("change", showValue);
  showValue();
  return newElement("div", "field", label, select, value);
}

/**
 * Reads the allowed values of a parameter, one a line. Undefined if a line is no value of the type `bool`.
 * @param {string} type
 * @param {string} text
 * @returns {readonly (string | boolean)[] | undefined}
 */
export function readValues(type, text) {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (type !== "bool") return lines;
  return lines.every((line) => line === "true" || line === "false")
    ? lines.map((line) => line === "true")
    : undefined;
}

/** Returns the limits of the arguments. Marks a maximum that is no integer, and a value of another type. */
export function chosenLimits() {
  /** @type {Record<string, import("./policy-edit.client.js").Json>} */
  const where = {};
  for (const [index, { path, type }] of chosenParameters().entries()) {
    const kind = valueOf(`limit-${index}`);
    if (kind === "atMost") where[path] = { atMost: unitsOf(`value-${index}`, 0) };
    if (kind !== "oneOf") continue;
    const field = fieldOf(`value-${index}`);
    const values = readValues(type, field.value);
    if (values === undefined) field.setCustomValidity(messagesOf("rule-dialog").trueOrFalse);
    where[path] = { oneOf: values ?? [] };
  }
  return where;
}
