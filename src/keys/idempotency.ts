import type { Db } from "../db/schema.ts";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { sha256 } from "../lib/sha256.ts";
import { HOUR } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { findRow } from "../store/read.ts";
import { putRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";

/** How long an answer is kept for its `Idempotency-Key`. */
export const IDEMPOTENCY_LIFETIME = 24 * HOUR;

/** One request under an `Idempotency-Key`: whose, which, and what it asks. */
export interface IdempotentRequest {
  readonly accountId: string;
  readonly idempotencyKey: string;
  /** What it asks, in a text that is the same for the same request. Only its hash is kept. */
  readonly request: string;
  readonly now: Instant;
}

/**
 * The answer kept for this request, or the one `make` gives now, kept for 24 hours. Everything happens in the caller's
 * one transaction: a second request waits for the first and gets its answer, and a crash leaves neither the effect
 * nor the answer. The same key with another request is `idempotency_mismatch`.
 */
export async function answerOnce(
  tx: Db,
  authority: RowAuthority,
  request: IdempotentRequest,
  make: () => Promise<string>,
): Promise<string> {
  const { accountId, idempotencyKey, now } = request;
  const requestHash = toBase64url(sha256(utf8(request.request)));
  const asked = { account_id: accountId, idempotency_key: idempotencyKey };
  const kept = await findRow(tx, authority, "idempotent_answer", "byKey", asked);
  if (kept !== undefined && kept.expires_at > now) {
    if (kept.request_hash === requestHash) return kept.answer;
    throw new ProtocolError(
      "idempotency_mismatch",
      "This Idempotency-Key was used for a different request; use a new one",
    );
  }
  const { row } = await putRow(tx, authority, "idempotent_answer", "byKey", {
    ...asked,
    request_hash: requestHash,
    answer: await make(),
    created_at: now,
    expires_at: now + IDEMPOTENCY_LIFETIME,
  });
  return row.answer;
}
