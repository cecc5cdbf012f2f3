// @ts-check

import { call, ownHeaders, readProblem } from "../../ui/browser/api.client.js";
import { getElement, onSubmit, submitButton, unlock, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showAlert, showFailure } from "../../ui/browser/failure.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";
import { refreshParts } from "../../ui/browser/refresh.client.js";
import { unlinkIdentity } from "../../ui/browser/removal.client.js";
import { signalPasskeys } from "../../ui/browser/signals.client.js";
import { withFreshSession } from "../../ui/browser/step-up.client.js";
import { restoreUnsent } from "../../ui/browser/unsent.client.js";

const messages = messagesOf("settings");

/**
 * The forms, by section, that are restored after the session expired. The deletion form is not: the user types the
 * name again.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const KEPT_FORMS = { name: ["name-form"], email: ["email-form"] };

/**
 * @param {string} section
 * @param {HTMLButtonElement} button
 * @param {(show: (message: string) => void) => Promise<string | undefined>} job resolves to the message to show
 * afterwards
 */
function attempt(section, button, job) {
  const alertBox = getElement(`${section}-alert`, HTMLElement);
  const status = getElement(`${section}-status`, HTMLElement);
  void whileBusy(button, async () => {
    clearAlert(alertBox);
    status.textContent = "";
    status.textContent = await job((message) => status.textContent = message) ?? "";
  }, (error) => {
    status.textContent = "";
    showFailure(alertBox, error, KEPT_FORMS[section]);
  });
}

/** @param {string} method @param {string} path @param {unknown} [value] */
function ask(method, path, value) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  return call(/** @type {"POST"} */ (method), `/api/auth/account${path}`, body);
}

function enableName() {
  const form = getElement("name-form", HTMLFormElement);
  const name = getElement("account-name", HTMLInputElement);
  onSubmit(form, () =>
    attempt("name", submitButton(form), async () => {
      await ask("PATCH", "", { name: name.value.trim() === "" ? null : name.value });
      void signalPasskeys();
      return messages.saved;
    }));
}

function enableEmail() {
  const emailForm = document.getElementById("email-form");
  if (!(emailForm instanceof HTMLFormElement)) return;
  const codeForm = getElement("code-form", HTMLFormElement);
  const email = getElement("new-email", HTMLInputElement);
  const code = getElement("code", HTMLInputElement);
  /** @param {boolean} isSent */
  const showCode = (isSent) => {
    emailForm.hidden = isSent;
    codeForm.hidden = !isSent;
    code.value = "";
    (isSent ? code : email).focus();
  };
  onSubmit(emailForm, () =>
    attempt("email", submitButton(emailForm), async (show) => {
      await withFreshSession("change_email", show, () =>
        ask("POST", "/email/code", { email: email.value.trim() }));
      showCode(true);
      return fill(messages.codeSent, { email: email.value.trim() });
    }));
  onSubmit(codeForm, () =>
    attempt("email", submitButton(codeForm), async (show) => {
      const digits = code.value.normalize("NFKC").replace(/\D/g, "");
      if (digits.length !== 6) {
        showAlert(getElement("email-alert", HTMLElement), messages.sixDigits);
        return undefined;
      }
      const emailChange = { email: email.value.trim(), code: digits };
      const { account } = await withFreshSession("change_email", show, () =>
        ask("POST", "/email", emailChange));
      email.value = "";
      showCode(false);
      void signalPasskeys();
      await refreshParts(["email-now"]).catch(() => {});
      return fill(messages.changed, { email: account.email });
    }));
  getElement("other-address", HTMLButtonElement).addEventListener("click", () => showCode(false));
}

/** @param {HTMLButtonElement} button */
function actOnIdentity(button) {
  const { link, unlink, provider = "" } = button.dataset;
  if (link !== undefined) {
    attempt("identities", button, async (show) => {
      const begin = () => ask("POST", "/identities", { provider: link });
      const { location: address } = await withFreshSession("link_identity", show, begin);
      location.assign(address);
      return undefined;
    });
  }
  if (unlink !== undefined) {
    attempt("identities", button, async (show) => {
      await withFreshSession(`unlink_identity:${unlink}`, show, () => unlinkIdentity(unlink));
      await refreshParts(["identity-list"]).catch(() => {});
      return fill(messages.unlinked, { provider });
    });
  }
}

function enableExport() {
  const button = getElement("export", HTMLButtonElement);
  button.addEventListener("click", () =>
    attempt("export", button, async (show) => {
      await withFreshSession("export_account", show, downloadExport);
      return messages.exported;
    }));
}

function enableDeletion() {
  const form = getElement("deletion-form", HTMLFormElement);
  const done = getElement("deletion-done", HTMLElement);
  const due = getElement("deletion-due", HTMLTimeElement);
  onSubmit(form, () =>
    attempt("deletion", submitButton(form), async (show) => {
      const confirm = getElement("confirm", HTMLInputElement).value;
      const { dueAt } = await withFreshSession("delete_account", show, () =>
        ask("POST", "/deletion", { confirm }));
      due.dateTime = dueAt;
      const { locale } = messagesOf("times");
      due.textContent = new Date(dueAt).toLocaleString(locale, { dateStyle: "long", timeStyle: "short" });
      form.hidden = true;
      done.hidden = false;
      done.focus();
      return undefined;
    }));
}

enableName();

enableEmail();

enableExport();

enableDeletion();

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-link], button[data-unlink]") : null;
  if (button instanceof HTMLButtonElement) actOnIdentity(button);
});

unlock();

restoreUnsent(getElement("page-status", HTMLElement));

/** Fetches the export of the account and lets the browser save it. Throws ApiError, and errors of fetch. */
async function downloadExport() {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...ownHeaders() },
    body: "{}",
  };
  const response = await fetch("/api/auth/account/export", { ...init, cache: "no-store", redirect: "error" });
  if (!response.ok) throw await readProblem(response);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = "holdfast-export.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
