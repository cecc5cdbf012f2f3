import { toHex, utf8 } from "../lib/bytes.ts";
import { blindPayloadReason } from "./blind-payload.ts";
import { localizable } from "./format-message.ts";
import { mayBeHash } from "../ethereum/personal-message.ts";
import type { Intent } from "./intent.ts";
import { notUnderstood } from "./not-understood.ts";
import { malformedSignInWarnings, readSignInIntent } from "./standard/sign-in.ts";
import { bytesField, type IntentContext, quoted, textField, warning } from "./parties.ts";

/** Describes a text (EIP-191): a sign-in, or the text itself. */
export function textIntent(text: string, context: IntentContext): Intent {
  const isHash = mayBeHash(utf8(text));
  return readSignInIntent(text, context) ?? {
    kind: "text",
    recognisedBy: "EIP-191",
    sentence: localizable("textMessage", { text: quoted(text), mayBeHash: isHash }),
    chainId: null,
    contract: null,
    fields: [textField("textLabel", text)],
    effects: [],
    effectsComplete: false,
    warnings: [
      ...(isHash ? [notUnderstood(context, null, null, "hash")] : []),
      ...malformedSignInWarnings(text, context),
    ],
  };
}

/** Describes bytes (EIP-191). Treats UTF-8 as text, because a verifier cannot tell how it was sent. */
export function personalBytesIntent(payload: Uint8Array, context: IntentContext): Intent {
  const text = textOfBytes(payload);
  if (text !== undefined) return textIntent(text, context);
  const isHash = payload.length === 32;
  return {
    kind: "bytes",
    recognisedBy: "EIP-191",
    sentence: localizable("bytesMessage", { count: payload.length, mayBeHash: isHash }),
    chainId: null,
    contract: null,
    fields: [bytesField("bytesLabel", toHex(payload))],
    effects: [],
    effectsComplete: false,
    warnings: payload.length === 0 ? [] : [notUnderstood(context, null, null, isHash ? "hash" : "bytes")],
  };
}

/** Decodes UTF-8. Returns undefined for no bytes, for other bytes, and for text with control characters. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text === "" || /(?![\n\t])\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Describes raw bytes. Warns if they look like something else, whatever the key may sign. */
export function bytesIntent(payload: Uint8Array, context: IntentContext): Intent {
  const reason = blindPayloadReason(payload);
  return {
    kind: "bytes",
    recognisedBy: localizable("byNothing"),
    sentence: localizable("rawBytes", { count: payload.length }),
    chainId: null,
    contract: null,
    fields: [bytesField("bytesLabel", toHex(payload))],
    effects: [],
    effectsComplete: false,
    warnings: [
      reason === undefined
        ? notUnderstood(context, null, null, "bytes")
        : warning("looks_like_transaction", localizable("lookAgain", { reason: localizable(reason) })),
    ],
  };
}

export function digestIntent(digest: Uint8Array, context: IntentContext): Intent {
  return {
    kind: "digest",
    recognisedBy: localizable("byNothing"),
    sentence: localizable("bareDigest"),
    chainId: null,
    contract: null,
    fields: [bytesField("digest", toHex(digest))],
    effects: [],
    effectsComplete: false,
    warnings: [notUnderstood(context, null, null, "hash")],
  };
}
