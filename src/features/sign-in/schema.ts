import * as v from "valibot";
import { Account } from "../../api/account.ts";
import { Key } from "../../api/key.ts";
import { PasskeyAnswer } from "../../api/passkey.ts";
import { list, Time } from "../../api/value.ts";

export const AddressProven = v.strictObject({ next: v.picklist(["register_passkey", "sign_in"]) });

export const SignedUp = v.strictObject({ account: Account, key: Key });

/** What registering a passkey answers: a new account, or a further passkey. */
export const Registered = v.union([SignedUp, PasskeyAnswer]);

export const SteppedUp = v.strictObject({ action: v.string(), expiresAt: Time });

export const ProviderList = v.strictObject({
  providers: list(v.strictObject({ id: v.string(), name: v.string() })),
});
