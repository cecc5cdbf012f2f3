import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { comeBack, createIdentityStage, visitProvider } from "../../support/identity.ts";
import { confirm } from "../../support/own-account.ts";
import type { Upstream } from "../../support/upstream.ts";

const MINUTE = 60_000;

const begin = (client: Client, { config }: Upstream): Promise<Answer> =>
  client.post("/api/auth/account/identities", { provider: config.id });

/** Links the identity: visits the provider and returns. */
async function link(client: Client, upstream: Upstream): Promise<string> {
  const begun = await begin(client, upstream);
  assert.equal(begun.status, 200, begun.text);
  return (await comeBack(client, upstream, upstream.visit(begun.body.location))).headers.get("location")!;
}

// deno-lint-ignore no-explicit-any -- tests look into answers of every shape
async function identitiesOf(client: Client): Promise<any[]> {
  return (await client.get("/api/auth/account/identities")).body.identities;
}

const unlink = (client: Client, id: string): Promise<Answer> =>
  client.request("DELETE", `/api/auth/account/identities/${id}`);

describe("linking another provider", () => {
  test("lets it identify the account, which still needs its passkey, until it is unlinked", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const client = app.client();
    await signUp(client, "ada@example.org");
    assert.equal(await link(client, upstream), "/account/settings?link=linked&with=upstream");
    const page = await client.get("/account/settings?link=linked&with=upstream");
    assert.ok(page.text.includes("Upstream is linked to your account."));
    const [linked] = await identitiesOf(client);
    assert.deepEqual([linked.provider, linked.issuer], ["Upstream", upstream.config.issuer]);
    assert.equal(await link(client, upstream), "/account/settings?link=already&with=upstream");
    const elsewhere = app.client();
    const back = await visitProvider(elsewhere, upstream);
    assert.equal(back.headers.get("location"), "/sign-in?identity=upstream");
    assert.equal((await elsewhere.get("/api/auth/session")).body.session, null);
    assert.equal((await unlink(client, linked.id)).status, 204);
    assert.deepEqual(await identitiesOf(client), []);
    assert.equal((await unlink(client, linked.id)).status, 404);
    assert.equal((await signIn(client)).status, 200, "the passkey stays");
    const log = await app.db.selectFrom("audit_event").select("event").execute();
    const events = log.map(({ event }) => event);
    assert.ok(events.includes("identity_linked") && events.includes("identity_unlinked"));
  });

  test("refuses an identity that belongs to another account, and another session's link", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const [client, other] = [app.client(), app.client()];
    await signUp(client, "ada@example.org");
    await signUp(other, "eve@example.org");
    await link(client, upstream);
    assert.equal(await link(other, upstream), "/account/settings?link=taken&with=upstream");
    assert.deepEqual(await identitiesOf(other), []);
    const [{ id }] = await identitiesOf(client);
    assert.equal((await unlink(other, id)).status, 404);
    assert.equal((await identitiesOf(client)).length, 1);
  });

  test("needs a step-up for each attempt", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const client = app.client();
    await signUp(client, "ada@example.org");
    app.now += 10 * MINUTE;
    assert.equal((await begin(client, upstream)).body.code, "fresh_session_required");
    await confirm(client, "link_identity");
    assert.equal(await link(client, upstream), "/account/settings?link=linked&with=upstream");
    assert.equal((await begin(client, upstream)).body.code, "fresh_session_required");
    const [{ id }] = await identitiesOf(client);
    assert.equal((await unlink(client, id)).body.code, "fresh_session_required");
    await confirm(client, `unlink_identity:identity_${"0".repeat(26)}`);
    assert.equal((await unlink(client, id)).body.code, "fresh_session_required");
    await confirm(client, `unlink_identity:${id}`);
    assert.equal((await unlink(client, id)).status, 204);
    assert.equal((await client.post("/api/auth/account/identities", { provider: "unknown" })).status, 404);
  });

  test("is completed once, only by the session that started it", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const [client, thief] = [app.client(), app.client()];
    await signUp(client, "ada@example.org");
    await signUp(thief, "eve@example.org");
    const first = upstream.visit((await begin(client, upstream)).body.location);
    assert.equal((await comeBack(thief, upstream, first)).status, 400, "another account's session");
    assert.equal((await comeBack(client, upstream, first)).status, 400, "which used it up");
    const second = upstream.visit((await begin(client, upstream)).body.location);
    assert.equal((await comeBack(app.client(), upstream, second)).status, 400, "a browser without a session");
    const third = upstream.visit((await begin(client, upstream)).body.location);
    await client.post("/api/auth/sign-out", {});
    assert.equal((await comeBack(client, upstream, third)).status, 400, "a session that has ended");
    assert.deepEqual(await app.db.selectFrom("identity").selectAll().execute(), []);
  });
});
