import { blindPayloadReason } from "../blind.ts";
import type { Intent } from "./intent.ts";
import { readSignInIntent } from "./sign-in.ts";
import { type IntentContext, quoted, textField, warning } from "./words.ts";
import { bytesField } from "./words.ts";
import { toHex } from "../../lib/bytes.ts";

/** What signing a text does (EIP-191): a sign-in, or only what it says. */
export function textIntent(text: string, context: IntentContext): Intent {
  return readSignInIntent(text, context) ?? {
    kind: "text",
    recognisedBy: "EIP-191",
    sentence: `Sign the text ${quoted(text)}.`,
    chainId: null,
    contract: null,
    fields: [textField("Text", text)],
    effects: [],
    warnings: [],
  };
}

/** What signing bytes does: nobody can tell, but what they look like can be said whatever the key is allowed to sign. */
export function bytesIntent(payload: Uint8Array): Intent {
  const reason = blindPayloadReason(payload);
  return {
    kind: "bytes",
    recognisedBy: "nothing",
    sentence: `Sign the hash of ${payload.length} bytes. Nobody can tell what they stand for.`,
    chainId: null,
    contract: null,
    fields: [bytesField("Bytes", toHex(payload))],
    effects: [],
    warnings: reason === undefined
      ? []
      : [warning("looks_like_transaction", `Look at these bytes again: ${reason}`)],
  };
}

/** What signing a bare digest does: nobody can tell. */
export function digestIntent(digest: Uint8Array): Intent {
  return {
    kind: "digest",
    recognisedBy: "nothing",
    sentence: "Sign 32 bytes as they are. Nobody can tell what they stand for.",
    chainId: null,
    contract: null,
    fields: [bytesField("Digest", toHex(digest))],
    effects: [],
    warnings: [],
  };
}
