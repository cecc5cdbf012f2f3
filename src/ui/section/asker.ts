import type { Html } from "../../lib/html.ts";
import type { Language } from "../../lib/language.ts";
import { shown } from "../parts.ts";
import type { SigningRequestView } from "../view.ts";
import { wordsIn } from "../words/words.ts";

/** Who asks for a signature, in words. */
export function askerWords({ kind, name }: SigningRequestView["asker"], language: Language): Html {
  const { askers } = wordsIn(language).requests;
  return kind === "owner" ? askers.owner : askers[kind](shown(name ?? ""));
}
