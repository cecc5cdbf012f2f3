import type { Db } from "../../db/schema/schema.ts";
import { utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DAY, HOUR, type Instant, SECOND } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { ADDRESS } from "../../store/state/kinds.ts";
import { insertRow, type NewRow, replaceRow } from "../../store/write.ts";
import type { Vault } from "../../vault/vault.ts";
import type { AccountServices } from "../services.ts";

/**
 * The wrong tries at codes of one address that are looked at in a day, at once or over the day, as the rate limits add
 * up to. Unlike these, the count has a state: an attacker with database access cannot reset it.
 */
export const WRONG_TRIES_A_DAY = 144;

/** The time for which a wrong try counts. */
const TRY = DAY / WRONG_TRIES_A_DAY;

type CodeUse = Authentic<"code_use">;

/** Returns the owner's name for an address. Only the vault can tell the address. */
function addressIdOf(vault: Vault, email: string): string {
  return ADDRESS + vault.keyedHash("email-address", utf8(email)).toHex().slice(0, 32);
}

/** Returns undefined if no code of the address was used or tried wrongly of late. */
export async function findCodeUse(
  tx: Db,
  { vault, authority }: AccountServices,
  email: string,
): Promise<CodeUse | undefined> {
  return await findRow(tx, authority, "code_use", "byAddress", { address_id: addressIdOf(vault, email) });
}

/**
 * Returns true if a code was used, or is from before another one of its address was. A used code that is put back into
 * the database stays invalid.
 */
export function isUsedUp(
  use: CodeUse | undefined,
  { id, created_at: createdAt }: Authentic<"email_code">,
): boolean {
  const usedAt = use?.used_at ?? null;
  return usedAt !== null && (createdAt < usedAt || use!.used_id === id);
}

/** Throws `rate_limited` if the wrong tries of a day are used up. */
export function requireTriesLeft(use: CodeUse | undefined, now: Instant): void {
  const wait = (use?.tried_until ?? now) + TRY - (now + DAY);
  if (wait <= 0) return;
  throw new ProtocolError("rate_limited", "Too many wrong codes for this address: try again later", {
    headers: { "Retry-After": String(Math.ceil(wait / SECOND)) },
  });
}

/** Counts a wrong try at a code of an address. */
export async function recordWrongTry(
  tx: Db,
  services: AccountServices,
  { email, use, now }: CodeTry,
): Promise<void> {
  const tried_until = Math.max(use?.tried_until ?? now, now) + TRY;
  const { used_id, used_at } = use ?? { used_id: null, used_at: null };
  await writeUse(tx, services, { email, use, now }, { used_id, used_at, tried_until });
}

/** Records the use of a code, which ends all codes of its address from before. */
export async function recordUse(
  tx: Db,
  services: AccountServices,
  { id, ...what }: CodeTry & { readonly id: string },
): Promise<void> {
  const tried_until = what.use?.tried_until ?? what.now;
  await writeUse(tx, services, what, { used_id: id, used_at: what.now, tried_until });
}

/** Returns the use by which all codes of an address from before are used, and the tries of a day too. */
export function usedUpCodes(addressId: string, now: Instant): NewRow<"code_use"> {
  const tried_until = now + DAY;
  return { address_id: addressId, used_id: null, used_at: now, tried_until, expires_at: tried_until + HOUR };
}

interface CodeTry {
  readonly email: string;
  readonly use: CodeUse | undefined;
  readonly now: Instant;
}

async function writeUse(
  tx: Db,
  { vault, authority }: AccountServices,
  { email, use, now }: CodeTry,
  change: Pick<NewRow<"code_use">, "used_id" | "used_at" | "tried_until">,
): Promise<void> {
  // Every code from before has expired by then.
  const columns = { ...change, expires_at: Math.max(change.tried_until, now) + HOUR };
  if (use !== undefined) await replaceRow(tx, authority, "code_use", use, columns);
  else await insertRow(tx, authority, "code_use", { address_id: addressIdOf(vault, email), ...columns });
}
