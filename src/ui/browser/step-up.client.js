// @ts-check
import { ApiError, getStepUpOptions, stepUp } from "./api.client.js";
import { confirmWithPasskey } from "./passkey.client.js";
import { messagesOf } from "./messages.client.js";

/**
 * Confirms an action with a passkey of the signed-in account. Throws PasskeyError, or AbortError after the signal.
 * @param {string} action as the API names it
 * @param {AbortSignal} [signal]
 */
export async function confirmAction(action, signal) {
  await stepUp(action, await confirmWithPasskey(await getStepUpOptions(action), signal));
}

/**
 * Runs a job. If the service requires a fresh session, confirms this action with a passkey and runs the job again.
 * Throws the job's error, PasskeyError if the user does not confirm, or AbortError after the signal. Nothing has then
 * been done.
 * @template T
 * @param {string} action as the API names it
 * @param {(message: string) => void} show shows what the browser is about to ask; an empty text clears it
 * @param {() => Promise<T>} job
 * @param {AbortSignal} [signal] aborts the confirmation and the second run
 * @returns {Promise<T>}
 */
export async function withFreshSession(action, show, job, signal) {
  try {
    return await job();
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.code !== "fresh_session_required") throw error;
  }
  show(messagesOf("step-up").confirm);
  try {
    await confirmAction(action, signal);
  } finally {
    show("");
  }
  signal?.throwIfAborted();
  return await job();
}
