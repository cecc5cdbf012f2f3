import type { Language } from "../../src/lib/language.ts";
import { de as accountDe } from "../../src/ui/words/account.de.ts";
import { en as accountEn } from "../../src/ui/words/account.en.ts";
import { de as activityDe } from "../../src/ui/words/activity.de.ts";
import { en as activityEn } from "../../src/ui/words/activity.en.ts";
import { de as administrationDe } from "../../src/ui/words/administration.de.ts";
import { en as administrationEn } from "../../src/ui/words/administration.en.ts";
import { de as applicationsDe } from "../../src/ui/words/applications.de.ts";
import { en as applicationsEn } from "../../src/ui/words/applications.en.ts";
import { de as authorizationDe } from "../../src/ui/words/authorization.de.ts";
import { en as authorizationEn } from "../../src/ui/words/authorization.en.ts";
import { de as eventsDe } from "../../src/ui/words/events.de.ts";
import { en as eventsEn } from "../../src/ui/words/events.en.ts";
import { de as keysDe } from "../../src/ui/words/keys.de.ts";
import { en as keysEn } from "../../src/ui/words/keys.en.ts";
import { de as kitDe } from "../../src/ui/words/kit.de.ts";
import { en as kitEn } from "../../src/ui/words/kit.en.ts";
import { de as recoveryDe } from "../../src/ui/words/recovery.de.ts";
import { en as recoveryEn } from "../../src/ui/words/recovery.en.ts";
import { de as settingsDe } from "../../src/ui/words/settings.de.ts";
import { en as settingsEn } from "../../src/ui/words/settings.en.ts";
import { de as signInDe } from "../../src/ui/words/sign-in.de.ts";
import { en as signInEn } from "../../src/ui/words/sign-in.en.ts";
import { de as signingRequestsDe } from "../../src/ui/words/signing-requests.de.ts";
import { en as signingRequestsEn } from "../../src/ui/words/signing-requests.en.ts";
import { de as tokensDe } from "../../src/ui/words/tokens.de.ts";
import { en as tokensEn } from "../../src/ui/words/tokens.en.ts";

/** The catalogues of pages, by the names of their files. */
export const CATALOGUES = {
  en: {
    account: accountEn,
    activity: activityEn,
    administration: administrationEn,
    applications: applicationsEn,
    authorization: authorizationEn,
    events: eventsEn,
    keys: keysEn,
    kit: kitEn,
    recovery: recoveryEn,
    settings: settingsEn,
    "sign-in": signInEn,
    "signing-requests": signingRequestsEn,
    tokens: tokensEn,
  },
  de: {
    account: accountDe,
    activity: activityDe,
    administration: administrationDe,
    applications: applicationsDe,
    authorization: authorizationDe,
    events: eventsDe,
    keys: keysDe,
    kit: kitDe,
    recovery: recoveryDe,
    settings: settingsDe,
    "sign-in": signInDe,
    "signing-requests": signingRequestsDe,
    tokens: tokensDe,
  },
} as const;

export type PageMessages = typeof CATALOGUES.en;

/** Returns the messages of browser modules in a language, of all features. */
export function scriptMessagesIn(language: Language): Readonly<Record<string, object>> {
  const catalogues: readonly object[] = Object.values(CATALOGUES[language]);
  return Object.assign({}, ...catalogues.map((one) => "scripts" in one ? one.scripts : {}));
}

/** Sets the messages of browser modules in a language, for modules that a test runs without a page. */
export function bringWords(language: Language): void {
  Object.assign(globalThis, {
    words: scriptMessagesIn(language),
    document: { documentElement: { lang: language } },
  });
}
