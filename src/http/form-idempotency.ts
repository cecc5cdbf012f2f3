import * as v from "valibot";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Instant } from "../lib/time.ts";
import { makeOnce } from "../limits/idempotency.ts";
import type { MadeOnce, Making } from "../limits/idempotency.ts";
import type { Services } from "./services.ts";
import { ADMINISTRATOR } from "./guard/admin-guard.ts";

/** The field that tells a form which was sent again, by a reload or a second click, from another one. */
export const onceField = { once: v.optional(v.pipe(v.string(), v.maxLength(100)), "") };

/** A new value for that field: each form that is shown has its own. */
export function newOnce(random: RandomBytes): string {
  return toBase64url(random(16));
}

/**
 * Makes what a form asks for, as `makeOnce` does under an `Idempotency-Key`: the same form with the same content gets what
 * it made before. With another content, as after going back, it is another one; so is each without the field. Undefined
 * where it was made too long ago for its secret to be shown.
 */
export async function makeByForm(
  services: Pick<Services, "db" | "vault" | "authority">,
  { once, asked, now }: { readonly once: string; readonly asked: readonly unknown[]; readonly now: Instant },
  prepare: () => Making,
): Promise<MadeOnce | undefined> {
  const request = JSON.stringify(asked);
  const idempotencyKey = `form ${toBase64url(sha256(utf8(JSON.stringify([once, request]))))}`;
  const sent = { holder: ADMINISTRATOR, accountId: null, idempotencyKey, request, now };
  try {
    return await makeOnce(services.db, services, once === "" ? undefined : sent, prepare);
  } catch (error) {
    if (error instanceof ProtocolError && error.code === "already_made") return undefined;
    throw error;
  }
}
