// @ts-check
import { generateKey } from "./keys-api.client.js";
import {
  enableCopying,
  getElement,
  onSubmit,
  submitButton,
  unlock,
  whileBusy,
} from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { runIdempotent } from "../../ui/browser/idempotency.client.js";
import { hasSavedQuote } from "./saved-quote.client.js";
import { restoreUnsent } from "../../ui/browser/unsent.client.js";
import { messagesOf } from "../../ui/browser/messages.client.js";

const form = getElement("create-form", HTMLFormElement);
const label = getElement("label", HTMLInputElement);
const alertBox = getElement("alert", HTMLElement);

onSubmit(form, () =>
  whileBusy(submitButton(form), async () => {
    clearAlert(alertBox);
    const text = label.value.trim();
    const { key } = await runIdempotent(text, (idempotencyKey) =>
      generateKey(text === "" ? undefined : text, idempotencyKey));
    location.assign(`/keys/${key.id}`);
  }, (error) =>
    showFailure(alertBox, error, [form.id])));

const status = getElement("status", HTMLElement);
const opener = form.closest("details");
opener?.addEventListener("toggle", () => opener.open && label.focus());
unlock();
enableCopying();
restoreUnsent(status);
if (hasSavedQuote()) {
  const step = document.getElementById("step-quote");
  step?.classList.add("done");
  step?.querySelector(".step-done")?.replaceChildren(messagesOf("keys").done);
}
// Opens the form if a label typed before the session ended was restored.
if (opener !== null && status.textContent !== "") opener.open = true;
