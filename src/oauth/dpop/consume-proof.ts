import { preparedChange, type Slot } from "../../db/prepared-statement.ts";
import { engineState } from "../../db/engine-state.ts";
import type { Db, Tables } from "../../db/schema/schema.ts";
import { lengthPrefixed, utf8 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Instant } from "../../lib/time.ts";
import { ProofError } from "./proof-key.ts";
import type { Proof } from "./proof.ts";

/** Length of a proof's id in bytes, sufficient against collisions. */
const NAME_BYTES = 16;

/** Maximum number of used proofs cached in a process. Beyond it, only the database detects a replay. */
const CACHE_SIZE = 16_384;

type Spent = Map<string, Proof>;

const SPENT = Symbol("spent proofs");

const insert = preparedChange((db, slot: Slot<Tables["dpop_proof"]>) =>
  db.insertInto("dpop_proof").values({ expires_at: slot("expires_at"), id: slot("id") })
    .onConflict((conflict) => conflict.doNothing())
);

function recordProof(spent: Spent, name: string, proof: Proof, now: Instant): void {
  for (const [oldest, { endsAt }] of spent) {
    if (endsAt > now && spent.size < CACHE_SIZE) break;
    spent.delete(oldest);
  }
  spent.set(name, proof);
}

function replayed(): ProofError {
  return new ProofError("invalid_dpop_proof", "The DPoP proof was used: create one for each request");
}

function idOf({ jkt, id }: Proof): Uint8Array {
  return sha256(lengthPrefixed(utf8(jkt), utf8(id))).subarray(0, NAME_BYTES);
}

/** Returns the key of the row that marks a proof as used. */
export function proofRowKey(proof: Proof): string {
  return `dpop_proof ${idOf(proof).toBase64()}`;
}

/**
 * Marks a proof as used (RFC 9449 sections 4.3 and 11.1) in the transaction of its request. Of several requests with
 * the same proof, in any process, one succeeds. Throws a ProofError for the others. Does not limit the number of
 * proofs: the caller rate-limits its requests.
 */
export async function consumeProof(tx: Db, proof: Proof, now: Instant): Promise<void> {
  const id = idOf(proof);
  const name = id.toBase64();
  // The cache does not trust the database: an attacker who deletes the row gains nothing in this process. A failed
  // transaction keeps the entry, because each request needs a new proof. The comparison is by identity, because an
  // engine may run the same transaction again after a conflict.
  const spent = engineState(tx, SPENT, (): Spent => new Map());
  if ((spent.get(name) ?? proof) !== proof) throw replayed();
  recordProof(spent, name, proof, now);
  if (await insert(tx, { expires_at: proof.endsAt, id }) === 0) throw replayed();
}
