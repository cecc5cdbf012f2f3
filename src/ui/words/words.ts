import type { Language } from "../../lib/language.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";

/**
 * Every sentence that people read on pages, one catalogue a language: `en/<page>.ts` and `de/<page>.ts`, each one
 * exported object of texts, and of functions of what stands in them (texts, or `Html` where the markup is inside the
 * sentence); `en.ts` and `de.ts` name them all. English is written first and its type is what German must have: a
 * missing sentence does not compile. A page takes its own: `const words = wordsIn(language).signIn`, the language being
 * in the page's `FrameView` or `AccountView`. What a script says stands in `en/scripts/<script>.ts`: texts only, with
 * `{places}` for what stands in them, because they go to the browser as data, before the script (`words.client.js`
 * reads them there). Mails have their catalogues in `mail/words`, policies theirs in `policy/words` and what a
 * signature does in `ethereum/words`, by the same rules: those floors are lower.
 *
 * German says Sie. Its terms: passkey – der Passkey; key – der Schlüssel; to sign – signieren; signature – die Signatur;
 * account – das Konto; to sign in, to sign out – sich anmelden, sich abmelden; session – die Sitzung; request – die
 * Anfrage; application – die Anwendung; token – das Token; policy – die Richtlinie; activity – der Verlauf; to revoke, to
 * withdraw – widerrufen, entziehen; vault – der Tresor; address – die Adresse; blind signing – blindes Signieren.
 */
export type Words = typeof en;

const CATALOGUES: Readonly<Record<Language, Words>> = { en, de };

/** All sentences of a language. */
export function wordsIn(language: Language): Words {
  return CATALOGUES[language];
}
