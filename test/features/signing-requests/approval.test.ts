import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import {
  approve,
  ask,
  ASKING_POLICY,
  assertionFor,
  codeOf,
  CONTRACT,
  newOwner,
  newProgram,
  REQUESTS,
} from "../../support/asking.ts";
import type { Owner, Program } from "../../support/asking.ts";
import { createClient, signIn } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { actsOf, begin, makeCodes } from "../../support/recovery.ts";

const REFUSED = "401 invalid_passkey";
const OVER = "409 signing_request_over";

interface Story extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: Owner;
  readonly program: Program;
  readonly id: string;
}

/** Creates a pending signing request of a program. */
async function openStory(): Promise<Story> {
  const app = await createTestApp();
  const owner = await newOwner(app);
  const program = await newProgram(app, owner);
  const id = await ask(program, owner.keyId);
  return { app, owner, program, id, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

function send(person: Client, id: string, response: unknown): Promise<Answer> {
  return person.post(`${REQUESTS}/${id}/approval`, { response });
}

async function statusOf({ program, id }: Story): Promise<string> {
  return (await program.get(`${REQUESTS}/${id}`)).body.request.status;
}

async function newestEvent({ owner }: Story): Promise<{ event: string; detail: Record<string, unknown> }> {
  return (await owner.person.get("/api/audit")).body.events[0];
}

/** Signs in to the same account in another browser, whose authenticator has the same passkeys. */
async function secondBrowser({ app, owner: { person } }: Story): Promise<Client> {
  const client = createClient(person.origin, (request) => app.app(request, { clientAddress: "127.0.0.5" }));
  const second = { ...client, authenticator: person.authenticator };
  assert.equal((await signIn(second)).status, 200);
  return second;
}

describe("an approval", () => {
  test("signs a challenge that ends with the digest", async () => {
    await using story = await openStory();
    const { owner, id } = story;
    const { body } = await owner.person.post(`${REQUESTS}/${id}/approval/options`);
    const { digest } = (await owner.person.get(`${REQUESTS}/${id}`)).body.request;
    const challenge = Uint8Array.fromBase64(body.challenge, { alphabet: "base64url" });
    assert.equal(challenge.length, 64);
    assert.equal(`0x${challenge.subarray(32).toHex()}`, digest);
    assert.equal(body.userVerification, "required");
    const again = await owner.person.post(`${REQUESTS}/${id}/approval/options`);
    assert.notEqual(again.body.challenge, body.challenge);
  });

  test("needs its own passkey assertion, however fresh the sign-in or a step-up", async () => {
    await using story = await openStory();
    const { owner: { person }, id } = story;
    const options = await person.post("/api/auth/step-up/options", { action: "add_token" });
    const response = await person.authenticator.authenticate(options.body, { origin: person.origin });
    assert.equal(codeOf(await send(person, id, response)), REFUSED);
    for (const none of [null, {}, "yes"]) {
      assert.equal(codeOf(await send(person, id, none)), REFUSED);
    }
    assert.equal((await person.post(`${REQUESTS}/${id}/approval`, {})).status, 400);
    assert.equal(await statusOf(story), "pending");
  });

  test("approves one request, and no other one of the same program or with the same digest", async () => {
    await using story = await openStory();
    const { app, owner, program, id } = story;
    const other = await ask(program, owner.keyId, "pay everything to me");
    const twin = await ask(await newProgram(app, owner), owner.keyId);
    for (const target of [other, twin]) {
      const response = await assertionFor(owner.person, id);
      assert.equal(codeOf(await send(owner.person, target, response)), REFUSED);
      // A response is used by its first presentation, for any request.
      assert.equal(codeOf(await send(owner.person, id, response)), REFUSED);
    }
    const { event, detail } = await newestEvent(story);
    assert.deepEqual([event, detail], ["approval_refused", { request: twin, reason: "challenge" }]);
    assert.equal(await statusOf(story), "pending");
  });

  test("cancels a pending recovery, because the approver has a passkey", async () => {
    await using story = await openStory();
    const { app, owner: { person }, id } = story;
    const { account } = (await person.get("/api/auth/session")).body;
    const [code] = await makeCodes(person);
    const other = app.client("127.0.0.9");
    assert.equal((await begin(other, account.email, code)).status, 201);
    assert.equal((await approve(person, id)).status, 200);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await actsOf(person)).at(-1), "cancelled_by_passkey");
  });

  test("is not accepted as a step-up, a sign-in or a second approval", async () => {
    await using story = await openStory();
    const { app, owner: { person }, id } = story;
    const stepUp = { action: "add_token", response: await assertionFor(person, id) };
    assert.equal(codeOf(await person.post("/api/auth/step-up", stepUp)), REFUSED);
    const signInBody = { response: await assertionFor(person, id) };
    assert.equal((await app.client().post("/api/auth/passkey/authentication", signInBody)).status, 401);
    const response = await assertionFor(person, id);
    assert.equal((await send(person, id, response)).status, 200);
    assert.equal(codeOf(await send(person, id, response)), OVER);
  });

  test("is not a step-up action", async () => {
    await using story = await openStory();
    const { owner: { person }, id } = story;
    const answer = await person.post("/api/auth/step-up/options", { action: `approve:${id}` });
    assert.equal(codeOf(answer), "400 invalid_request");
  });

  test("is bound to the browser that requested its challenge", async () => {
    await using story = await openStory();
    const { owner: { person }, id } = story;
    const second = await secondBrowser(story);
    const response = await assertionFor(person, id);
    assert.equal(codeOf(await send(second, id, response)), REFUSED);
    assert.equal(await statusOf(story), "pending");
    assert.equal((await approve(second, id)).status, 200);
  });

  test("is refused with another account's passkey", async () => {
    await using story = await openStory();
    const { app, owner, id } = story;
    const bob = await newOwner(app, "bob@example.com");
    const response = await assertionFor(owner.person, id, bob.person);
    assert.equal(codeOf(await send(owner.person, id, response)), REFUSED);
    assert.deepEqual((await newestEvent(story)).detail, { request: id, reason: "unknown_credential" });
    assert.equal(await statusOf(story), "pending");
  });

  test("is refused after five minutes, from another site, or with a changed challenge", async () => {
    await using story = await openStory();
    const { app, owner: { person }, id } = story;
    const late = await assertionFor(person, id);
    app.now += 5 * 60_000;
    assert.equal(codeOf(await send(person, id, late)), REFUSED);
    const options = await person.post(`${REQUESTS}/${id}/approval/options`);
    const elsewhere = { origin: "https://evil.example" };
    const foreign = await person.authenticator.authenticate(options.body, elsewhere);
    assert.equal(codeOf(await send(person, id, foreign)), REFUSED);
    const { body } = await person.post(`${REQUESTS}/${id}/approval/options`);
    const bytes = Uint8Array.fromBase64(body.challenge, { alphabet: "base64url" });
    bytes[63]! ^= 1;
    const challenge = bytes.toBase64({ alphabet: "base64url", omitPadding: true });
    const changed = await person.authenticator.authenticate({ ...body, challenge }, {
      origin: person.origin,
    });
    assert.equal(codeOf(await send(person, id, changed)), REFUSED);
    assert.equal(await statusOf(story), "pending");
  });

  test("is refused if the browser is signed out before the body is complete", async () => {
    await using story = await openStory();
    const { owner: { person }, id } = story;
    const response = await assertionFor(person, id);
    const second = await secondBrowser(story);
    await second.post("/api/auth/sessions/revoke-others");
    assert.equal(codeOf(await send(person, id, response)), "401 authentication_required");
    assert.equal(await statusOf(story), "pending");
  });
});

/** The changes between the request and its approval, and the refusal's code that the requester gets. */
const CHANGES: Readonly<Record<string, readonly [change: (story: Story) => Promise<unknown>, code: string]>> =
  {
    "the key was archived": [
      ({ owner: { person, keyId } }) => person.post(`/api/keys/${keyId}/archive`),
      "key_archived",
    ],
    "the token's policy forbids it": [
      ({ owner: { person }, program: { tokenId } }) =>
        person.request("PATCH", `/api/auth/tokens/${tokenId}`, {
          body: { policy: { version: 1, raw: "ask" } },
        }),
      "policy_denied",
    ],
    // The program no longer sees the request either.
    "the token lost the key": [
      async ({ owner: { person }, program: { tokenId } }) => {
        const { key } = (await person.post("/api/keys/generate")).body;
        await person.request("PATCH", `/api/auth/tokens/${tokenId}`, { body: { keys: [key.id] } });
      },
      "authentication_required",
    ],
  };

describe("an approval ends the request without a signature if", () => {
  for (const [title, [change, code]] of Object.entries(CHANGES)) {
    test(title, async () => {
      await using story = await openStory();
      const { owner: { person }, program, id } = story;
      await change(story);
      const answer = await approve(person, id);
      assert.equal(codeOf(answer), OVER);
      assert.match(answer.body.detail, /^Refused, and the request is closed: /);
      const reader = code === "authentication_required" ? person : program;
      const { request } = (await reader.get(`${REQUESTS}/${id}`)).body;
      assert.deepEqual([request.status, request.refusal.code, request.signed], ["refused", code, undefined]);
      const { event, detail } = await newestEvent(story);
      assert.deepEqual([event, detail["how"], detail["reason"]], ["signing_request_ended", "refused", code]);
    });
  }

  // A day (UTC) ends within the hour in which a request can be approved.
  const LATE = Date.UTC(2027, 0, 1, 23, 30);
  for (const [member, pause] of [["perMinute", 60_000], ["perDay", 1_800_000]] as const) {
    test(`but not if ${member} is used up: it stays pending, and can be approved later`, async () => {
      await using story = await openStory();
      const { app, owner: { keyId } } = story;
      app.now = LATE;
      const person = await secondBrowser(story);
      const program = await newProgram(app, { ...story.owner, person }, {
        policy: { ...ASKING_POLICY, [member]: 1 },
      });
      const ids = [await ask(program, keyId, "one"), await ask(program, keyId, "two")];
      assert.equal((await approve(person, ids[0]!)).status, 200);
      const answer = await approve(person, ids[1]!);
      assert.deepEqual([codeOf(answer), answer.body.rule], ["409 limit_used_up", `/${member}`]);
      assert.equal((await program.get(`${REQUESTS}/${ids[1]}`)).body.request.status, "pending");
      app.now += pause;
      assert.equal((await approve(person, ids[1]!)).status, 200);
    });
  }

  test("but not if perDay is used up: it expires after its hour", async () => {
    await using story = await openStory();
    const { app, owner: { person, keyId } } = story;
    const program = await newProgram(app, story.owner, { policy: { ...ASKING_POLICY, perDay: 1 } });
    const ids = [await ask(program, keyId, "one"), await ask(program, keyId, "two")];
    assert.equal((await approve(person, ids[0]!)).status, 200);
    assert.equal(codeOf(await approve(person, ids[1]!)), "409 limit_used_up");
    app.now += 3_600_000;
    assert.equal((await program.get(`${REQUESTS}/${ids[1]}`)).body.request.status, "expired");
  });

  test("the token was revoked", async () => {
    await using story = await openStory();
    const { owner: { person }, program, id } = story;
    await person.request("DELETE", `/api/auth/tokens/${program.tokenId}`);
    assert.equal(codeOf(await approve(person, id)), OVER);
    assert.equal(codeOf(await program.get(`${REQUESTS}/${id}`)), "401 authentication_required");
    assert.equal((await person.get(`${REQUESTS}/${id}`)).body.request.status, "refused");
  });

  test("the token has expired", async () => {
    await using story = await openStory();
    const { app, owner } = story;
    const expiresAt = new Date(app.now + 60_000).toISOString();
    const program = await newProgram(app, owner, { expiresAt });
    const id = await ask(program, owner.keyId, "a token of one minute");
    app.now += 60_000;
    assert.equal(codeOf(await approve(owner.person, id)), OVER);
    assert.equal((await owner.person.get(`${REQUESTS}/${id}`)).body.request.status, "refused");
  });

  test("the key now refuses bytes", async () => {
    await using story = await openStory();
    const { owner: { person, keyId }, program } = story;
    const raw = await program.post(`/api/keys/${keyId}/sign`, { message: "0xdeadbeef", format: "raw" });
    const { id } = raw.body.request;
    await person.request("PATCH", `/api/keys/${keyId}`, { body: { blindSigning: "deny" } });
    assert.equal(codeOf(await approve(person, id)), OVER);
    const { request } = (await program.get(`${REQUESTS}/${id}`)).body;
    assert.deepEqual([request.status, request.refusal.code], ["refused", "blind_signing_denied"]);
  });
});

describe("the pages of signature requests", () => {
  test("list pending requests with requester and origin, and can be read without a script", async () => {
    await using story = await openStory();
    const { owner: { person }, id } = story;
    const { text } = await person.get("/requests");
    assert.ok(text.includes(`<a href="/requests/${id}">`));
    for (const words of ["Payroll", "192.0.2.9", "Key 1"]) assert.ok(text.includes(words), words);
    await approve(person, id);
    assert.ok((await person.get("/requests")).text.includes("No request is pending."));
  });

  test("show everything that would be signed, and afterwards the signature", async () => {
    await using story = await openStory();
    const { owner: { person, keyId }, program } = story;
    const typedData = {
      types: { Pay: [{ name: "to", type: "address" }, { name: "memo", type: "string" }] },
      primaryType: "Pay",
      domain: { name: "Shop <b>", chainId: 1, verifyingContract: CONTRACT },
      message: { to: "0x0000000000000000000000000000000000000001", memo: "<script>alert(1)</script>" },
    };
    const { body } = await program.post(`/api/keys/${keyId}/sign-typed-data`, typedData);
    const path = `/requests/${body.request.id}`;
    const { text } = await person.get(path);
    for (const words of ["Payroll", body.request.digest, "0x0000000000000000000000000000000000000001"]) {
      assert.ok(text.includes(words), words);
    }
    assert.ok(text.includes("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert.ok(!text.includes("<script>alert"));
    assert.ok(text.includes("Approve with a passkey"));
    const approved = await approve(person, body.request.id);
    const after = await person.get(path);
    assert.ok(after.text.includes(approved.body.request.signed.signature));
    assert.ok(!after.text.includes("Approve with a passkey"));
  });

  test("redirect a visitor to sign in, and back", async () => {
    await using story = await openStory();
    const answer = await story.app.client().get(`/requests/${story.id}`);
    assert.equal(answer.status, 303);
    assert.equal(
      answer.headers.get("location"),
      `/sign-in?next=${encodeURIComponent(`/requests/${story.id}`)}`,
    );
  });
});
