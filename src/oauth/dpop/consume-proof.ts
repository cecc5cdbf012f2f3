import { preparedChange } from "../../db/prepared-statement.ts";
import type { Slot } from "../../db/prepared-statement.ts";
import { processMemory } from "../../db/engine-state.ts";
import type { Db, Tables } from "../../db/schema/schema.ts";
import { lengthPrefixed, utf8 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Instant } from "../../lib/time.ts";
import { ProofError } from "./proof-key.ts";
import type { Proof } from "./proof.ts";

/** Bytes of a proof's name: enough that nobody finds two. */
const NAME_BYTES = 16;

/** Spent proofs that a process remembers, the latest. Beyond them it takes the database's word. */
const REMEMBERED = 16_384;

/** By name, the very proof that was spent. */
type Spent = Map<string, Proof>;

const SPENT = Symbol("spent proofs");

const insert = preparedChange((db, slot: Slot<Tables["dpop_proof"]>) =>
  db.insertInto("dpop_proof").values({ expires_at: slot("expires_at"), id: slot("id") })
    .onConflict((conflict) => conflict.doNothing())
);

function remember(spent: Spent, name: string, proof: Proof, now: Instant): void {
  for (const [oldest, { endsAt }] of spent) {
    if (endsAt > now && spent.size < REMEMBERED) break;
    spent.delete(oldest);
  }
  spent.set(name, proof);
}

function replayed(): ProofError {
  return new ProofError("invalid_dpop_proof", "The DPoP proof was used: make one for each request");
}

function idOf({ jkt, id }: Proof): Uint8Array {
  return sha256(lengthPrefixed(utf8(jkt), utf8(id))).subarray(0, NAME_BYTES);
}

/** The name of the row that a proof is spent by: one statement does. */
export function proofPlace(proof: Proof): string {
  return `dpop_proof ${idOf(proof).toBase64()}`;
}

/**
 * Uses a proof up (RFC 9449 sections 4.3 and 11.1) in the transaction of what it is for: of all requests that bring it,
 * in whichever process, one is served. Throws a ProofError for the others. Does not bound how many there are: the caller
 * counts its requests.
 */
export async function spendProof(tx: Db, proof: Proof, now: Instant): Promise<void> {
  const id = idOf(proof);
  const name = id.toBase64();
  // Whatever the database says: who deletes the row, or has it answer as if there were none, gains nothing here. Nor is
  // it forgotten when the transaction fails: each request needs a proof of its own, also one that is sent again.
  // The same request may come twice: an engine runs a transaction again that another one got in the way of.
  const spent = processMemory(tx, SPENT, (): Spent => new Map());
  if ((spent.get(name) ?? proof) !== proof) throw replayed();
  remember(spent, name, proof, now);
  if (await insert(tx, { expires_at: proof.endsAt, id }) === 0) throw replayed();
}
