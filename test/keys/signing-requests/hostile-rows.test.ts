import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { approve, ask, newOwner, newProgram, REQUESTS } from "../../support/asking.ts";
import type { Owner, Program } from "../../support/asking.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";

interface Story extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: Owner;
  readonly program: Program;
  readonly id: string;
}

async function openStory(): Promise<Story> {
  const app = await createTestApp();
  const owner = await newOwner(app);
  const program = await newProgram(app, owner);
  const id = await ask(program, owner.keyId);
  return { app, owner, program, id, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function edit({ app: { db } }: Story, statement: string): Promise<void> {
  const { numAffectedRows } = await sql.raw(statement).execute(db);
  assert.notEqual(numAffectedRows, 0n, `the edit changes something: ${statement}`);
}

/** Edits of a pending request by an attacker with database access. */
const EDITS = [
  "state = 'signed'",
  "state = 'signed', ended_at = created_at",
  "digest = x'" + "ab".repeat(32) + "'",
  "document = (select document from signing_request as other where other.id <> signing_request.id)",
  "requester = 'token_" + "0".repeat(26) + "'",
  "requester = 'owner', requester_name = null",
  "requester_name = 'A friend you trust'",
  "key_id = 'key_" + "0".repeat(26) + "'",
  "network = '127.0.0.1'",
  "reason = 'Nothing to see here'",
  "kind = 'digest'",
  "expires_at = expires_at + 86400000",
  "created_at = created_at - 1",
];

describe("an edited signature request is refused", () => {
  for (const change of EDITS) {
    test(change.slice(0, 60), async () => {
      await using story = await openStory();
      const { app, owner: { person, keyId }, program, id } = story;
      await ask(program, keyId, "another one");
      await edit(story, `update signing_request set ${change} where id = '${id}'`);
      assert.equal((await person.get(`${REQUESTS}/${id}`)).body.request.status, "pending", "from memory");
      dropMemory(app.db);
      assertInconsistent(await program.get(`${REQUESTS}/${id}`));
      assertInconsistent(await person.get(`${REQUESTS}/${id}`));
      assertInconsistent(await person.post(`${REQUESTS}/${id}/approval/options`));
      assertInconsistent(await person.get(REQUESTS));
      assert.equal((await person.get(`/requests/${id}`)).status, 503);
    });
  }

  test("if its row is moved to another id or account", async () => {
    await using story = await openStory();
    const { app, owner, id } = story;
    const bob = await newOwner(app, "bob@example.com");
    const bobs = await ask(await newProgram(app, bob), bob.keyId);
    await edit(story, `update signing_request set account_id = '${bob.accountId}' where id = '${id}'`);
    await edit(story, `update signing_request set account_id = '${owner.accountId}' where id = '${bobs}'`);
    dropMemory(app.db);
    assertInconsistent(await bob.person.get(`${REQUESTS}/${id}`));
    assertInconsistent(await owner.person.get(`${REQUESTS}/${bobs}`));
  });

  test("if it is edited during the approval", async () => {
    await using story = await openStory();
    const { app, owner: { person, keyId }, program, id } = story;
    const other = await ask(program, keyId, "pay the operator");
    const options = await person.post(`${REQUESTS}/${id}/approval/options`);
    const response = await person.authenticator.authenticate(options.body, { origin: person.origin });
    await edit(story, `delete from signing_request where id = '${id}'`);
    await edit(story, `update signing_request set id = '${id}' where id = '${other}'`);
    dropMemory(app.db);
    assertInconsistent(await person.post(`${REQUESTS}/${id}/approval`, { response }));
  });
});

describe("a restored signature request", () => {
  test("stays declined", async () => {
    await using story = await openStory();
    const { app, owner: { person }, program, id } = story;
    const before = await app.db.selectFrom("signing_request").selectAll().where("id", "=", id)
      .executeTakeFirstOrThrow();
    await person.post(`${REQUESTS}/${id}/decline`);
    await app.db.updateTable("signing_request").set(before).where("id", "=", id).execute();
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "declined", "from memory");
    dropMemory(app.db);
    assertInconsistent(await person.post(`${REQUESTS}/${id}/approval/options`));
    assertInconsistent(await program.get(`${REQUESTS}/${id}`));
  });

  test("returns no second signature", async () => {
    await using story = await openStory();
    const { app, owner: { person }, id } = story;
    const before = await app.db.selectFrom("signing_request").selectAll().where("id", "=", id)
      .executeTakeFirstOrThrow();
    assert.equal((await approve(person, id)).status, 200);
    await app.db.updateTable("signing_request").set(before).where("id", "=", id).execute();
    dropMemory(app.db);
    assertInconsistent(await person.get(`${REQUESTS}/${id}`));
  });
});
