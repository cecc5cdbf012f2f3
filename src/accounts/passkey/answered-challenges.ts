import type { Instant } from "../../lib/time.ts";

/** A challenge that was consumed. */
export interface AnsweredChallenge {
  /** Base64url. */
  readonly challenge: string;
  readonly issuedAt: Instant;
}

/** The maximum of challenges in a passkey's row: as many ceremonies as a person has open at once. */
const MOST_NAMED = 8;

/** Characters of a challenge that name it: 132 random bits. */
const NAME_LENGTH = 22;

type Named = readonly [issuedAt: Instant, name: string];

/**
 * Returns a passkey's value of `answered` with one more challenge. Returns undefined if the passkey answered it before,
 * or answered 8 that were issued later. The row has a state, so a challenge that an attacker puts back into the
 * database is not answered again, in any process.
 */
export function withAnswered(
  answered: string | null,
  { challenge, issuedAt }: AnsweredChallenge,
): string | undefined {
  const before: readonly Named[] = answered === null ? [] : JSON.parse(answered);
  const name = challenge.slice(0, NAME_LENGTH);
  const isOlder = before.length === MOST_NAMED && issuedAt < before[0]![0];
  if (isOlder || before.some(([, other]) => other === name)) return undefined;
  const named: readonly Named[] = [...before, [issuedAt, name]];
  return JSON.stringify(named.toSorted(([one], [other]) => one - other).slice(-MOST_NAMED));
}
