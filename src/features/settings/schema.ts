import * as v from "valibot";
import { list, Time } from "../../api/value.ts";

/** What an account is linked to. */
export const IdentityList = v.strictObject({
  identities: list(v.strictObject({
    id: v.string(),
    issuer: v.string(),
    provider: v.pipe(
      v.nullable(v.string()),
      v.description("What people call it; null where it is configured no more"),
    ),
    createdAt: Time,
  })),
});

export const LinkBegun = v.strictObject({
  location: v.pipe(v.string(), v.description("Where to send the browser")),
});

export const DeletionAsked = v.strictObject({ dueAt: Time });
