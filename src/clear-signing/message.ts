import { toHex, utf8 } from "../lib/bytes.ts";
import { blindPayloadReason } from "./blind-payload.ts";
import { say } from "./format-message.ts";
import { mayBeHash } from "../ethereum/personal-message.ts";
import type { Intent } from "./intent.ts";
import { readSignInIntent } from "./standard/sign-in.ts";
import { bytesField, type IntentContext, quoted, textField, warning } from "./parties.ts";

/** What signing a text does (EIP-191): a sign-in, or only what it says. */
export function textIntent(text: string, context: IntentContext): Intent {
  return readSignInIntent(text, context) ?? {
    kind: "text",
    recognisedBy: "EIP-191",
    sentence: say("textMessage", { text: quoted(text), mayBeHash: mayBeHash(utf8(text)) }),
    chainId: null,
    contract: null,
    fields: [textField("textLabel", text)],
    effects: [],
    warnings: [],
  };
}

/**
 * What signing bytes as a personal message does (EIP-191). Bytes that are a text are that text: whoever checks the
 * signature cannot tell how it was sent.
 */
export function personalBytesIntent(payload: Uint8Array, context: IntentContext): Intent {
  const text = textOfBytes(payload);
  if (text !== undefined) return textIntent(text, context);
  return {
    kind: "bytes",
    recognisedBy: "EIP-191",
    sentence: say("bytesMessage", { count: payload.length, mayBeHash: payload.length === 32 }),
    chainId: null,
    contract: null,
    fields: [bytesField("bytesLabel", toHex(payload))],
    effects: [],
    warnings: [],
  };
}

/** The text that the bytes are in UTF-8, with nothing in it that no text has; undefined for others and for no bytes. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text === "" || /(?![\n\t])\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * What signing bytes does: nobody can tell, but what they look like can be said whatever the key is allowed to sign.
 */
export function bytesIntent(payload: Uint8Array): Intent {
  const reason = blindPayloadReason(payload);
  return {
    kind: "bytes",
    recognisedBy: say("byNothing"),
    sentence: say("rawBytes", { count: payload.length }),
    chainId: null,
    contract: null,
    fields: [bytesField("bytesLabel", toHex(payload))],
    effects: [],
    warnings: reason === undefined
      ? []
      : [warning("looks_like_transaction", say("lookAgain", { reason: say(reason) }))],
  };
}

/** What signing a bare digest does: nobody can tell. */
export function digestIntent(digest: Uint8Array): Intent {
  return {
    kind: "digest",
    recognisedBy: say("byNothing"),
    sentence: say("bareDigest"),
    chainId: null,
    contract: null,
    fields: [bytesField("digest", toHex(digest))],
    effects: [],
    warnings: [],
  };
}
