import { test } from "node:test";
import assert from "node:assert/strict";
import { join } from "node:path";
import { issueEmailCode, redeemEmailCode } from "../../src/accounts/email/email-code.ts";
import { insertPasskey, listPasskeys } from "../../src/accounts/passkey/passkey.ts";
import { beginSignIn } from "../../src/accounts/sign-in.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { beginSignUp } from "../../src/accounts/sign-up.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { inFolder } from "../support/folder.ts";
import { openAt } from "../support/postgres.ts";
import { runProgram, runtimes } from "../support/program.ts";
import { openFixture, RELYING_PARTY } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";
import { AT, BROWSER, enrolPerson, someCredential, ticketFor } from "./people.ts";
import type { Job } from "./program/race.ts";

const RACE = new URL("./program/race.ts", import.meta.url);
const EMAIL = "alice@example.com";
const ORIGIN = { origin: RELYING_PARTY.origin };
/** Milliseconds in which both processes have opened the database. */
const START_UP = 1500;

/** Runs the jobs at once in two processes, on two runtimes if available. Returns the number that succeeded. */
type Race = (jobs: readonly Job[]) => Promise<number>;

async function withProcesses(story: (fixture: Fixture, race: Race) => Promise<void>): Promise<void> {
  const [first, second = first] = Object.values(runtimes());
  await inFolder(async (folder) => {
    const path = join(folder, "holdfast.db");
    const db = await openDatabase(await openAt(path));
    await story(await openFixture(db), async (jobs) => {
      const startAt = String(Date.now() + START_UP);
      const given = [path, startAt, JSON.stringify(jobs)];
      const ended = await Promise.all(
        [first!, second!].map((command) => runProgram(command, RACE, ...given)),
      );
      for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
      return ended.reduce((sum, { stdout }) => sum + Number(stdout), 0);
    });
    await closeDatabase(db);
  });
}

test(
  "finishSignUp() creates one account when two processes use one ticket",
  { timeout: 60_000 },
  async () => {
    await withProcesses(async (fixture, race) => {
      const { db, services } = fixture;
      const ticket = await ticketFor(fixture, EMAIL);
      const jobs: Job[] = [];
      for (let n = 0; n < 10; n++) {
        const options = await beginSignUp(db, services, { ...AT, ticket });
        const response = await createAuthenticator().register(options, ORIGIN);
        jobs.push({ kind: "sign-up", ticket, response });
      }
      assert.equal(await race(jobs), 1);
      for (const table of ["account", "passkey", "ethereum_key", "session"] as const) {
        assert.equal((await db.selectFrom(table).selectAll().execute()).length, 1, table);
      }
      assert.equal((await verifyAudit(db, services.vault)).fault, undefined);
    });
  },
);

test("redeemEmailCode() counts three tries across two processes", { timeout: 60_000 }, async () => {
  await withProcesses(async ({ db, services, mails }, race) => {
    await issueEmailCode(db, services, { ...AT, email: EMAIL, browserHash: BROWSER });
    const right = /\d{6}/.exec(mails[0]!.text)![0];
    const wrong = right === "000000" ? "000001" : "000000";
    const guesses = new Array<string>(10).fill(wrong);
    assert.equal(await race(guesses.map((code) => ({ kind: "redeem", email: EMAIL, code }))), 0);
    // Not part of the race, where it could precede the third wrong code.
    const late = { ...AT, email: EMAIL, browserHash: BROWSER, code: right };
    await assert.rejects(redeemEmailCode(db, services, late), { code: "invalid_code" });
    const { attempts } = await db.selectFrom("email_code").select("attempts").executeTakeFirstOrThrow();
    assert.equal(attempts, 3);
  });
});

test(
  "redeemEmailCode() issues one ticket when two processes get the right code",
  { timeout: 60_000 },
  async () => {
    await withProcesses(async ({ db, services, mails }, race) => {
      await issueEmailCode(db, services, { ...AT, email: EMAIL, browserHash: BROWSER });
      const code = /\d{6}/.exec(mails[0]!.text)![0];
      assert.equal(await race([{ kind: "redeem", email: EMAIL, code }]), 1);
      assert.equal((await db.selectFrom("sign_up_ticket").selectAll().execute()).length, 1);
    });
  },
);

test("signIn() signs in once when two processes get one response", { timeout: 60_000 }, async () => {
  await withProcesses(async (fixture, race) => {
    const { db, services } = fixture;
    const authenticator = createAuthenticator();
    await enrolPerson(fixture, EMAIL, authenticator);
    const options = await beginSignIn(db, services, { ...AT, browserHash: BROWSER });
    const response = await authenticator.authenticate(options, ORIGIN);
    assert.equal(await race([{ kind: "sign-in", response }, { kind: "sign-in", response }]), 1);
    assert.equal(
      (await db.selectFrom("session").selectAll().execute()).length,
      2,
      "including the session of the sign-up",
    );
  });
});

test("removePasskey() leaves one when two processes remove the last two", { timeout: 60_000 }, async () => {
  await withProcesses(async (fixture, race) => {
    const { db, services: { vault, authority } } = fixture;
    const alice = await enrolPerson(fixture, EMAIL, createAuthenticator());
    const { account, session, passkey } = alice;
    const value = { ...AT, accountId: account.id, credential: someCredential(), name: "Other" };
    const other = (await insertPasskey(db, authority, value))!;
    const signedIn = { account, session };
    const jobs: Job[] = Array.from({ length: 20 }, (_, n) => ({
      kind: "remove-passkey",
      signedIn,
      passkeyId: n % 2 === 0 ? passkey.id : other.id,
    }));
    assert.equal(await race(jobs), 1);
    assert.equal((await listPasskeys(db, authority, account.id)).length, 1);
    assert.equal((await verifyAudit(db, vault)).fault, undefined);
  });
});
