// @ts-check
import { getCreationOptions, registerPasskey } from "./api.client.js";
import { createPasskey } from "./passkey.client.js";
import { signalPasskeys } from "./signals.client.js";
import { withFreshSession } from "./step-up.client.js";

/**
 * Creates another passkey of the signed-in account and registers it. If the service refuses it, signals the accepted
 * passkeys to the browser, so that it does not offer this one.
 * @param {(message: string) => void} show shows what the browser is about to ask; an empty text clears it
 * @param {string} [name] chosen by the service if absent
 * @returns {Promise<string>} the passkey's name
 */
export async function addPasskey(show, name) {
  const options = await withFreshSession("add_passkey", show, () => getCreationOptions("present"));
  const response = await createPasskey(options);
  try {
    const register = () => registerPasskey(response, name, "present");
    const { passkey } = await withFreshSession("add_passkey", show, register);
    return passkey?.name ?? name ?? "";
  } catch (error) {
    void signalPasskeys();
    throw error;
  }
}
