import * as v from "valibot";
import { Account } from "../../api/account.ts";
import { list, Time } from "../../api/value.ts";

export const RelatedOrigins = v.strictObject({ origins: list(v.string()) });

export const PasskeyPages = v.strictObject({ enroll: v.string(), manage: v.string() });

/** Who is signed in. */
export const PresentSession = v.strictObject({
  session: v.nullable(
    v.strictObject({
      id: v.string(),
      createdAt: Time,
      expiresAt: Time,
      authenticatedAt: v.pipe(Time, v.description("When the person signed in")),
    }),
  ),
  account: v.nullable(Account),
});
