import type { ChallengeTable, Db } from "../../db/schema/schema.ts";
import { concat, constantTimeEqual, fromBase64url, toBase64url } from "../../lib/bytes.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { insertRow, takeRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** How long a ceremony may take (WebAuthn Level 3 section 15.1 recommends 5 minutes); also its `timeout`. */
export const CHALLENGE_LIFETIME = 5 * MINUTE;

const CHALLENGE_LENGTH = 32; // at least 16 by WebAuthn Level 3 section 13.4.3

/** The ceremonies. A challenge of one is nothing to another. */
export type ChallengeKind = ChallengeTable["kind"];

/** Who may answer a challenge; the holder of one for a step-up names the action too. */
export type ChallengeHolder =
  | `ticket:${string}`
  | `recovery:${string}`
  | `session:${string}`
  | `browser:${string}`;

/**
 * Draws and stores a challenge: 32 random bytes, with `about` behind them, that only this holder can answer, once, within
 * five minutes. What it is about, the authenticator signs as well.
 */
export async function issueChallenge(
  tx: Db,
  authority: RowAuthority,
  value: {
    kind: ChallengeKind;
    holder: ChallengeHolder;
    about?: Uint8Array;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Uint8Array> {
  const { about = new Uint8Array() } = value;
  const challenge = concat(value.random(CHALLENGE_LENGTH), about);
  await insertRow(tx, authority, "challenge", {
    kind: value.kind,
    challenge: toBase64url(challenge),
    bound_to: value.holder,
    created_at: value.now,
    expires_at: value.now + CHALLENGE_LIFETIME,
  });
  return challenge;
}

/** Whether a challenge (base64url) is about this. */
export function isAbout(challenge: string, about: Uint8Array): boolean {
  const bytes = fromBase64url(challenge);
  return bytes !== undefined && constantTimeEqual(bytes.subarray(CHALLENGE_LENGTH), about);
}

/** What came of presenting a challenge: `valid_as_other` is valid, by `orHolder`. All but `absent` have taken it away. */
export type ChallengeOutcome = "valid" | "valid_as_other" | "absent" | "refused";

/**
 * Takes a challenge (base64url) away by one statement and says whether this holder may answer it now. It is gone
 * whatever the answer, provided that `db` is the outer handle, or a transaction in which nothing else is done: another
 * could roll the consumption back.
 */
export async function consumeChallenge(
  db: Db,
  authority: RowAuthority,
  value: {
    kind: ChallengeKind;
    challenge: string;
    holder: ChallengeHolder;
    /** As what else the holder may have been given it. */
    orHolder?: ChallengeHolder;
    now: Instant;
  },
): Promise<ChallengeOutcome> {
  const { kind, challenge } = value;
  const row = await takeRow(db, authority, "challenge", "byChallenge", { kind, challenge });
  if (row === undefined) return "absent";
  if (row.expires_at <= value.now) return "refused";
  if (row.bound_to === value.holder) return "valid";
  return row.bound_to === value.orHolder ? "valid_as_other" : "refused";
}
