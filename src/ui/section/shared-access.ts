import type { Account } from "../../accounts/account.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import type { Claim } from "../../oauth/claims.ts";
import { de as kitDe } from "../messages.de.ts";
import { en as kitEn } from "../messages.en.ts";

/** The claims that an application receives about the user, and the values that a page can show. */
export interface SharedView {
  readonly claims: readonly Claim[];
  readonly name: string | null;
  readonly email: string | null;
}

export function sharedWith({ email, name }: Account, claims: readonly Claim[]): SharedView {
  return { claims, email, name };
}

/** Returns a sentence for each claim. Leaves out those that the account has no value for. */
export function sharedLines({ claims, name, email }: SharedView, language: Language): readonly string[] {
  const messages = messagesIn(language, { en: kitEn, de: kitDe }).shared;
  const lines: readonly (readonly [Claim, string | null])[] = [
    ["name", name && messages.yourName(name)],
    ["email", email && messages.yourEmail(email)],
    // Its value is that of the name.
    ["preferred_username", claims.includes("name") || name === null ? null : messages.yourName(name)],
    // Always true.
    ["email_verified", claims.includes("email") || email === null ? null : messages.verified],
    ["locale", messages.language],
    ["updated_at", messages.updated],
    ["groups", messages.groups],
    ["wallets", messages.wallets],
  ];
  const shared = lines.flatMap(([claim, line]) => line !== null && claims.includes(claim) ? [line] : []);
  return [...shared, messages.accountId];
}
