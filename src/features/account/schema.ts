import * as v from "valibot";
import { Account } from "../../api/account.ts";
import { PasskeyName } from "../../api/passkey.ts";
import { list, Time } from "../../api/value.ts";
import { LANGUAGES } from "../../lib/language.ts";

export const RenameBody = v.strictObject({ name: PasskeyName });

/** The account of the form's page. The form does nothing if another account signed in since, in another tab. */
const meantFor = { account: v.optional(v.string()) };

export const LanguageForm = v.strictObject({ ...meantFor, language: v.picklist(LANGUAGES) });

export const WithdrawForm = v.strictObject({ ...meantFor, clientId: v.string() });

export const RelatedOrigins = v.strictObject({ origins: list(v.string()) });

export const PasskeyPages = v.strictObject({ enroll: v.string(), manage: v.string() });

export const PresentSession = v.strictObject({
  session: v.nullable(
    v.strictObject({
      id: v.string(),
      createdAt: Time,
      expiresAt: Time,
      authenticatedAt: v.pipe(Time, v.description("The time of the sign-in")),
    }),
  ),
  account: v.nullable(Account),
});
