import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { transaction } from "../../../src/db/transaction.ts";
import { listApplications, withdrawConsent } from "../../../src/oauth/authorize/consent.ts";
import { GRANT_LIMIT } from "../../../src/oauth/grant.ts";
import { listRows } from "../../../src/store/read.ts";
import { replaceRow } from "../../../src/store/write.ts";
import { auditOf, NOW, oauthError, register, signInPerson } from "../fixture.ts";
import { ask, authorizeFully, getCode, getTokens, openStory, redeem, refreshWith } from "../story.ts";
import type { Story } from "../story.ts";

function withdraw({ db, services, signedIn, client }: Story): Promise<boolean> {
  const value = { accountId: signedIn.account.id, clientId: client.clientId, now: NOW };
  return transaction(db, (tx) => withdrawConsent(tx, services, value));
}

function applications({ db, services, signedIn }: Story) {
  return listApplications(db, services.authority, { accountId: signedIn.account.id, now: NOW });
}

describe("consent", () => {
  test("is stored for https, the client and the user (T134)", async () => {
    await using story = await openStory();
    await authorizeFully(story);
    assert.equal((await ask(story)).kind, "redirect");
    const other = { ...story, ...await register(story) };
    assert.equal((await ask(other)).kind, "consent");
    assert.equal(
      (await ask(story, {}, { signedIn: await signInPerson(story, "bob@example.com") })).kind,
      "consent",
    );
  });

  test("is requested again with prompt=consent (T49)", async () => {
    await using story = await openStory();
    await authorizeFully(story);
    assert.equal((await ask(story, { prompt: "consent" })).kind, "consent");
  });

  test("is requested again for another host, and stored for each", async () => {
    await using story = await openStory({
      redirectUris: ["https://books.example/cb", "https://other.example/cb"],
    });
    await authorizeFully(story);
    const elsewhere = { redirect_uri: "https://other.example/cb" };
    assert.equal((await ask(story, elsewhere)).kind, "consent");
    await authorizeFully(story, elsewhere);
    for (const fields of [{}, elsewhere]) assert.equal((await ask(story, fields)).kind, "redirect");
    assert.equal((await applications(story)).length, 1);
  });

  test("is requested again when it covers less than the request (T134)", async () => {
    await using story = await openStory();
    await authorizeFully(story);
    const { db, services: { authority }, signedIn: { account }, client: { clientId } } = story;
    await transaction(db, async (tx) => {
      const where = { account_id: account.id, client_id: clientId };
      const [row] = await listRows(tx, authority, "consent", "toClient", where);
      await replaceRow(tx, authority, "consent", row!, { scope: "email" });
    });
    assert.equal((await ask(story)).kind, "consent");
  });

  for (const uri of ["http://127.0.0.1/cb", "http://localhost:3000/cb", "com.example.app:/cb"]) {
    test(`is always requested for ${uri}`, async () => {
      await using story = await openStory({ type: "native", redirectUris: [uri] });
      await authorizeFully(story);
      assert.equal((await ask(story)).kind, "consent");
      assert.equal((await applications(story)).length, 1);
    });
  }
});

describe("withdrawConsent()", () => {
  test("ends every grant to the client, and consent is requested again (T134)", async () => {
    await using story = await openStory();
    const tokens = [await getTokens(story), await getTokens(story)];
    const code = await getCode(story);
    assert.equal(await withdraw(story), true);
    for (const { refresh_token } of tokens) {
      await assert.rejects(refreshWith(story, refresh_token), oauthError("invalid_grant"));
    }
    await assert.rejects(redeem(story, code), oauthError("invalid_grant"));
    assert.equal((await ask(story)).kind, "consent");
    assert.equal(await withdraw(story), false);
    assert.deepEqual(await applications(story), []);
    const ended = (await auditOf(story)).filter((event) =>
      event === "grant_ended" || event === "consent_withdrawn"
    );
    assert.deepEqual(ended, ["grant_ended", "grant_ended", "grant_ended", "consent_withdrawn"]);
  });

  test("affects neither other users nor other clients", async () => {
    await using story = await openStory();
    const bob = { ...story, signedIn: await signInPerson(story, "bob@example.com") };
    const other = { ...story, ...await register(story) };
    const kept = [await getTokens(bob), await getTokens(other)];
    await getTokens(story);
    await withdraw(story);
    await refreshWith(bob, kept[0]!.refresh_token);
    await refreshWith(other, kept[1]!.refresh_token);
    assert.equal((await applications(bob)).length, 1);
  });
});

const USUAL = ["email", "email_verified", "name"];

test("listApplications() lists the applications with access, the latest first", async () => {
  const story = await openStory();
  const other = { ...story, ...await register(story, { name: "Films" }) };
  await authorizeFully(story);
  await authorizeFully(other, {}, { now: NOW + 1 });
  assert.deepEqual(await applications(story), [
    { client: other.client, scope: "openid", claims: USUAL, consentedAt: NOW + 1, keyGrants: [] },
    { client: story.client, scope: "openid", claims: USUAL, consentedAt: NOW, keyGrants: [] },
  ]);
});

test("an account has a limited number of grants to a client: the one that expires first is ended", async () => {
  const story = await openStory();
  const first = await getTokens(story, NOW);
  for (let count = 1; count < GRANT_LIMIT; count++) await getTokens(story, NOW + count);
  await refreshWith(story, first.refresh_token, NOW + GRANT_LIMIT);
  await getTokens(story, NOW + GRANT_LIMIT);
  const grants = await story.db.selectFrom("authorization_grant").select("created_at").orderBy("created_at")
    .execute();
  assert.equal(grants.length, GRANT_LIMIT);
  assert.deepEqual(grants.slice(0, 2).map(({ created_at }) => created_at - NOW), [0, 2]);
});

test("an account has a limited number of codes for a client, which end no grant in use", async () => {
  const story = await openStory();
  const { refresh_token } = await getTokens(story, NOW);
  const codes: string[] = [];
  for (let count = 0; count <= GRANT_LIMIT; count++) {
    codes.push(await getCode(story, {}, { now: NOW + count }));
  }
  const grants = await story.db.selectFrom("authorization_grant").select("id").execute();
  assert.equal(grants.length, GRANT_LIMIT + 1);
  await assert.rejects(redeem(story, codes[0]!), oauthError("invalid_grant"));
  await redeem(story, codes[1]!);
  await refreshWith(story, refresh_token);
});

test("codes that two processes issue end none of a hundred grants, whatever their clocks say", async () => {
  const story = await openStory();
  for (let count = 0; count < GRANT_LIMIT; count++) await getTokens(story, NOW + count);
  // Another process whose clock is ahead by a few seconds.
  const ahead = [
    await getCode(story, {}, { now: NOW + 4000 }),
    await getCode(story, {}, { now: NOW + 2000 }),
  ];
  const behind = await getCode(story, {}, { now: NOW + 1000 });
  for (const code of [...ahead, behind]) await redeem(story, code, {}, { now: NOW + 4000 });
  const grants = await story.db.selectFrom("authorization_grant").select("state").execute();
  assert.deepEqual(new Set(grants.map(({ state }) => state)), new Set(["in_use"]));
  assert.equal(grants.length, GRANT_LIMIT);
});
