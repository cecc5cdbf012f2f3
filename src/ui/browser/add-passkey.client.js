// @ts-check
import { getCreationOptions, registerPasskey } from "./api.client.js";
import { createPasskey } from "./passkey.client.js";
import { signalPasskeys } from "./signals.client.js";
import { withFreshSession } from "./step-up.client.js";

/**
 * Makes a further passkey of the signed-in account and registers it. If the service refuses it, tells the browser which
 * passkeys count, so that it does not offer this one.
 * @param {(words: string) => void} say what the browser is about to ask; the empty text when it is over
 * @param {string} [name] the service finds one if it is absent
 * @returns {Promise<string>} the name that it got
 */
export async function addPasskey(say, name) {
  const options = await withFreshSession("add_passkey", say, () => getCreationOptions("present"));
  const response = await createPasskey(options);
  try {
    const register = () => registerPasskey(response, name, "present");
    const { passkey } = await withFreshSession("add_passkey", say, register);
    return passkey?.name ?? name ?? "";
  } catch (error) {
    void signalPasskeys();
    throw error;
  }
}
