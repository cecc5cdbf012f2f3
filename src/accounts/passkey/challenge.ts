import type { Db, Tables } from "../../db/schema/schema.ts";
import { concat, constantTimeEqual, fromBase64url, toBase64url } from "../../lib/bytes.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { type Instant, MINUTE } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { consumeRow, insertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { AnsweredChallenge } from "./answered-challenges.ts";

/** Also the `timeout` of a ceremony. WebAuthn Level 3 section 15.1 recommends 5 minutes. */
export const CHALLENGE_LIFETIME = 5 * MINUTE;

const CHALLENGE_LENGTH = 32; // at least 16 by WebAuthn Level 3 section 13.4.3

/** The ceremonies. A challenge is valid for one of them only. */
export type ChallengeKind = Tables["challenge"]["kind"];

/** The holder that may answer a challenge. For a confirmation it names the session and the act. */
export type ChallengeHolder =
  | `ticket:${string}`
  | `recovery:${string}`
  | `session:${string}`
  | `browser:${string}`;

/**
 * Stores and returns 32 random bytes followed by `boundData`, which the authenticator thereby signs too. The holder
 * can answer once, within five minutes.
 */
export async function issueChallenge(
  tx: Db,
  authority: RowAuthority,
  value: {
    kind: ChallengeKind;
    holder: ChallengeHolder;
    boundData?: Uint8Array;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Uint8Array> {
  const { boundData = new Uint8Array() } = value;
  const challenge = concat(value.random(CHALLENGE_LENGTH), boundData);
  await insertRow(tx, authority, "challenge", {
    kind: value.kind,
    challenge: toBase64url(challenge),
    bound_to: value.holder,
    created_at: value.now,
    expires_at: value.now + CHALLENGE_LIFETIME,
  });
  return challenge;
}

/** Returns true if a challenge (base64url) ends with these bytes. */
export function hasBoundData(challenge: string, boundData: Uint8Array): boolean {
  const bytes = fromBase64url(challenge);
  return bytes !== undefined && constantTimeEqual(bytes.subarray(CHALLENGE_LENGTH), boundData);
}

/** `valid_as_other` means valid for `orHolder`. Every outcome except `absent` deletes the challenge. */
export interface ConsumedChallenge extends AnsweredChallenge {
  readonly outcome: "valid" | "valid_as_other" | "absent" | "refused";
}

/**
 * Deletes a challenge (base64url) in one statement and returns whether this holder may answer it. `db` must be the
 * outer handle or a transaction that does nothing else, because a rollback would restore the challenge. Of a challenge
 * that was put back after a start, `recordUse` finds the use.
 */
export async function consumeChallenge(
  db: Db,
  authority: RowAuthority,
  value: {
    kind: ChallengeKind;
    challenge: string;
    holder: ChallengeHolder;
    orHolder?: ChallengeHolder;
    now: Instant;
  },
): Promise<ConsumedChallenge> {
  const { kind, challenge } = value;
  const row = await consumeRow(db, authority, "challenge", "byChallenge", { kind, challenge });
  return { challenge, issuedAt: row?.created_at ?? 0, outcome: outcomeOf(row, value) };
}

function outcomeOf(
  row: Authentic<"challenge"> | undefined,
  { holder, orHolder, now }: {
    readonly holder: ChallengeHolder;
    readonly orHolder?: ChallengeHolder;
    readonly now: Instant;
  },
): ConsumedChallenge["outcome"] {
  if (row === undefined) return "absent";
  if (row.expires_at <= now) return "refused";
  if (row.bound_to === holder) return "valid";
  return row.bound_to === orHolder ? "valid_as_other" : "refused";
}
