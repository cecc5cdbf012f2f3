import * as v from "valibot";
import type { Account as StoredAccount } from "../accounts/account.ts";
import { toIso } from "../lib/time.ts";
import { Time } from "./value.ts";

/** An account as its owner gets it. */
export interface AccountJson {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly createdAt: string;
}

/** An account as answers and its own page show it. */
export function toAccountJson({ id, email, name, createdAt }: StoredAccount): AccountJson {
  return { id, email, name, createdAt: toIso(createdAt) };
}

export const Account = v.strictObject({
  id: v.string(),
  email: v.nullable(v.string()),
  name: v.nullable(v.string()),
  createdAt: Time,
});

export const CodeSent = v.strictObject({
  expiresIn: v.pipe(v.number(), v.integer(), v.description("Seconds")),
});

export const AccountAnswer = v.strictObject({ account: Account });
