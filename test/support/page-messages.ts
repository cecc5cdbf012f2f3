import type { Language } from "../../src/lib/language.ts";
import { de as accountDe } from "../../src/features/account/messages.de.ts";
import { en as accountEn } from "../../src/features/account/messages.en.ts";
import { de as activityDe } from "../../src/features/activity/messages.de.ts";
import { en as activityEn } from "../../src/features/activity/messages.en.ts";
import { de as administrationDe } from "../../src/features/administration/messages.de.ts";
import { en as administrationEn } from "../../src/features/administration/messages.en.ts";
import { de as applicationsDe } from "../../src/features/applications/messages.de.ts";
import { en as applicationsEn } from "../../src/features/applications/messages.en.ts";
import { de as authorizationDe } from "../../src/features/authorization/messages.de.ts";
import { en as authorizationEn } from "../../src/features/authorization/messages.en.ts";
import { de as keysDe } from "../../src/features/keys/messages.de.ts";
import { en as keysEn } from "../../src/features/keys/messages.en.ts";
import { de as kitDe } from "../../src/ui/messages.de.ts";
import { en as kitEn } from "../../src/ui/messages.en.ts";
import { de as pushDe } from "../../src/features/push/messages.de.ts";
import { en as pushEn } from "../../src/features/push/messages.en.ts";
import { de as recoveryDe } from "../../src/features/recovery/messages.de.ts";
import { en as recoveryEn } from "../../src/features/recovery/messages.en.ts";
import { de as settingsDe } from "../../src/features/settings/messages.de.ts";
import { en as settingsEn } from "../../src/features/settings/messages.en.ts";
import { de as signInDe } from "../../src/features/sign-in/messages.de.ts";
import { en as signInEn } from "../../src/features/sign-in/messages.en.ts";
import { de as signingRequestsDe } from "../../src/features/signing-requests/messages.de.ts";
import { en as signingRequestsEn } from "../../src/features/signing-requests/messages.en.ts";
import { de as tokensDe } from "../../src/features/tokens/messages.de.ts";
import { en as tokensEn } from "../../src/features/tokens/messages.en.ts";
import { de as webhooksDe } from "../../src/features/webhooks/messages.de.ts";
import { en as webhooksEn } from "../../src/features/webhooks/messages.en.ts";

/** The catalogues of pages, by the names of their files. */
export const CATALOGUES = {
  en: {
    account: accountEn,
    activity: activityEn,
    administration: administrationEn,
    applications: applicationsEn,
    authorization: authorizationEn,
    keys: keysEn,
    kit: kitEn,
    push: pushEn,
    recovery: recoveryEn,
    settings: settingsEn,
    "sign-in": signInEn,
    "signing-requests": signingRequestsEn,
    tokens: tokensEn,
    webhooks: webhooksEn,
  },
  de: {
    account: accountDe,
    activity: activityDe,
    administration: administrationDe,
    applications: applicationsDe,
    authorization: authorizationDe,
    keys: keysDe,
    kit: kitDe,
    push: pushDe,
    recovery: recoveryDe,
    settings: settingsDe,
    "sign-in": signInDe,
    "signing-requests": signingRequestsDe,
    tokens: tokensDe,
    webhooks: webhooksDe,
  },
} as const;

export type PageMessages = typeof CATALOGUES.en;

/** Returns the messages of browser modules in a language, of all features. */
export function scriptMessagesIn(language: Language): Readonly<Record<string, object>> {
  const catalogues: readonly object[] = Object.values(CATALOGUES[language]);
  return Object.assign({}, ...catalogues.map((one) => "scripts" in one ? one.scripts : {}));
}

/** Sets the messages of browser modules in a language, for modules that a test runs without a page. */
export function installMessages(language: Language): void {
  Object.assign(globalThis, {
    messages: scriptMessagesIn(language),
    document: { documentElement: { lang: language } },
  });
}
