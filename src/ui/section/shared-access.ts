import type { Account } from "../../accounts/account.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { de as kitDe } from "../messages.de.ts";
import { en as kitEn } from "../messages.en.ts";

/** Returns the data that an application receives about the user: the claims of `userClaims`. */
export function sharedWith({ email, name }: Account): SharedView {
  return { email, name };
}

export interface SharedView {
  readonly name: string | null;
  readonly email: string | null;
}

export function sharedLines({ name, email }: SharedView, language: Language): readonly string[] {
  const messages = messagesIn(language, { en: kitEn, de: kitDe }).shared;
  return [
    ...(name === null ? [] : [messages.yourName(name)]),
    ...(email === null ? [] : [messages.yourEmail(email)]),
    messages.accountId,
  ];
}
