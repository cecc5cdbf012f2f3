import type { Account } from "../../accounts/account.ts";
import { toIso } from "../../lib/time.ts";

/** An account as its owner gets it. */
export interface AccountJson {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly createdAt: string;
}

/** An account as answers and its own page show it. */
export function toAccountJson({ id, email, name, createdAt }: Account): AccountJson {
  return { id, email, name, createdAt: toIso(createdAt) };
}
