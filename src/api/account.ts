import * as v from "valibot";
import type { Account as StoredAccount } from "../accounts/account.ts";
import { toIso } from "../lib/time.ts";
import { type Of, Time } from "./value.ts";

export const Account = v.strictObject({
  id: v.string(),
  email: v.nullable(v.string()),
  name: v.nullable(v.string()),
  createdAt: Time,
});

export function toAccountJson({ id, email, name, createdAt }: StoredAccount): Of<typeof Account> {
  return { id, email, name, createdAt: toIso(createdAt) };
}

export const CodeSent = v.strictObject({
  expiresIn: v.pipe(v.number(), v.integer(), v.description("Seconds")),
});

export const AccountAnswer = v.strictObject({ account: Account });
