import * as v from "valibot";
import { PasskeyName } from "../../api/passkey.ts";

export const CodeBody = v.strictObject({ email: v.string() });

export const VerifyBody = v.strictObject({
  email: v.string(),
  code: v.pipe(v.string(), v.regex(/^\d{6}$/, "Expected 6 digits")),
});

/** Whose passkey: of the account that the sign-up ticket allows, or of the one that is signed in. */
const WhichAccount = v.optional(v.picklist(["new", "present"]));

export const RegistrationOptionsBody = v.strictObject({ account: WhichAccount });

export const RegistrationBody = v.strictObject({
  response: v.unknown(),
  name: v.optional(PasskeyName),
  account: WhichAccount,
});
