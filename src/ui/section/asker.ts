import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { shown } from "../parts.ts";
import type { SigningRequestView } from "../view.ts";
import { de } from "../words/signing-requests.de.ts";
import { en } from "../words/signing-requests.en.ts";

/** Who asks for a signature, in words. */
export function askerWords({ kind, name }: SigningRequestView["asker"], language: Language): Html {
  const { askers } = messagesIn(language, { en, de }).requests;
  return kind === "owner" ? askers.owner : askers[kind](shown(name ?? ""));
}
