import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { postForm } from "../support/oauth.ts";
import { begin, DAY, finish, HOUR, mailsTo, makeCodes, pass } from "../support/recovery.ts";

const ALICE = "alice@example.com";

/** Recovers the account with its recovery codes. Returns the new browser. */
async function recover(app: TestApp, codes: readonly string[]): Promise<Client> {
  const recovered = app.client("127.0.0.9");
  assert.equal((await begin(recovered, ALICE, codes[0]!)).status, 201);
  await pass(app, 72 * HOUR);
  assert.equal((await finish(recovered, ALICE)).status, 201);
  return recovered;
}

/** The acts that a thief could take the account away with. */
const TAKEOVERS: readonly (readonly [what: string, take: (client: Client) => Promise<Answer>])[] = [
  [
    "change of address",
    (client) => client.post("/api/auth/account/email/code", { email: "eve@example.com" }),
  ],
  ["deletion", (client) => client.post("/api/auth/account/deletion", { confirm: ALICE })],
];

describe("an account that was recovered", () => {
  test("cancels a deletion that was requested before, and notifies its owner", async () => {
    await using app = await createTestApp();
    const alice = app.client();
    await signUp(alice, ALICE);
    const codes = await makeCodes(alice);
    const requested = await alice.post("/api/auth/account/deletion", { confirm: ALICE });
    assert.equal(requested.status, 200, requested.text);
    const recovered = await recover(app, codes);
    const subjects = (await mailsTo(recovered, ALICE)).map(({ subject }) => subject);
    assert.ok(subjects.includes("Your account will not be deleted"), subjects.join());
    await pass(app, 5 * DAY);
    assert.equal((await recovered.get("/api/auth/session")).body.account.email, ALICE);
    const { events } = (await recovered.get("/api/audit")).body;
    const stops = events.filter(({ event }: { event: string }) => event === "deletion_stopped");
    assert.deepEqual(stops.map(({ detail }: { detail: object }) => detail), [{ by: "recovery" }]);
  });

  test("has no webhook that was added before", async () => {
    await using app = await createTestApp();
    const alice = app.client();
    await signUp(alice, ALICE);
    const codes = await makeCodes(alice);
    const url = "http://localhost/thief";
    const added = await alice.post("/api/auth/webhooks", {
      url,
      events: ["message_signed"],
      signature: "hmac",
    });
    assert.equal(added.status, 201, added.text);
    const recovered = await recover(app, codes);
    assert.deepEqual((await recovered.get("/api/auth/webhooks")).body.webhooks, []);
    const { events } = (await recovered.get("/api/audit")).body;
    const removed = events.find(({ event }: { event: string }) => event === "webhook_removed");
    assert.equal(removed.subject, added.body.webhook.id);
  });

  for (const [what, take] of TAKEOVERS) {
    test(`refuses ${what} for seven days, and then allows it`, async () => {
      await using app = await createTestApp();
      const alice = app.client();
      await signUp(alice, ALICE);
      const recovered = await recover(app, await makeCodes(alice));
      const refused = await take(recovered);
      assert.deepEqual([refused.status, refused.body.code], [403, "recently_recovered"]);
      await pass(app, 7 * DAY);
      assert.equal((await signIn(recovered)).status, 200);
      assert.equal((await take(recovered)).status, 200);
    });
  }

  test("has no administrator's access for seven days, and then has it again", async () => {
    await using app = await createTestApp({ environment: { ADMIN_ACCOUNTS: ALICE } });
    const alice = app.client();
    await signUp(alice, ALICE);
    const recovered = await recover(app, await makeCodes(alice));
    const enter = (): Promise<Answer> =>
      postForm(recovered, "/admin/enter/passkey", { next: "/admin/accounts" });
    const refused = await enter();
    assert.equal(refused.status, 403, refused.text);
    assert.equal((await recovered.get("/admin/accounts")).status, 303);
    await pass(app, 7 * DAY);
    assert.equal((await signIn(recovered)).status, 200);
    assert.equal((await enter()).status, 303);
    assert.equal((await recovered.get("/admin/accounts")).status, 200);
  });
});
