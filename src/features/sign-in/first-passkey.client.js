// @ts-check
import { getCreationOptions, registerPasskey } from "../../ui/browser/api.client.js";
import { nextPath } from "../../ui/browser/dom.client.js";
import { createPasskey, PasskeyError } from "../../ui/browser/passkey.client.js";
import { messagesOf } from "../../ui/browser/messages.client.js";

/**
 * Creates the account of this page with its first passkey, then continues. Throws PasskeyError if the options are for
 * another account: in another tab, the user may have verified another address or identity since.
 * @param {(user: { readonly id: string, readonly name: string }) => boolean} isOfThisPage
 */
export async function makeFirstPasskey(isOfThisPage) {
  const options = await getCreationOptions("new");
  if (!isOfThisPage(options.user)) throw new PasskeyError(messagesOf("passkey").overtaken);
  await registerPasskey(await createPasskey(options), undefined, "new");
  // Offers a second passkey or recovery codes first; the user can skip it.
  location.assign(`/account/recovery?next=${encodeURIComponent(nextPath(location.search))}`);
}
