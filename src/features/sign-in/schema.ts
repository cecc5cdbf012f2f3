import * as v from "valibot";
import { readStepUpAction } from "../../accounts/session/step-up-action.ts";
import { Account } from "../../api/account.ts";
import { Key } from "../../api/key.ts";
import { PasskeyAnswer, PasskeyName } from "../../api/passkey.ts";
import { list, type Of, textOf, Time } from "../../api/value.ts";
import { ReturnToQuery } from "../../http/request/return-to.ts";

export const CodeBody = v.strictObject({ email: v.string() });

export const VerifyBody = v.strictObject({
  email: v.string(),
  code: v.pipe(v.string(), v.regex(/^\d{6}$/, "Expected 6 digits")),
});

export const AddressProven = v.strictObject({ next: v.picklist(["register_passkey", "sign_in"]) });

/** `new`: the account of the browser's sign-up ticket. `present`: the account of its session. */
const WhichAccount = v.optional(v.picklist(["new", "present"]));

const StaySignedIn = v.pipe(
  v.optional(v.boolean(), true),
  v.description(
    "False on a shared computer: the cookie ends with the browser, and the session after an hour without use",
  ),
);

export const RegistrationOptionsBody = v.strictObject({ account: WhichAccount });

export const RegistrationBody = v.strictObject({
  response: v.unknown(),
  name: v.optional(PasskeyName),
  account: WhichAccount,
  staySignedIn: StaySignedIn,
});

export const SignedUp = v.strictObject({ account: Account, key: Key });

export const Registered = v.union([SignedUp, PasskeyAnswer]);

export const AuthenticationBody = v.strictObject({ response: v.unknown(), staySignedIn: StaySignedIn });

const action = textOf(
  readStepUpAction,
  "Expected the name of an action, with the id of its thing where it has one: add_passkey, delete_passkey:<passkey id> …",
);

export const StepUpOptionsBody = v.strictObject({ action });

export const StepUpBody = v.strictObject({ action, response: v.unknown() });

export const SteppedUp = v.strictObject({ action: v.string(), expiresAt: Time });

const Provider = v.strictObject({ id: v.string(), name: v.string() });

export type ProviderView = Of<typeof Provider>;

export const ProviderList = v.strictObject({ providers: list(Provider) });

/** The query of the sign-up page. `invitation` is the token of an invitation's link. */
export const SignUpQuery = v.strictObject({ ...ReturnToQuery.entries, invitation: v.optional(v.string()) });
