import { type Language, messagesIn } from "../lib/language.ts";
import { readable } from "../lib/readable-text.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The events that a browser is notified of. */
export const PUSH_KINDS = ["signature_asked", "signed_in", "signing_refused"] as const;

export type PushKind = typeof PUSH_KINDS[number];

/** A message without its texts. Says who asks and of which kind it is, never what would be signed. */
export interface PushMessage {
  readonly kind: PushKind;
  /** The name of the token or application; null without one. */
  readonly program: string | null;
  /** The signing request; null for other kinds. */
  readonly requestId: string | null;
}

/** Formats what the service worker shows, as JSON. */
export function formatPayload(message: PushMessage, language: Language): string {
  const messages = messagesIn(language, { en, de });
  const { title, text } = messages[message.kind];
  const program = message.program === null ? messages.aProgram : readable(message.program);
  return JSON.stringify({ ...message, title, text: text(program) });
}
