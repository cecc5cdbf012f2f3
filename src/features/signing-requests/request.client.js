// @ts-check
import { ApiError } from "../../ui/browser/api.client.js";
import { approve, decline } from "../../ui/browser/approval.client.js";
import {
  enableCopying,
  getElement,
  onSubmit,
  submitButton,
  unlock,
  whileBusy,
} from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";

/**
 * Runs a job when a form is submitted and reloads the page. Does nothing if the page does not have the form.
 * @param {string} id
 * @param {(requestId: string) => Promise<unknown>} job
 */
function enable(id, job) {
  const form = document.getElementById(id);
  if (!(form instanceof HTMLFormElement)) return;
  const alertBox = getElement("request-alert", HTMLElement);
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(alertBox);
      await job(form.dataset["requestId"] ?? "");
      location.reload();
    }, (error) => {
      // The reloaded page shows the outcome. The request ended in another tab, or the response to an earlier decision
      // was lost.
      if (error instanceof ApiError && error.problem.code === "signing_request_over") location.reload();
      else showFailure(alertBox, error);
    }));
}

/** @param {string} message */
function show(message) {
  getElement("request-status", HTMLElement).textContent = message;
}

enable("approve-form", (requestId) => approve(requestId, show));
enable("decline-form", (requestId) => decline(requestId, getElement("word", HTMLInputElement).value.trim()));
enableCopying();
unlock();
