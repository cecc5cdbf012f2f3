import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  consumeFreshness,
  FRESH_LIFETIME,
  requireFreshSession,
} from "../../../src/accounts/session/fresh-session.ts";
import { readStepUpAction } from "../../../src/accounts/session/step-up-action.ts";
import type { StepUpAction } from "../../../src/accounts/session/step-up-action.ts";
import { revokeSession } from "../../../src/accounts/session/session.ts";
import type { Session } from "../../../src/accounts/session/session.ts";
import { findRow } from "../../../src/store/read.ts";
import { replaceRow } from "../../../src/store/write.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { newId } from "../../../src/lib/id.ts";
import { DAY, MINUTE } from "../../../src/lib/time.ts";
import { createAuthenticator } from "../../support/authenticator.ts";
import { isInconsistent } from "../../support/state.ts";
import { NOW, openFixture, problem, random } from "../fixture.ts";
import { enrolPerson } from "../people.ts";

const stale = problem("fresh_session_required");
const gone = problem("authentication_required");

async function signedIn() {
  const fixture = await openFixture();
  const alice = await enrolPerson(fixture, "alice@example.com", createAuthenticator());
  return { ...fixture, session: alice.session };
}

function steppedUp(session: Session, action: StepUpAction, at: number): Session {
  return { ...session, authenticatedAt: NOW - DAY, stepUp: { action, at } };
}

describe("readStepUpAction()", () => {
  test("readStepUpAction() reads the three actions, each with an id of the right kind", () => {
    const [passkey, key] = [newId("passkey", random), newId("key", random)];
    for (const action of ["add_passkey", `delete_passkey:${passkey}`, `loosen_key:${key}`]) {
      assert.equal(readStepUpAction(action), action);
    }
    const none = [
      "",
      "sign",
      "toString",
      "__proto__",
      "add_passkey:",
      `add_passkey:${passkey}`,
      "delete_passkey",
      "delete_passkey:",
      `delete_passkey:${key}`,
      `delete_passkey:${passkey}x`,
      `delete_passkey:${passkey}:`,
      `delete_passkey:${passkey.toUpperCase()}`,
      `loosen_key:${passkey}`,
      ` add_passkey`,
    ];
    for (const text of none) assert.equal(readStepUpAction(text), undefined, text);
  });
});

describe("requireFreshSession()", () => {
  const action = "add_passkey";

  test("requireFreshSession() passes for ten minutes after a sign-in", async () => {
    const { session } = await signedIn();
    assert.equal(FRESH_LIFETIME, 10 * MINUTE);
    requireFreshSession({ session, action, now: NOW + 10 * MINUTE - 1 });
    assert.throws(() => requireFreshSession({ session, action, now: NOW + 10 * MINUTE }), stale);
  });

  test("requireFreshSession() throws for a sign-in in the future, because the clock was set back", async () => {
    const { session } = await signedIn();
    requireFreshSession({ session, action, now: NOW - 1 });
    assert.throws(() => requireFreshSession({ session, action, now: NOW - 10 * MINUTE }), stale);
  });

  test("requireFreshSession() passes for ten minutes after a step-up for this action, and for no other", async () => {
    const { session } = await signedIn();
    const [one, other] = [newId("passkey", random), newId("passkey", random)];
    const stepped = steppedUp(session, `delete_passkey:${one}`, NOW);
    const allows = (action: StepUpAction, now: number) =>
      requireFreshSession({ session: stepped, action, now });
    allows(`delete_passkey:${one}`, NOW + 10 * MINUTE - 1);
    assert.throws(() => allows(`delete_passkey:${one}`, NOW + 10 * MINUTE), stale);
    assert.throws(() => allows(`delete_passkey:${other}`, NOW), stale);
    assert.throws(() => allows("add_passkey", NOW), stale);
  });
});

describe("consumeFreshness()", () => {
  test("consumeFreshness() uses a step-up once, also from twenty concurrent calls", async () => {
    const { db, services: { authority }, session } = await signedIn();
    await transaction(db, async (tx) => {
      const row = await findRow(tx, authority, "session", "byId", { id: session.id });
      const stepUp = { authenticated_at: NOW - DAY, step_up_action: "add_passkey", stepped_up_at: NOW };
      await replaceRow(tx, authority, "session", row!, stepUp);
    });
    const act = { session: steppedUp(session, "add_passkey", NOW), action: "add_passkey", now: NOW } as const;
    const all = await Promise.allSettled(
      Array.from(
        { length: 20 },
        () => transaction(db, (tx) => consumeFreshness(tx, authority, act)),
      ),
    );
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of all) if (outcome.status === "rejected") assert.ok(stale(outcome.reason));
    const after = await db.selectFrom("session").selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([after.step_up_action, after.stepped_up_at], [null, null]);
    assert.deepEqual(authority.verifyRow("session", after), after);
  });

  test("consumeFreshness() refuses a step-up that an attacker wrote into the row", async () => {
    const { db, services: { authority }, session, rejected } = await signedIn();
    await db.updateTable("session").set({ step_up_action: "add_passkey", stepped_up_at: NOW }).execute();
    const act = { session: steppedUp(session, "add_passkey", NOW), action: "add_passkey", now: NOW } as const;
    await assert.rejects(consumeFreshness(db, authority, act), isInconsistent);
    assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["session"]);
  });

  test("consumeFreshness() refuses a session that has ended since the request came in", async () => {
    const { db, services, session } = await signedIn();
    await revokeSession(db, services, { session, now: NOW, random });
    const consume = (session: Session) =>
      consumeFreshness(db, services.authority, { session, action: "add_passkey", now: NOW });
    await assert.rejects(consume(session), gone);
    await assert.rejects(consume(steppedUp(session, "add_passkey", NOW)), gone);
  });

  test("consumeFreshness() is refused as inconsistent when the session was deleted in the database", async () => {
    const { db, services: { authority }, session } = await signedIn();
    await db.deleteFrom("session").execute();
    const consume = (session: Session) =>
      consumeFreshness(db, authority, { session, action: "add_passkey", now: NOW });
    await assert.rejects(consume(session), isInconsistent);
    await assert.rejects(consume(steppedUp(session, "add_passkey", NOW)), isInconsistent);
  });

  test("consumeFreshness() of a fresh sign-in does not change the session", async () => {
    const { db, services: { authority }, session } = await signedIn();
    const before = await db.selectFrom("session").selectAll().execute();
    await consumeFreshness(db, authority, { session, action: "add_passkey", now: NOW });
    assert.deepEqual(await db.selectFrom("session").selectAll().execute(), before);
  });
});
