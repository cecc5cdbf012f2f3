import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { sha256 } from "../lib/sha256.ts";
import { HOUR, type Instant, isRecent, MINUTE } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { upsertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** The time for which a response is kept under its `Idempotency-Key`. */
export const IDEMPOTENCY_LIFETIME = 24 * HOUR;

/** The time for which its secret is returned again. As long as a sign-in counts as fresh enough to create one. */
export const SECRET_LIFETIME = 10 * MINUTE;

export interface IdempotentRequest {
  /** The id of the owner of the `Idempotency-Key`. Responses are not shared between owners. */
  readonly holder: string;
  /** The account that the stored response is deleted with; null for none. */
  readonly accountId: string | null;
  readonly idempotencyKey: string;
  /** A canonical text of the request. Only its hash is stored. */
  readonly request: string;
  readonly now: Instant;
}

export interface IdempotentResult {
  readonly answer: string;
  readonly secret: string | undefined;
}

/** A creation that is prepared. Its secret is generated before the transaction. */
export interface PreparedCreation {
  readonly secret: string | undefined;
  /** Creates it in the transaction. The returned JSON must not contain the secret. */
  readonly make: (tx: Db) => Promise<string>;
  /** Called after the commit. */
  readonly made: () => void;
}

type StoredResponse = Authentic<"idempotent_answer">;

function hashOf({ request }: IdempotentRequest): string {
  return toBase64url(sha256(utf8(request)));
}

/** Throws `idempotency_mismatch` if the stored response belongs to another request. */
async function findStoredResponse(
  db: Db,
  authority: RowAuthority,
  request: IdempotentRequest,
): Promise<StoredResponse | undefined> {
  const { holder, idempotencyKey, now } = request;
  const where = { holder, idempotency_key: idempotencyKey };
  const stored = await findRow(db, authority, "idempotent_answer", "byKey", where);
  if (stored === undefined || stored.expires_at <= now) return undefined;
  if (stored.request_hash === hashOf(request)) return stored;
  throw new ProtocolError(
    "idempotency_mismatch",
    "This Idempotency-Key was used for a different request; use a new one",
  );
}

async function storeResponse(
  tx: Db,
  authority: RowAuthority,
  request: IdempotentRequest,
  { answer, sealed }: { readonly answer: string; readonly sealed: Uint8Array | null },
): Promise<StoredResponse> {
  const { holder, accountId, idempotencyKey, now } = request;
  const { row } = await upsertRow(tx, authority, "idempotent_answer", "byKey", {
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
 * Returns the stored response to this request, or runs `make` and stores its response for 24 hours. Throws
 * `idempotency_mismatch` if the key was used for another request. Must run within the transaction of the effect. A
 * concurrent second request then waits for the first and returns its response, and a crash leaves neither effect nor
 * response.
 */
export async function runIdempotent(
  tx: Db,
  authority: RowAuthority,
  request: IdempotentRequest,
  make: () => Promise<string>,
): Promise<string> {
  const stored = await findStoredResponse(tx, authority, request) ??
    await storeResponse(tx, authority, request, { answer: await make(), sealed: null });
  return stored.answer;
}

/** Returns the additional data of a sealed secret: in another row it does not open. */
function additionalDataOf(
  { holder, idempotency_key, request_hash }: Pick<
    StoredResponse,
    "holder" | "idempotency_key" | "request_hash"
  >,
): readonly Uint8Array[] {
  return [utf8(holder), utf8(idempotency_key), utf8(request_hash)];
}

/** Throws `already_made` if the secret is no longer shown. */
function openStoredResponse(vault: Vault, stored: StoredResponse, now: Instant): IdempotentResult {
  const { answer, sealed, created_at: madeAt } = stored;
  if (sealed === null) return { answer, secret: undefined };
  if (!isRecent(madeAt, now, SECRET_LIFETIME)) {
    throw new ProtocolError(
      "already_made",
      "This was already created with this Idempotency-Key, and its secret is not shown again",
    );
  }
  const secret = vault.open("idempotent-secret", additionalDataOf(stored), sealed);
  return { answer, secret: new TextDecoder().decode(secret) };
}

/**
 * Runs a creation with a secret that is shown once, in a transaction of its own. `db` must be the outer handle. With
 * an `Idempotency-Key`, the same request returns the same response and its secret, stored sealed, for ten minutes. For
 * the rest of 24 hours it throws `already_made`. Of concurrent requests, in any process, one creates and all return
 * its result. A stored response is returned without calling `prepare`. The caller must therefore authorize the owner
 * first.
 */
export async function createIdempotent(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  request: IdempotentRequest | undefined,
  prepare: () => PreparedCreation,
): Promise<IdempotentResult> {
  if (request === undefined) {
    const { secret, make, made } = prepare();
    const answer = await transaction(db, make);
    made();
    return { answer, secret };
  }
  const before = await findStoredResponse(db, authority, request);
  if (before !== undefined) return openStoredResponse(vault, before, request.now);
  const { secret, make, made } = prepare();
  const facts = {
    holder: request.holder,
    idempotency_key: request.idempotencyKey,
    request_hash: hashOf(request),
  };
  const sealed = secret === undefined
    ? null
    : vault.seal("idempotent-secret", additionalDataOf(facts), utf8(secret));
  const { stored, isOurs } = await transaction(db, async (tx) => {
    const faster = await findStoredResponse(tx, authority, request);
    if (faster !== undefined) return { stored: faster, isOurs: false };
    return {
      stored: await storeResponse(tx, authority, request, { answer: await make(tx), sealed }),
      isOurs: true,
    };
  });
  if (isOurs) made();
  return openStoredResponse(vault, stored, request.now);
}
