import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { readCode, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { postForm } from "../support/oauth.ts";
import { actsOf, begin, DAY, finish, HOUR, mailsTo, makeCodes, pass } from "../support/recovery.ts";

const ALICE = "alice@example.com";
const OTHER = "alice@example.org";

async function administer(app: TestApp, accountId: string, act: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const { status } = await app.client().request("POST", `/api/admin/accounts/${accountId}/${act}`, {
    headers,
  });
  assert.equal(status, 200);
}

async function changeAddress(client: Client, email = OTHER): Promise<void> {
  await client.post("/api/auth/account/email/code", { email });
  const body = { email, code: await readCode(client, email) };
  assert.equal((await client.post("/api/auth/account/email", body)).status, 200);
}

async function revertTokenOf(client: Client): Promise<string> {
  const mail = (await mailsTo(client, ALICE)).find(({ text }) => text.includes("/take-back?"))!;
  return new URL(/http\S+\/take-back\S+/.exec(mail.text)![0]).searchParams.get("token")!;
}

describe("a pending recovery", () => {
  test("is cancelled when the replaced address reverts the e-mail change, even at the last moment", async () => {
    await using app = await createTestApp();
    const alice = app.client();
    await signUp(alice, ALICE);
    const codes = await makeCodes(alice);
    await changeAddress(alice);
    const token = await revertTokenOf(alice);
    const thief = app.client("127.0.0.9");
    assert.equal((await begin(thief, OTHER, codes[0])).status, 201);
    for (const time of [72 * HOUR, 4 * DAY - 1]) {
      await pass(app, time);
      assert.equal((await finish(thief, OTHER)).body.code, "recovery_not_ready");
    }
    assert.equal((await postForm(app.client(), "/take-back", { token })).status, 303);
    assert.equal((await thief.get("/api/auth/recovery")).status, 401);
    await pass(app, HOUR);
    assert.equal((await finish(thief, OTHER)).status, 401);
    assert.equal((await signIn(alice)).body.account.email, ALICE);
    assert.equal((await actsOf(alice)).at(-1), "cancelled_by_old_address");
    // The owner can start a recovery.
    assert.equal((await begin(app.client(), ALICE, codes[1])).status, 201);
  });

  test("is ready when no link can revert the change of address before it", async () => {
    await using app = await createTestApp();
    const alice = app.client();
    await signUp(alice, ALICE);
    const codes = await makeCodes(alice);
    await changeAddress(alice);
    const until = app.now + 7 * DAY;
    const token = await revertTokenOf(alice);
    await pass(app, DAY);
    const [first, second] = [app.client("127.0.0.9"), app.client("127.0.0.10")];
    const begun = await begin(first, OTHER, codes[0]);
    assert.equal(begun.body.recovery.readyAt, new Date(until).toISOString(), begun.text);
    await pass(app, 6 * DAY);
    assert.equal((await finish(first, OTHER)).status, 201);
    assert.equal((await postForm(second, "/take-back", { token })).status, 404);
  });

  test("of the owner stands: the thief whose change was undone has no link", async () => {
    await using app = await createTestApp();
    const alice = app.client();
    await signUp(alice, ALICE);
    const codes = await makeCodes(alice);
    await changeAddress(alice);
    app.now += 1000;
    await changeAddress(alice, ALICE);
    assert.equal((await begin(app.client(), ALICE, codes[0])).status, 201);
    for (const { text } of await mailsTo(alice, OTHER)) assert.ok(!text.includes("/take-back"), text);
  });

  test("starts its delay again when its account is enabled, as its owner could not sign in meanwhile", async () => {
    await using app = await createTestApp();
    const alice = app.client();
    const { account } = (await signUp(alice, ALICE)).body;
    const codes = await makeCodes(alice);
    const thief = app.client("127.0.0.9");
    assert.equal((await begin(thief, ALICE, codes[0])).status, 201);
    await administer(app, account.id, "disable");
    await pass(app, 72 * HOUR);
    assert.match((await thief.get("/recover")).text, /Lost your passkey/, "no pending recovery is shown");
    await administer(app, account.id, "enable");
    const renewed = (await thief.get("/recover")).headers.getSetCookie();
    assert.ok(renewed.some((one) => /^service\.recovery=.*; Max-Age=3196800;/.test(one)), "for 37 days more");
    assert.equal((await finish(thief, ALICE)).body.code, "recovery_not_ready");
    await app.maintain();
    const [mail] = await mailsTo(thief, ALICE);
    assert.equal(mail!.subject, "A recovery of your account is pending", "at once, with the new time");
    assert.deepEqual(await pass(app, 71 * HOUR), Array(2).fill(mail!.subject));
    assert.equal((await finish(thief, ALICE)).body.code, "recovery_not_ready");
    await pass(app, HOUR);
    assert.equal((await finish(thief, ALICE)).status, 201);
    assert.ok((await actsOf(thief)).includes("waits_anew"));
  });
});

test("a deletion starts its delay again when its account is enabled", async () => {
  await using app = await createTestApp();
  const alice = app.client();
  const { account } = (await signUp(alice, ALICE)).body;
  assert.equal((await alice.post("/api/auth/account/deletion", { confirm: ALICE })).status, 200);
  await administer(app, account.id, "disable");
  await pass(app, 7 * DAY - HOUR);
  await administer(app, account.id, "enable");
  await pass(app, 6 * DAY);
  assert.equal((await signIn(alice)).status, 200);
});
