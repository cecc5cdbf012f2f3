// @ts-check
import { ApiError, getStepUpOptions, stepUp } from "./api.client.js";
import { confirmWithPasskey } from "./passkey.client.js";
import { wordsOf } from "./messages.client.js";

/**
 * Confirms an action with a passkey of the signed-in account. Throws PasskeyError, or AbortError after the signal.
 * @param {string} action as the API names it
 * @param {AbortSignal} [signal]
 */
export async function confirmAction(action, signal) {
  await stepUp(action, await confirmWithPasskey(await getStepUpOptions(action), signal));
}

/**
 * Does a thing. Where the service wants a fresh sign-in for it, has just this action confirmed with a passkey, and then
 * does it again: whoever asked need not ask twice. Throws what the job throws, and PasskeyError when the person does not
 * confirm, or AbortError after the signal; then nothing has been done.
 * @template T
 * @param {string} action as the API names it
 * @param {(words: string) => void} say what the browser is about to ask; the empty text when it is over
 * @param {() => Promise<T>} job
 * @param {AbortSignal} [signal] ends the confirming, and what would follow
 * @returns {Promise<T>}
 */
export async function withFreshSession(action, say, job, signal) {
  try {
    return await job();
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.code !== "fresh_session_required") throw error;
  }
  say(wordsOf("step-up").confirm);
  try {
    await confirmAction(action, signal);
  } finally {
    say("");
  }
  signal?.throwIfAborted();
  return await job();
}
