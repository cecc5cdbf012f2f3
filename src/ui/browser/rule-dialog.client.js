// @ts-check
import { getElement, onSubmit } from "./dom.client.js";
import { fill, messagesOf } from "./messages.client.js";
import { fromUnits, toUnits } from "./policy-choices.client.js";
import { chosenLimits, showArguments, showFunctions } from "./rule-arguments.client.js";
import { fieldOf, setValues, unitsOf, valueOf } from "./rule-fields.client.js";

/**
 * @typedef {import("./policy-edit.client.js").Choice} Choice
 * @typedef {import("./policy-edit.client.js").ListedChoice} ListedChoice
 * @typedef {import("./policy-edit.client.js").PaymentChoice} PaymentChoice
 * @typedef {import("./policy-edit.client.js").CallChoice} CallChoice
 * @typedef {{ readonly kind: "limit", readonly window: string, readonly most: number | undefined }} LimitChoice
 * @typedef {import("./rule-fields.client.js").Field} Field
 */

/** The decimals of every chain's own currency. */
const NATIVE_DECIMALS = 18;

/** The usual limit of a fee, in the chain's own currency. */
const USUAL_FEE = "0.01";

/** @param {string} name @returns {readonly string[]} the items of a list that is written in lines or with commas */
function listOf(name) {
  return valueOf(name).split(/[\s,;]+/).filter((item) => item !== "");
}

/** @param {string} name @returns {"allow" | "ask"} */
function outcomeOf(name) {
  return valueOf(name) === "ask" ? "ask" : "allow";
}

/**
 * Returns the chosen asset. A token that is not in the list has no known decimals: its amounts are integers.
 * @returns {{ readonly chainId: string, readonly asset: string, readonly decimals: number, readonly name?: string }}
 */
function chosenAsset() {
  const select = getElement("rule-asset", HTMLSelectElement);
  if (select.value === "other") {
    const asset = valueOf("address");
    return { chainId: valueOf("chain"), asset, decimals: asset === "native" ? NATIVE_DECIMALS : 0 };
  }
  const [chainId = "", asset = ""] = select.value.split(":");
  const { decimals, name = "" } = select.selectedOptions[0]?.dataset ?? {};
  return { chainId, asset, decimals: Number(decimals), name };
}

/** Enables the fields of the chosen kind alone, because the browser checks those that are enabled. */
function showParts() {
  const kind = valueOf("kind");
  for (const part of document.querySelectorAll("#rule-form [data-kind]")) {
    if (part instanceof HTMLFieldSetElement) {
      show(part, part.dataset["kind"]?.split(" ").includes(kind) === true);
    }
  }
  const isOther = valueOf("asset") === "other";
  show(getElement("rule-other", HTMLFieldSetElement), isOther);
  fieldOf("each").toggleAttribute(
    "required",
    valueOf("shape") === "transfer" && chosenAsset().asset === "native",
  );
  showUnits();
}

/** @param {HTMLFieldSetElement} part @param {boolean} isShown */
function show(part, isShown) {
  part.hidden = !isShown;
  part.disabled = !isShown;
}

/** Shows the amounts of a payment as the policy has them. */
function showUnits() {
  const { decimals } = chosenAsset();
  const { eachUnits, mostUnits } = messagesOf("rule-dialog");
  const sentences = [["each", eachUnits], ["most", mostUnits]].flatMap(([name = "", sentence = ""]) => {
    const units = toUnits(valueOf(name), decimals);
    return units === undefined || decimals === 0 ? [] : [fill(sentence, { units })];
  });
  getElement("rule-units", HTMLElement).textContent = sentences.join(" ");
}

/** @returns {PaymentChoice} */
function readPayment() {
  const { decimals, ...chosen } = chosenAsset();
  return {
    kind: "payment",
    form: valueOf("shape") === "transfer" ? "transfer" : "any",
    ...chosen,
    to: listOf("to"),
    each: unitsOf("each", decimals),
    most: unitsOf("most", decimals),
    window: valueOf("window"),
    fee: unitsOf("fee", NATIVE_DECIMALS),
    outcome: outcomeOf("outcome"),
  };
}

/** @returns {CallChoice} */
function readCall() {
  return {
    kind: "call",
    chainId: valueOf("callChain"),
    contracts: listOf("contracts"),
    called: valueOf("called"),
    where: chosenLimits(),
    value: unitsOf("callValue", NATIVE_DECIMALS),
    fee: unitsOf("fee", NATIVE_DECIMALS),
    outcome: outcomeOf("outcome"),
  };
}

/**
 * Returns the host of an address that was pasted whole.
 * @param {string} site
 */
function hostOf(site) {
  return /^https?:\/\//.test(site) && URL.canParse(site) ? new URL(site).host : site;
}

/** @returns {Choice | LimitChoice} */
function readForm() {
  const outcome = outcomeOf("outcome");
  switch (valueOf("kind")) {
    case "payment":
      return readPayment();
    case "call":
      return readCall();
    case "signIn": {
      const { checked: resources } = /** @type {HTMLInputElement} */ (fieldOf("resources"));
      return {
        kind: "signIn",
        sites: listOf("sites").map(hostOf),
        chains: listOf("chains"),
        resources,
        outcome,
      };
    }
    case "text":
      return { kind: "text", outcome };
    case "otherwise":
      return { kind: "otherwise" };
    default: {
      const count = valueOf("count");
      return {
        kind: "limit",
        window: valueOf("limitWindow"),
        most: count === "" ? undefined : Number(count),
      };
    }
  }
}

/** @param {PaymentChoice} choice */
function fillPayment({ form, chainId, asset, to, each, most, window }) {
  const select = getElement("rule-asset", HTMLSelectElement);
  const isListed = [...select.options].some(({ value }) => value === `${chainId}:${asset}`);
  setValues({
    asset: isListed ? `${chainId}:${asset}` : "other",
    chain: chainId,
    address: asset,
    shape: form,
    window,
  });
  const { decimals } = chosenAsset();
  setValues({ to: to.join("\n"), each: fromUnits(each, decimals), most: fromUnits(most, decimals) });
}

/** @param {CallChoice} choice */
function fillCall({ chainId, contracts, called, where, value }) {
  setValues({
    abi: called,
    callChain: chainId,
    contracts: contracts.join("\n"),
    callValue: fromUnits(value, NATIVE_DECIMALS),
  });
  showFunctions();
  showArguments(where);
}

/** @param {ListedChoice} choice */
function fillForm(choice) {
  setValues({ kind: choice.kind, outcome: choice.outcome });
  switch (choice.kind) {
    case "payment":
      setValues({ fee: fromUnits(choice.fee, NATIVE_DECIMALS) });
      return fillPayment(choice);
    case "call":
      setValues({ fee: fromUnits(choice.fee, NATIVE_DECIMALS) });
      return fillCall(choice);
    case "signIn":
      setValues({ sites: choice.sites.join("\n"), chains: choice.chains.join(" ") });
      /** @type {HTMLInputElement} */ (fieldOf("resources")).checked = choice.resources;
  }
}

/**
 * Opens the form for a new rule, or for one to change.
 * @param {ListedChoice} [choice]
 */
export function openRuleDialog(choice) {
  getElement("rule-form", HTMLFormElement).reset();
  setValues({ fee: USUAL_FEE, callValue: "0" });
  showFunctions();
  if (choice !== undefined) fillForm(choice);
  showParts();
  getElement("rule-dialog", HTMLDialogElement).showModal();
}

/**
 * Makes the form call `save` with what was chosen.
 * @param {(choice: Choice | LimitChoice) => void} save
 */
export function enableRuleDialog(save) {
  const dialog = getElement("rule-dialog", HTMLDialogElement);
  const form = getElement("rule-form", HTMLFormElement);
  form.addEventListener("input", ({ target }) => {
    /** @type {Field} */ (target).setCustomValidity("");
    if (target === fieldOf("abi")) showFunctions();
    if (target === fieldOf("called")) showArguments({});
    // Only a transfer is understood of a token that the service does not know.
    if (target === fieldOf("asset") && valueOf("asset") === "other") setValues({ shape: "transfer" });
    showParts();
  });
  getElement("rule-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close());
  onSubmit(form, () => {
    const choice = readForm();
    if (!form.reportValidity()) return;
    dialog.close();
    save(choice);
  });
}
