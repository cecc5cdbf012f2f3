import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { sha256 } from "../lib/sha256.ts";
import { HOUR, isRecent, MINUTE } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { putRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** How long an answer is kept for its `Idempotency-Key`. */
export const IDEMPOTENCY_LIFETIME = 24 * HOUR;

/** How long a secret in it is shown again: as long as a sign-in is fresh enough to make one. */
export const SECRET_LIFETIME = 10 * MINUTE;

/** One request under an `Idempotency-Key`: whose, which, and what it asks. */
export interface IdempotentRequest {
  /** Whose key it is, by an id: what one holder made, no other is told. */
  readonly holder: string;
  /** The account that the answer goes with; null for what belongs to none. */
  readonly accountId: string | null;
  readonly idempotencyKey: string;
  /** What it asks, in a text that is the same for the same request. Only its hash is kept. */
  readonly request: string;
  readonly now: Instant;
}

/** What was made, as JSON, and its secret where it has one. */
export interface MadeOnce {
  readonly answer: string;
  readonly secret: string | undefined;
}

/** What is about to be made. Its secret is there before. */
export interface Making {
  readonly secret: string | undefined;
  /** Makes it; the answer has no secret in it. */
  readonly make: (tx: Db) => Promise<string>;
  /** For after the commit. */
  readonly made: () => void;
}

type Kept = Authentic<"idempotent_answer">;

function hashOf({ request }: IdempotentRequest): string {
  return toBase64url(sha256(utf8(request)));
}

/** The answer kept for this request; undefined where there is none. Throws `idempotency_mismatch` for another request. */
async function findKept(
  db: Db,
  authority: RowAuthority,
  request: IdempotentRequest,
): Promise<Kept | undefined> {
  const { holder, idempotencyKey, now } = request;
  const asked = { holder, idempotency_key: idempotencyKey };
  const kept = await findRow(db, authority, "idempotent_answer", "byKey", asked);
  if (kept === undefined || kept.expires_at <= now) return undefined;
  if (kept.request_hash === hashOf(request)) return kept;
  throw new ProtocolError(
    "idempotency_mismatch",
    "This Idempotency-Key was used for a different request; use a new one",
  );
}

async function keep(
  tx: Db,
  authority: RowAuthority,
  request: IdempotentRequest,
  { answer, sealed }: { readonly answer: string; readonly sealed: Uint8Array | null },
): Promise<Kept> {
  const { holder, accountId, idempotencyKey, now } = request;
  const { row } = await putRow(tx, authority, "idempotent_answer", "byKey", {
    holder,
    idempotency_key: idempotencyKey,
    account_id: accountId,
    request_hash: hashOf(request),
    answer,
    sealed,
    created_at: now,
    expires_at: now + IDEMPOTENCY_LIFETIME,
  });
  return row;
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
  const kept = await findKept(tx, authority, request) ??
    await keep(tx, authority, request, { answer: await make(), sealed: null });
  return kept.answer;
}

/** What a sealed secret is tied to: moved into another row, it does not open. */
function factsOf(
  { holder, idempotency_key, request_hash }: Pick<Kept, "holder" | "idempotency_key" | "request_hash">,
): readonly Uint8Array[] {
  return [utf8(holder), utf8(idempotency_key), utf8(request_hash)];
}

/** Throws `already_made` where it has a secret that is not shown any more. */
function showKept(vault: Vault, kept: Kept, now: Instant): MadeOnce {
  const { answer, sealed, created_at: madeAt } = kept;
  if (sealed === null) return { answer, secret: undefined };
  if (!isRecent(madeAt, now, SECRET_LIFETIME)) {
    throw new ProtocolError(
      "already_made",
      "This was made under this Idempotency-Key before, and its secret is not shown any more",
    );
  }
  const secret = vault.open("idempotent-secret", factsOf(kept), sealed);
  return { answer, secret: new TextDecoder().decode(secret) };
}

/**
 * Makes what has a secret that is shown once, in a transaction of its own. Under an `Idempotency-Key` the same request
 * gets the same answer: its secret, which is kept sealed, for ten minutes, and `already_made` for the rest of 24 hours.
 * What `prepare` looks at is not looked at for an answer that was kept, so that the holder must be somebody who may see
 * it. Of two requests at once, in whichever processes, both get what one of them made. `db` must be the outer handle.
 */
export async function makeOnce(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  request: IdempotentRequest | undefined,
  prepare: () => Making,
): Promise<MadeOnce> {
  if (request === undefined) {
    const { secret, make, made } = prepare();
    const answer = await transaction(db, make);
    made();
    return { answer, secret };
  }
  const before = await findKept(db, authority, request);
  if (before !== undefined) return showKept(vault, before, request.now);
  const { secret, make, made } = prepare();
  const facts = {
    holder: request.holder,
    idempotency_key: request.idempotencyKey,
    request_hash: hashOf(request),
  };
  const sealed = secret === undefined ? null : vault.seal("idempotent-secret", factsOf(facts), utf8(secret));
  const { kept, isOurs } = await transaction(db, async (tx) => {
    const faster = await findKept(tx, authority, request);
    if (faster !== undefined) return { kept: faster, isOurs: false };
    return { kept: await keep(tx, authority, request, { answer: await make(tx), sealed }), isOurs: true };
  });
  if (isOurs) made();
  return showKept(vault, kept, request.now);
}
