// @ts-check

import { call } from "../../ui/browser/api.client.js";
import {
  enableCopying,
  getElement,
  onSubmit,
  showRowTitle,
  submitButton,
  unlock,
  whileBusy,
} from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { runIdempotent } from "../../ui/browser/idempotency.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";
import { enablePolicyBuilder } from "../../ui/browser/policy-builder.client.js";
import { refreshParts } from "../../ui/browser/refresh.client.js";
import { revokeToken } from "../../ui/browser/removal.client.js";
import { withFreshSession } from "../../ui/browser/step-up.client.js";
import { restoreUnsent } from "../../ui/browser/unsent.client.js";

const DAY = 24 * 60 * 60_000;

const form = getElement("token-form", HTMLFormElement);

const formAlert = getElement("token-alert", HTMLElement);

const formStatus = getElement("token-status", HTMLElement);

const listStatus = getElement("tokens-status", HTMLElement);

const dialog = getElement("revoke-dialog", HTMLDialogElement);

const revokeForm = getElement("revoke-form", HTMLFormElement);

const revokeAlert = getElement("revoke-alert", HTMLElement);

const policy = getElement("token-policy", HTMLTextAreaElement);

const template = getElement("token-template", HTMLSelectElement);

let selected = { tokenId: "", name: "" };

/** @param {string} message */
async function showList(message) {
  const isShown = await refreshParts(["token-list"]).then(() => true, () => false);
  listStatus.textContent = isShown ? message : `${message} ${messagesOf("tokens").loadAgain}`;
}

/** @returns {Record<string, unknown>} the terms of the form, as the API takes them */
function readSettings() {
  const data = new FormData(form);
  const keys = data.getAll("keys").map(String);
  const networks = String(data.get("networks")).split(/[\s,]+/).filter((word) => word !== "");
  return {
    name: String(data.get("name")).trim(),
    keys: keys.includes("all") ? "all" : keys,
    actions: data.getAll("actions").map(String),
    // Uses the service's clock, because this browser's may be wrong.
    expiresAt: new Date(Date.parse(form.dataset["now"] ?? "") + Number(data.get("days")) * DAY).toISOString(),
    ...(networks.length === 0 ? {} : { networks }),
  };
}

/** @param {string} message */
function showInForm(message) {
  formStatus.textContent = message;
}

// First: the builder shows the policy that it finds.
restoreUnsent(formStatus);

const builder = enablePolicyBuilder(policy, {
  formIds: [form.id],
  keyId: () => new FormData(form).getAll("keys").map(String).find((keyId) => keyId !== "all"),
});

template.addEventListener("change", () => {
  policy.value = template.value;
  policy.rows = template.value === "" ? 3 : 16;
  builder.show();
});

onSubmit(form, () =>
  whileBusy(submitButton(form), async () => {
    clearAlert(formAlert);
    listStatus.textContent = "";
    const settings = readSettings();
    // Read now: the user may edit the policy while the browser asks for the passkey.
    const written = policy.value;
    const { text } = await runIdempotent(JSON.stringify([settings, written]), (idempotencyKey) =>
      withFreshSession("add_token", showInForm, () =>
        createToken(settings, written, idempotencyKey)));
    getElement("token-text", HTMLElement).textContent = text;
    getElement("token-made", HTMLElement).hidden = false;
    form.reset();
    policy.rows = 3;
    builder.show();
    await showList(fill(messagesOf("tokens").made, { name: String(settings["name"]) }));
    getElement("made", HTMLElement).focus();
  }, (error) =>
    showFailure(formAlert, error, [form.id])));

onSubmit(revokeForm, () =>
  whileBusy(submitButton(revokeForm), async () => {
    clearAlert(revokeAlert);
    await revokeToken(selected.tokenId);
    dialog.close();
    await showList(fill(messagesOf("tokens").revoked, { name: selected.name }));
    listStatus.focus();
  }, (error) => showFailure(revokeAlert, error)));

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-act]") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  if (button.dataset["act"] === "close") return dialog.close();
  selected = { tokenId: button.dataset["tokenId"] ?? "", name: button.dataset["name"] ?? "" };
  showRowTitle(button, "revoke-what");
  clearAlert(revokeAlert);
  dialog.showModal();
});

enableCopying();

unlock();

/**
 * Creates a token. A repeated `idempotencyKey` creates no other token.
 * @param {Readonly<Record<string, unknown>>} settings
 * @param {string} policy JSON text, sent unchanged; empty for none.
 * @param {string} idempotencyKey
 * @returns {Promise<{ readonly text: string }>}
 */
export function createToken(settings, policy, idempotencyKey) {
  const text = JSON.stringify(settings);
  const member = policy.trim() === "" ? "" : `,"policy":${policy}`;
  const body = `${text.slice(0, -1)}${member}}`;
  return call("POST", "/api/auth/tokens", body, { "idempotency-key": idempotencyKey });
}
