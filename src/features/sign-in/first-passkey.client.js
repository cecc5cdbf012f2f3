// @ts-check
import { getCreationOptions, registerPasskey } from "../../ui/browser/api.client.js";
import { nextPath } from "../../ui/browser/dom.client.js";
import { createPasskey, PasskeyError } from "../../ui/browser/passkey.client.js";
import { wordsOf } from "../../ui/browser/messages.client.js";

/**
 * Makes the first passkey of the account that this page is about, and with it the account; then goes on. In another tab
 * somebody may have proven another address or identity since: what this browser may make then is that one's account.
 * @param {(user: { readonly id: string, readonly name: string }) => boolean} isThisPages
 * @returns {Promise<void>}
 */
export async function makeFirstPasskey(isThisPages) {
  const options = await getCreationOptions("new");
  if (!isThisPages(options.user)) throw new PasskeyError(wordsOf("passkey").overtaken);
  await registerPasskey(await createPasskey(options), undefined, "new");
  // On the way: a second passkey or recovery codes, or later.
  location.assign(`/account/recovery?next=${encodeURIComponent(nextPath(location.search))}`);
}
