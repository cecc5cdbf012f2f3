// @ts-check

/**
 * @typedef {Record<string, any>} Json an object of a policy, as `JSON.parse` returns it
 * @typedef {"allow" | "ask"} Outcome
 * @typedef {{ readonly kind: "signIn", readonly sites: readonly string[], readonly chains: readonly string[],
 * readonly resources: boolean, readonly outcome: Outcome }} SignInChoice
 * @typedef {{ readonly kind: "payment", readonly form: "any" | "transfer", readonly chainId: string,
 * readonly asset: string, readonly to: readonly string[], readonly each: string, readonly most: string,
 * readonly window: string, readonly fee: string, readonly outcome: Outcome,
 * readonly name?: string }} PaymentChoice a payment, with a name for its budget: an empty `to` is
 * anyone, an empty `each` or `most` is no limit, and amounts are integers in the asset's smallest unit
 * @typedef {{ readonly kind: "call", readonly chainId: string, readonly contracts: readonly string[],
 * readonly called: string, readonly where: Json, readonly value: string, readonly fee: string,
 * readonly outcome: Outcome }} CallChoice
 * @typedef {SignInChoice | PaymentChoice | CallChoice} ListedChoice a rule of a list
 * @typedef {ListedChoice | { readonly kind: "text", readonly outcome: Outcome } | { readonly kind: "otherwise" }} Choice
 */

const TRANSFER = "transfer(address to,uint256 value)";

/** @param {unknown} value @returns {value is Json} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Finds the value of a rule: its parent, its name or index there, and the name of its list.
 * @param {Json} policy
 * @param {string} pointer
 * @returns {{ readonly parent: any, readonly last: string, readonly list: string }}
 */
export function placeOf(policy, pointer) {
  const steps = pointer.slice(1).split("/");
  const last = steps.pop() ?? "";
  const parent = steps.reduce((/** @type {any} */ at, step) => at[step], policy);
  return { parent, last, list: steps.at(-1) ?? "" };
}

/**
 * Returns a copy whose messages are an object: a policy can have a word instead.
 * @param {Json} policy
 */
function copyOf(policy) {
  const copy = structuredClone(policy);
  if (copy["messages"] === "none") copy["messages"] = {};
  if (copy["messages"] === "any") copy["messages"] = { text: "allow", bytes: "allow" };
  return copy;
}

/** @param {Json} policy @returns {readonly string[]} the name of a budget for each place that counts against it */
export function budgetUses(policy) {
  const rules = [...policy["typedData"] ?? [], ...policy["transactions"] ?? []];
  const spends = [...rules.flatMap(({ spends = [] }) => spends), ...givesOf(policy)];
  return spends.map(({ budget }) => budget);
}

/** @param {Json} policy */
function givesOf(policy) {
  return (policy["effects"] ?? []).flatMap((/** @type {Json} */ { gives = [] }) => gives);
}

/**
 * Returns a name that no budget of the policy has.
 * @param {Json} policy
 * @param {PaymentChoice} choice
 */
function newBudgetName(policy, { asset, name = asset.slice(0, 8) }) {
  const first = `paid-${name}`;
  for (let count = 1;; count++) {
    const free = count === 1 ? first : `${first}-${count}`;
    if (!Object.hasOwn(policy["budgets"] ?? {}, free)) return free;
  }
}

/** @param {{ readonly outcome: Outcome }} choice */
function outcomeMember({ outcome }) {
  return outcome === "ask" ? { outcome } : {};
}

/**
 * @param {PaymentChoice} choice
 * @param {string | undefined} budget
 * @returns {{ readonly list: string, readonly rule: Json }}
 */
function paymentRule({ form, chainId, asset, to, each, fee, ...choice }, budget) {
  const recipients = to.length === 0 ? "any" : to;
  const end = { feeAtMost: fee, ...outcomeMember(choice) };
  /** @param {string} path */
  const spends = (path) => budget === undefined ? {} : { spends: [{ budget, path }] };
  if (form === "any") {
    const most = each === "" ? {} : { atMost: each };
    const counted = budget === undefined ? {} : { budget };
    return {
      list: "effects",
      rule: { chainId, gives: [{ asset, to: recipients, ...most, ...counted }], ...end },
    };
  }
  if (asset === "native") {
    const rule = {
      chainId,
      to: recipients,
      valueAtMost: each,
      selectors: ["0x"],
      ...spends("/value"),
      ...end,
    };
    return { list: "transactions", rule };
  }
  const where = {
    ...(to.length === 0 ? {} : { "/to": { oneOf: to } }),
    ...(each === "" ? {} : { "/value": { atMost: each } }),
  };
  const call = { function: TRANSFER, where };
  return {
    list: "transactions",
    rule: { chainId, to: [asset], valueAtMost: "0", call, ...spends("/call/value"), ...end },
  };
}

/** @param {CallChoice} choice @returns {Json} */
function callRule({ chainId, contracts, called, where, value, fee, ...choice }) {
  const call = { function: called, where };
  return { chainId, to: contracts, valueAtMost: value, feeAtMost: fee, call, ...outcomeMember(choice) };
}

/** @param {SignInChoice} choice @returns {Json} */
function signInRule({ sites, chains, resources, ...choice }) {
  return {
    domains: sites,
    ...(chains.length === 0 ? {} : { chainIds: chains }),
    ...(resources ? { resources: "any" } : {}),
    ...outcomeMember(choice),
  };
}

/**
 * Returns a rule and the name of its list.
 * @param {ListedChoice} choice
 * @param {string | undefined} budget
 * @returns {{ readonly list: string, readonly rule: Json }}
 */
export function ruleOf(choice, budget) {
  switch (choice.kind) {
    case "signIn":
      return { list: "signIn", rule: signInRule(choice) };
    case "call":
      return { list: "transactions", rule: callRule(choice) };
    case "payment":
      return paymentRule(choice, budget);
  }
}

/**
 * Writes a rule into a policy, at the end of its list or in place of another.
 * @param {Json} policy
 * @param {ListedChoice} choice
 * @param {{ readonly at?: number, readonly budget?: string | undefined }} [former]
 */
function put(policy, choice, { at, budget } = {}) {
  const isCounted = choice.kind === "payment" && choice.most !== "";
  const name = isCounted ? budget ?? newBudgetName(policy, choice) : undefined;
  const { list, rule } = ruleOf(choice, name);
  const parent = list === "signIn" ? policy["messages"] ??= {} : policy;
  const rules = parent[list] ??= [];
  rules[at ?? rules.length] = rule;
  if (name !== undefined && isCounted) (policy["budgets"] ??= {})[name] = { [choice.window]: choice.most };
}

/**
 * Returns the policy with a further rule.
 * @param {Json} policy
 * @param {Choice} choice
 */
export function addRule(policy, choice) {
  const copy = copyOf(policy);
  if (choice.kind === "otherwise") copy["otherwise"] = "ask";
  else if (choice.kind === "text") (copy["messages"] ??= {})["text"] = choice.outcome;
  else put(copy, choice);
  return copy;
}

/**
 * Returns the name of the budget that a rule counts against, if it is one.
 * @param {Json} rule
 * @returns {string | undefined}
 */
export function budgetOf({ gives = [], spends = [] }) {
  const names = [...gives, ...spends].map(({ budget }) => budget).filter((name) => name !== undefined);
  return names.length === 1 ? names[0] : undefined;
}

/**
 * Deletes the budget that only a former rule counted against.
 * @param {Json} policy
 * @param {string | undefined} budget
 */
function dropUnusedBudget(policy, budget) {
  if (budget !== undefined && !budgetUses(policy).includes(budget)) delete policy["budgets"]?.[budget];
}

/**
 * Returns the policy without a rule, and without the budget that only this rule counted against.
 * @param {Json} policy
 * @param {string} pointer
 */
export function removeRule(policy, pointer) {
  const copy = copyOf(policy);
  const { parent, last } = placeOf(copy, pointer);
  const removed = parent[last];
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  if (isObject(removed)) dropUnusedBudget(copy, budgetOf(removed));
  return copy;
}

/**
 * Returns the policy with another rule in place of one. A rule of another list comes last there.
 * @param {Json} policy
 * @param {string} pointer
 * @param {ListedChoice} choice
 */
export function replaceRule(policy, pointer, choice) {
  const copy = copyOf(policy);
  const { parent, last, list } = placeOf(copy, pointer);
  const budget = budgetOf(parent[last]);
  const stays = ruleOf(choice, undefined).list === list;
  if (stays) parent[last] = {};
  else parent.splice(Number(last), 1);
  dropUnusedBudget(copy, budget);
  const isFree = budget !== undefined && !Object.hasOwn(copy["budgets"] ?? {}, budget);
  put(copy, choice, { ...(stays ? { at: Number(last) } : {}), budget: isFree ? budget : undefined });
  return copy;
}

/**
 * Returns the policy with another outcome of a rule.
 * @param {Json} policy
 * @param {string} pointer
 * @param {Outcome} outcome
 */
export function setOutcome(policy, pointer, outcome) {
  const copy = copyOf(policy);
  const { parent, last } = placeOf(copy, pointer);
  if (isObject(parent[last])) parent[last]["outcome"] = outcome;
  else parent[last] = outcome;
  return copy;
}

/**
 * Returns the policy with a maximum number of signatures in a window, or without one.
 * @param {Json} policy
 * @param {string} window
 * @param {number | undefined} most
 */
export function setSignatureLimit(policy, window, most) {
  const copy = copyOf(policy);
  if (most === undefined) delete copy[window];
  else copy[window] = most;
  return copy;
}
