import * as v from "valibot";
import { readAccountName } from "../../accounts/account.ts";
import { list, type Of, textOf, Time } from "../../api/value.ts";

const accountName = textOf(readAccountName, "Expected 1 to 100 characters without control characters");

export const RenameBody = v.strictObject({ name: v.nullable(accountName) });

export const EmailBody = v.strictObject({ email: v.string() });

export const ChangeEmailBody = v.strictObject({
  email: v.string(),
  code: v.pipe(v.string(), v.regex(/^\d{6}$/, "Expected 6 digits")),
});

export const LinkBody = v.strictObject({ provider: v.string() });

export const DeletionBody = v.strictObject({ confirm: v.string() });

export const RevertEmailForm = v.strictObject({ token: v.string() });

const identity = v.strictObject({
  id: v.string(),
  issuer: v.string(),
  provider: v.pipe(
    v.nullable(v.string()),
    v.description("The provider's display name; null if it is no longer configured"),
  ),
  createdAt: Time,
});

export type IdentityView = Of<typeof identity>;

export const IdentityList = v.strictObject({ identities: list(identity) });

export const LinkBegun = v.strictObject({
  location: v.pipe(v.string(), v.description("The URL to which you send the browser")),
});

export const DeletionAsked = v.strictObject({ dueAt: Time });
