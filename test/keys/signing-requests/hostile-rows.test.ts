import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { approve, ask, codeOf, newOwner, newProgram, REQUESTS } from "../../support/asking.ts";
import type { Owner, Program } from "../../support/asking.ts";

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

describe("an edited signature request counts as absent", () => {
  for (const change of EDITS) {
    test(change.slice(0, 60), async () => {
      await using story = await openStory();
      const { owner: { person, keyId }, program, id } = story;
      await ask(program, keyId, "another one");
      await edit(story, `update signing_request set ${change} where id = '${id}'`);
      assert.equal(codeOf(await program.get(`${REQUESTS}/${id}`)), "404 not_found");
      assert.equal(codeOf(await person.get(`${REQUESTS}/${id}`)), "404 not_found");
      assert.equal(codeOf(await person.post(`${REQUESTS}/${id}/approval/options`)), "404 not_found");
      assert.equal((await person.get(`/requests/${id}`)).status, 404);
      const { requests } = (await person.get(REQUESTS)).body;
      assert.equal(requests.some((request: { id: string }) => request.id === id), false);
    });
  }

  test("if its row is moved to another id or account", async () => {
    await using story = await openStory();
    const { app, owner, id } = story;
    const bob = await newOwner(app, "bob@example.com");
    const bobs = await ask(await newProgram(app, bob), bob.keyId);
    await edit(story, `update signing_request set account_id = '${bob.accountId}' where id = '${id}'`);
    assert.equal(codeOf(await bob.person.get(`${REQUESTS}/${id}`)), "404 not_found");
    await edit(story, `update signing_request set account_id = '${owner.accountId}' where id = '${bobs}'`);
    assert.equal(codeOf(await owner.person.get(`${REQUESTS}/${bobs}`)), "404 not_found");
  });

  test("if it is edited during the approval", async () => {
    await using story = await openStory();
    const { owner: { person, keyId }, program, id } = story;
    const other = await ask(program, keyId, "pay the operator");
    const options = await person.post(`${REQUESTS}/${id}/approval/options`);
    const response = await person.authenticator.authenticate(options.body, { origin: person.origin });
    await edit(story, `delete from signing_request where id = '${id}'`);
    await edit(story, `update signing_request set id = '${id}' where id = '${other}'`);
    assert.equal(codeOf(await person.post(`${REQUESTS}/${id}/approval`, { response })), "404 not_found");
  });
});

describe("a restored signature request", () => {
  test("stays declined in the process that declined it", async () => {
    await using story = await openStory();
    const { app, owner: { person }, program, id } = story;
    const before = await app.db.selectFrom("signing_request").selectAll().where("id", "=", id)
      .executeTakeFirstOrThrow();
    await person.post(`${REQUESTS}/${id}/decline`);
    await app.db.updateTable("signing_request").set(before).where("id", "=", id).execute();
    assert.equal(codeOf(await person.post(`${REQUESTS}/${id}/approval/options`)), "404 not_found");
    assert.equal(codeOf(await program.get(`${REQUESTS}/${id}`)), "404 not_found");
  });

  test("returns no second signature", async () => {
    await using story = await openStory();
    const { app, owner: { person }, id } = story;
    const before = await app.db.selectFrom("signing_request").selectAll().where("id", "=", id)
      .executeTakeFirstOrThrow();
    assert.equal((await approve(person, id)).status, 200);
    await app.db.updateTable("signing_request").set(before).where("id", "=", id).execute();
    assert.equal(codeOf(await person.get(`${REQUESTS}/${id}`)), "404 not_found");
  });
});
