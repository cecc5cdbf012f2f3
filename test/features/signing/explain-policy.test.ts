import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { POLICY_TEMPLATES } from "../../../src/policy/templates.ts";
import type { Answer } from "../../support/client.ts";
import { createKeyOwner, type KeyOwner } from "../../support/key-owner.ts";

const SITE = { version: 1, messages: { signIn: [{ domains: ["app.example.org"] }] } };
const PATH = "/api/policies/explain";

function explain({ client }: KeyOwner, body: object, query = ""): Promise<Answer> {
  return client.post(`${PATH}${query}`, body);
}

function faultsOf({ body }: Answer): readonly string[] {
  return body.errors.map(({ path }: { readonly path: string }) => path);
}

describe("POST /api/policies/explain", () => {
  test("returns each rule with its pointer, sentence, outcome and danger, and the normal form", async () => {
    await using owner = await createKeyOwner();
    const policy = { ...SITE, raw: "ask", digest: "allow", otherwise: "ask", perMinute: 5 };
    const { status, body } = await explain(owner, { policy });
    assert.equal(status, 200);
    assert.deepEqual(
      body.rules.map(({ rule, outcome, level }: Record<string, unknown>) => [rule, outcome, level]),
      [
        ["/messages/signIn/0", "allow", null],
        ["/raw", "ask", null],
        ["/digest", "allow", "red"],
        ["/otherwise", "ask", null],
      ],
    );
    assert.equal(body.rules[0].sentence, "May sign in to app.example.org.");
    assert.equal(body.rules[3].sentence, "Asks you about everything else.");
    assert.deepEqual(body.limits, ["At most 5 signatures in a minute."]);
    assert.deepEqual(body.policy.budgets, {});
    assert.deepEqual([body.decision, body.refusal], [null, null]);
  });

  test("reads every template, and says that an empty policy signs nothing", async () => {
    await using owner = await createKeyOwner();
    for (const { id, policy } of POLICY_TEMPLATES) {
      assert.equal((await explain(owner, { policy })).status, 200, id);
    }
    const { body } = await explain(
      owner,
      { policy: { version: 1, delayHours: 2 }, of: "key" },
      "?language=de",
    );
    assert.deepEqual(body.rules, []);
    assert.deepEqual(body.limits, [
      "Darf nichts signieren.",
      "Eine lockerere Richtlinie gilt erst nach 2 Stunden.",
    ]);
  });

  test("decides on a request, with the rule, and counts and signs nothing", async () => {
    await using owner = await createKeyOwner();
    const policy = { version: 1, messages: { text: "allow" }, raw: "ask", total: 1 };
    const request = { message: "hello" };
    for (let times = 0; times < 3; times++) {
      const { body } = await explain(owner, { policy, request });
      assert.deepEqual([body.decision.outcome, body.decision.rule], ["allow", "/messages/text"]);
    }
    const asked = await explain(owner, { policy, request: { message: "0x12", format: "raw" } });
    assert.deepEqual([asked.body.decision.outcome, asked.body.decision.rule], ["ask", "/raw"]);
    const refused = await explain(owner, { policy: SITE, request });
    assert.deepEqual([refused.body.decision.outcome, refused.body.decision.policy], ["deny", "token"]);
    const { body: { tokens } } = await owner.client.get("/api/auth/tokens");
    assert.deepEqual(tokens, []);
    const events = await owner.app.db.selectFrom("audit_event").select("event").execute();
    assert.deepEqual(
      events.filter(({ event }) => /^(?:message|raw|digest|policy|signature)/.test(event)),
      [],
    );
  });

  test("decides by the key's own policy as well, and says what the key refuses itself", async () => {
    await using owner = await createKeyOwner();
    const { keyId } = owner;
    const put = await owner.client.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy: SITE } });
    assert.equal(put.status, 200, put.text);
    await owner.client.request("PATCH", `/api/keys/${keyId}`, { body: { blindSigning: "deny" } });
    const policy = { version: 1, messages: { text: "allow" }, raw: "allow" };
    const request = { message: "hello" };
    const both = await explain(owner, { policy, keyId, request });
    assert.deepEqual([both.body.decision.outcome, both.body.decision.policy], ["deny", "key"]);
    assert.equal(both.body.refusal, null);
    // A draft for the key takes the place of its policy.
    const draft = await explain(owner, {
      policy,
      of: "key",
      keyId,
      request: { message: "0x12", format: "raw" },
    });
    assert.equal(draft.body.decision.outcome, "allow");
    assert.equal(draft.body.refusal.code, "blind_signing_denied");
  });

  test("returns a part of a page to a browser", async () => {
    await using owner = await createKeyOwner();
    const body = { policy: SITE, request: { message: "hello" } };
    const { status, text } = await owner.client.post(`${PATH}?language=de`, body, {
      headers: { accept: "text/html" },
    });
    assert.equal(status, 200);
    assert.match(text, /data-rule="\/messages\/signIn\/0"/);
    assert.match(text, /<strong>Abgelehnt\.<\/strong>/);
  });

  test("refuses a faulty policy with the pointer, and JSON that repeats a member", async () => {
    await using owner = await createKeyOwner();
    const wrong: readonly (readonly [body: object, path: string])[] = [
      [{}, "/policy"],
      [{ policy: { version: 2 } }, "/policy/version"],
      [{ policy: { version: 1, delayHours: 1 } }, "/policy/delayHours"],
      [
        { policy: { version: 1, messages: { signIn: [{ domains: ["not a host"] }] } } },
        "/policy/messages/signIn/0/domains/0",
      ],
      [{ policy: SITE, of: "owner" }, "/of"],
      [{ policy: SITE, other: 1 }, "/other"],
    ];
    for (const [body, path] of wrong) {
      const answer = await explain(owner, body);
      assert.deepEqual([answer.status, answer.body.code, ...faultsOf(answer)], [
        400,
        "invalid_request",
        path,
      ]);
    }
    for (const text of ['{"policy":{"version":1,"version":1}}', '{"policy":']) {
      const { body: { code } } = await owner.client.post(PATH, undefined, { text });
      assert.equal(code, "invalid_json", text);
    }
  });

  test("refuses a request that is none, with the pointer into the body", async () => {
    await using owner = await createKeyOwner();
    const wrong: readonly (readonly [request: unknown, code: string, path: string])[] = [
      ["hello", "invalid_request", "/request"],
      [{ note: 1 }, "invalid_request", "/request/note"],
      [{ message: "0x1", format: "raw" }, "invalid_request", "/request/message"],
      [{ types: {}, primaryType: "Pay" }, "invalid_typed_data", "/request/domain"],
      [{ type: "eip1559", chainId: 1 }, "invalid_transaction", "/request/nonce"],
    ];
    for (const [request, code, path] of wrong) {
      const answer = await explain(owner, { policy: SITE, request });
      assert.equal(answer.body.code, code);
      assert.ok(faultsOf(answer).includes(path), faultsOf(answer).join());
    }
  });

  test("refuses a visitor, a token, and the key of another account", async () => {
    await using owner = await createKeyOwner();
    assert.equal((await owner.app.client().post(PATH, { policy: SITE })).status, 401);
    const { body: { text } } = await owner.client.post("/api/auth/tokens", {
      name: "Bot",
      keys: "all",
      actions: ["read"],
    });
    const headers = { authorization: `Bearer ${text}` };
    assert.equal((await owner.app.client().post(PATH, { policy: SITE }, { headers })).status, 401);
    const other = { policy: SITE, keyId: "key_0000000000000000000000000v", request: { message: "hello" } };
    assert.equal((await explain(owner, other)).status, 404);
  });
});

describe("GET /policies/rule", () => {
  test("returns the form of a rule, and sends a visitor to sign in", async () => {
    await using owner = await createKeyOwner();
    const { status, text } = await owner.client.get("/policies/rule");
    assert.equal(status, 200);
    assert.match(text, /<dialog id="rule-dialog"[\s\S]*USDC · Base[\s\S]*Save the rule/);
    assert.equal((await owner.app.client().get("/policies/rule")).status, 303);
  });
});
