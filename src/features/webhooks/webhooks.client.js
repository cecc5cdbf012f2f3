// @ts-check
import { post } from "../../ui/browser/api.client.js";
import {
  enableCopying,
  getElement,
  onSubmit,
  submitButton,
  unlock,
  whileBusy,
} from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { messagesOf } from "../../ui/browser/messages.client.js";
import { refreshParts } from "../../ui/browser/refresh.client.js";
import { withFreshSession } from "../../ui/browser/step-up.client.js";

const form = getElement("webhook-form", HTMLFormElement);

const alertBox = getElement("webhook-alert", HTMLElement);

const status = getElement("webhook-status", HTMLElement);

/** @param {string} message */
function show(message) {
  status.textContent = message;
}

onSubmit(form, () =>
  whileBusy(submitButton(form), async () => {
    clearAlert(alertBox);
    const data = new FormData(form);
    const settings = {
      url: String(data.get("url")).trim(),
      events: data.getAll("events").map(String),
      signature: String(data.get("signature")),
    };
    /** @type {{ readonly secret: string | null }} */
    const { secret } = await withFreshSession(
      "add_webhook",
      show,
      () => post("/api/auth/webhooks", settings),
    );
    getElement("webhook-secret", HTMLElement).textContent = secret ?? "";
    getElement("webhook-made", HTMLElement).hidden = secret === null;
    form.reset();
    const { added, loadAgain } = messagesOf("webhooks");
    const isShown = await refreshParts(["webhook-list"]).then(() => true, () => false);
    show(isShown ? added : `${added} ${loadAgain}`);
    status.focus();
  }, (error) => showFailure(alertBox, error, [form.id])));

enableCopying();

unlock();
