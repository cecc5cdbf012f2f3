import { describe, test } from "node:test";
import assert from "node:assert/strict";
import {
  CHALLENGE_LIFETIME,
  consumeChallenge,
  hasBoundData,
  issueChallenge,
} from "../../../src/accounts/passkey/challenge.ts";
import type { ChallengeHolder, ChallengeKind } from "../../../src/accounts/passkey/challenge.ts";
import type { Tables } from "../../../src/db/schema/schema.ts";
import { toBase64url } from "../../../src/lib/bytes.ts";
import { MINUTE } from "../../../src/lib/time.ts";
import { NOW, openFixture, random } from "../fixture.ts";

const HOLDER = "browser:abc";
const KIND = "authentication";

async function issued(kind: ChallengeKind = KIND) {
  const { db, services: { authority }, rejected } = await openFixture();
  const bytes = await issueChallenge(db, authority, { kind, holder: HOLDER, now: NOW, random });
  const challenge = toBase64url(bytes);
  const consume = async (
    change: { kind?: ChallengeKind; challenge?: string; holder?: ChallengeHolder; now?: number } = {},
  ) =>
    (await consumeChallenge(db, authority, { kind, challenge, holder: HOLDER, now: NOW, ...change })).outcome;
  return { db, rejected, bytes, challenge, consume };
}

describe("challenge", () => {
  test("issueChallenge() draws 32 bytes, new each time", async () => {
    const { db, services: { authority } } = await openFixture();
    const seen = new Set<string>();
    for (let draw = 0; draw < 100; draw++) {
      const bytes = await issueChallenge(db, authority, { kind: KIND, holder: HOLDER, now: NOW, random });
      assert.equal(bytes.length, 32);
      seen.add(toBase64url(bytes));
    }
    assert.equal(seen.size, 100);
  });

  test("issueChallenge() appends the bound data, and hasBoundData() recognises it", async () => {
    const { db, services: { authority } } = await openFixture();
    const boundData = crypto.getRandomValues(new Uint8Array(32));
    const value = { kind: KIND, holder: HOLDER, boundData, now: NOW, random } as const;
    const bytes = await issueChallenge(db, authority, value);
    assert.deepEqual(bytes.subarray(32), boundData);
    const challenge = toBase64url(bytes);
    assert.equal(hasBoundData(challenge, boundData), true);
    for (const other of [boundData.with(31, boundData[31]! ^ 1), boundData.subarray(1), new Uint8Array()]) {
      assert.equal(hasBoundData(challenge, other), false);
    }
    assert.equal(hasBoundData(challenge.slice(1), boundData), false);
    assert.equal(hasBoundData(toBase64url(bytes.subarray(0, 32)), new Uint8Array()), true);
  });

  test("consumeChallenge() returns a challenge once, then undefined (T154)", async () => {
    const { consume } = await issued();
    assert.equal(await consume(), "valid");
    assert.equal(await consume(), "absent");
  });

  test("consumeChallenge() returns it to one of fifty concurrent calls", async () => {
    const { consume } = await issued();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => consume()));
    assert.equal(outcomes.filter((outcome) => outcome === "valid").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === "absent").length, 49);
  });

  test("consumeChallenge() returns undefined for the other ceremony, in both directions (T153)", async () => {
    const registration = await issued("registration");
    assert.equal(await registration.consume({ kind: "authentication" }), "absent");
    const authentication = await issued("authentication");
    assert.equal(await authentication.consume({ kind: "registration" }), "absent");
  });

  test("consumeChallenge() returns undefined for a challenge that was never issued", async () => {
    const { consume } = await issued();
    assert.equal(await consume({ challenge: toBase64url(random(32)) }), "absent");
    assert.equal(await consume({ challenge: "" }), "absent");
  });

  test("consumeChallenge() refuses and uses up the challenge of another holder (T156)", async () => {
    const holders = ["browser:abcd", "session:abc", "ticket:abc", "browser:"] as const;
    for (const holder of holders) {
      const { consume } = await issued();
      assert.equal(await consume({ holder }), "refused", holder);
      assert.equal(await consume(), "absent", holder);
    }
  });

  test("consumeChallenge() refuses and uses up an expired challenge (T155)", async () => {
    assert.equal(CHALLENGE_LIFETIME, 5 * MINUTE);
    const late = await issued();
    assert.equal(await late.consume({ now: NOW + CHALLENGE_LIFETIME }), "refused");
    assert.equal(await late.consume(), "absent");
    const inTime = await issued();
    assert.equal(await inTime.consume({ now: NOW + CHALLENGE_LIFETIME - 1 }), "valid");
  });

  const edits: Record<string, Partial<Tables["challenge"]>> = {
    kind: { kind: "registration" },
    bound_to: { bound_to: "browser:mallory" },
    expires_at: { expires_at: NOW + 100 * CHALLENGE_LIFETIME },
    created_at: { created_at: NOW + 1 },
    mac: { mac: new Uint8Array(32) },
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`consumeChallenge() returns undefined when ${column} was edited`, async () => {
      const { db, rejected, consume } = await issued();
      await db.updateTable("challenge").set(edit).execute();
      const asEdited = { kind: edit.kind ?? KIND, holder: (edit.bound_to ?? HOLDER) as ChallengeHolder };
      assert.equal(await consume(asEdited), "absent");
      assert.deepEqual(rejected.map(({ kind }) => kind), ["challenge"]);
    });
  }

  test("consumeChallenge() returns undefined when an attacker inserted a challenge", async () => {
    const { db, consume } = await issued();
    const row = await db.selectFrom("challenge").selectAll().executeTakeFirstOrThrow();
    const challenge = toBase64url(random(32));
    await db.insertInto("challenge").values({ ...row, challenge }).execute();
    assert.equal(await consume({ challenge }), "absent");
  });
});
