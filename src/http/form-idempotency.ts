import * as v from "valibot";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Instant } from "../lib/time.ts";
import { createIdempotent, type IdempotentResult, type PreparedCreation } from "../limits/idempotency.ts";
import type { Services } from "./services.ts";
import { ADMINISTRATOR } from "./guard/admin-guard.ts";

/** The form field that identifies a form sent again by a reload or a second click. */
export const formIdField = { once: v.optional(v.pipe(v.string(), v.maxLength(100)), "") };

/** Returns a new value of the field. Each rendered form has its own. */
export function newFormId(random: RandomBytes): string {
  return toBase64url(random(16));
}

/**
 * Creates what a form requests, with `createIdempotent` as for an `Idempotency-Key`. The same form with the same
 * content returns the earlier result. Other content, as after going back, or a missing field creates again. Returns
 * undefined if the secret was made too long ago to be shown again.
 */
export async function createIdempotentByForm(
  services: Pick<Services, "db" | "vault" | "authority">,
  { once, requested, now }: {
    readonly once: string;
    readonly requested: readonly unknown[];
    readonly now: Instant;
  },
  prepare: () => PreparedCreation,
): Promise<IdempotentResult | undefined> {
  const request = JSON.stringify(requested);
  const idempotencyKey = `form ${toBase64url(sha256(utf8(JSON.stringify([once, request]))))}`;
  const sent = { holder: ADMINISTRATOR, accountId: null, idempotencyKey, request, now };
  try {
    return await createIdempotent(services.db, services, once === "" ? undefined : sent, prepare);
  } catch (error) {
    if (error instanceof ProtocolError && error.code === "already_made") return undefined;
    throw error;
  }
}
