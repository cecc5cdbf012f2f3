// @ts-check
import { readFunctions } from "./policy-abi.client.js";
import { budgetOf, budgetUses, isObject, placeOf, ruleOf } from "./policy-edit.client.js";

/**
 * @typedef {import("./policy-edit.client.js").Json} Json
 * @typedef {import("./policy-edit.client.js").ListedChoice} ListedChoice
 * @typedef {import("./policy-edit.client.js").PaymentChoice} PaymentChoice
 * @typedef {import("./policy-edit.client.js").CallChoice} CallChoice
 */

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/**
 * The members that a rule of a list can leave out.
 * @type {Readonly<Record<string, Json>>}
 */
const DEFAULTS = {
  signIn: { outcome: "allow" },
  effects: { outcome: "allow" },
  transactions: { spends: [], outcome: "allow" },
};

/**
 * Compares two JSON values without regard to the order of members.
 * @param {unknown} one @param {unknown} other @returns {boolean}
 */
function isSame(one, other) {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length &&
      one.every((item, at) => isSame(item, other[at]));
  }
  if (!isObject(one)) return one === other;
  const names = Object.keys(one);
  return isObject(other) && Object.keys(other).length === names.length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

/**
 * Returns true if a form has a field for each value of a limit.
 * @param {Json} limit
 */
function isSimple({ atMost, oneOf, ...others }) {
  if (Object.keys(others).length > 0 || (atMost === undefined) === (oneOf === undefined)) return false;
  return (oneOf ?? []).every((/** @type {unknown} */ one) =>
    typeof one === "boolean" || (one !== "" && one === String(one).trim() && !/[\r\n]/.test(String(one)))
  );
}

/**
 * @param {Json} rule of a transaction
 * @returns {readonly CallChoice[]}
 */
function readCall({ chainId, to, valueAtMost, feeAtMost, call, outcome }) {
  if (call === undefined || !Array.isArray(to)) return [];
  const [called] = readFunctions(call.function).functions;
  if (called === undefined || called.text !== call.function) return [];
  const { parameters } = called;
  const isKnown = Object.entries(call.where).every(([path, limit]) =>
    parameters.some((parameter) => parameter.path === path) && isSimple(limit)
  );
  if (!isKnown) return [];
  const choice = { chainId, contracts: to, called: call.function, where: call.where };
  return [{ kind: "call", ...choice, value: valueAtMost, fee: feeAtMost, outcome }];
}

/** @param {unknown} list @returns {readonly string[]} */
function addressesOf(list) {
  return Array.isArray(list) && list.every((one) => ADDRESS.test(one)) ? list : [];
}

/**
 * Reads a rule as a payment. Does not check that nothing of it is lost.
 * @param {Json} rule
 * @param {Json} budgets
 * @returns {PaymentChoice}
 */
function readPayment(rule, budgets) {
  const { chainId, to, valueAtMost = "", feeAtMost: fee, call, gives, outcome } = rule;
  const [[window, most] = ["rollingDay", ""]] = Object.entries(budgets[budgetOf(rule) ?? ""] ?? {});
  const common = { kind: /** @type {const} */ ("payment"), chainId, fee, outcome, window, most };
  if (gives !== undefined) {
    const [{ asset, to, atMost = "" }] = gives;
    return { ...common, form: "any", asset, to: addressesOf(to), each: atMost };
  }
  if (call === undefined) {
    return { ...common, form: "transfer", asset: "native", to: addressesOf(to), each: valueAtMost };
  }
  const { "/to": only, "/value": limit } = call.where;
  const each = limit?.atMost ?? "";
  return { ...common, form: "transfer", asset: to[0], to: addressesOf(only?.oneOf), each };
}

/** @type {Readonly<Record<string, (rule: Json, budgets: Json) => readonly ListedChoice[]>>} */
const READERS = {
  signIn: ({ domains, chainIds = [], resources, outcome }) => [
    { kind: "signIn", sites: domains, chains: chainIds, resources: resources === "any", outcome },
  ],
  effects: (rule, budgets) => [readPayment(rule, budgets)],
  transactions: (rule, budgets) => [readPayment(rule, budgets), ...readCall(rule)],
};

/**
 * Reads a rule as it is chosen. Undefined if the choices do not express all of it.
 * @param {Json} policy in the normal form
 * @param {string} pointer
 * @returns {ListedChoice | undefined}
 */
export function readChoice(policy, pointer) {
  const { parent, last, list } = placeOf(policy, pointer);
  const rule = parent[last];
  const read = Object.hasOwn(READERS, list) ? READERS[list] : undefined;
  if (!isObject(rule) || read === undefined) return undefined;
  const budget = budgetOf(rule);
  return read(rule, policy["budgets"]).find((choice) => {
    const written = ruleOf(choice, budget);
    if (!isSame({ ...DEFAULTS[list], ...written.rule }, rule)) return false;
    if (budget === undefined) return true;
    const isOwn = budgetUses(policy).filter((name) => name === budget).length === 1;
    return isOwn && choice.kind === "payment" &&
      isSame(policy["budgets"][budget], { [choice.window]: choice.most });
  });
}

/**
 * Converts an amount to the asset's smallest unit. Undefined for any other text.
 * @param {string} text
 * @param {number} decimals
 * @returns {string | undefined}
 */
export function toUnits(text, decimals) {
  const [all, whole = "", fraction = ""] = /^(\d{1,78})(?:[.,](\d+))?$/.exec(text.trim()) ?? [];
  if (all === undefined || fraction.length > decimals) return undefined;
  return (whole + fraction.padEnd(decimals, "0")).replace(/^0+(?=\d)/, "");
}

/**
 * Formats an integer in the asset's smallest unit as an amount.
 * @param {string} units
 * @param {number} decimals
 */
export function fromUnits(units, decimals) {
  if (units === "" || decimals === 0) return units;
  const digits = units.padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return digits.slice(0, -decimals) + (fraction === "" ? "" : `.${fraction}`);
}
