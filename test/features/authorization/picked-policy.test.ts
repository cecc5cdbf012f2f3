import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canonicalPolicy } from "../../../src/policy/canonical.ts";
import { POLICY_LIMITS } from "../../../src/policy/policy.ts";
import { readPolicy } from "../../../src/policy/read-policy.ts";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { askFor, askToken, registerKeyClient } from "../../support/key-application.ts";
import { locationOf, pkcePair, postForm, providerOf } from "../../support/oauth.ts";
import type { Fields, Registered } from "../../support/oauth.ts";

const ASKED = { scope: "keys:read keys:sign", resource: `${ORIGIN}/api` };

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly person: Client;
  readonly keyId: string;
  readonly client: Registered;
}

async function setStage(): Promise<Stage> {
  const app = await createTestApp();
  const client = await registerKeyClient(providerOf(app), { type: "web", dpopBoundAccessTokens: false });
  const person = app.client();
  const keyId = (await signUp(person, "ada@example.com")).body.key.id;
  return { app, person, keyId, client, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Submits the consent page with these members, and the first key unless they say otherwise. */
async function decide({ person, client, keyId }: Stage, form: Fields, pkce = pkcePair()): Promise<Answer> {
  const { request } = await askFor(person, client, pkce, ASKED);
  return await postForm(person, "/consent", {
    request,
    decision: "approve",
    [`key:${keyId}`]: "on",
    ...form,
  });
}

/** Returns the granted policy and a function that signs under it. */
async function letIn(stage: Stage, form: Fields) {
  const pkce = pkcePair();
  const code = locationOf(await decide(stage, form, pkce)).searchParams.get("code")!;
  const { status, body, text } = await askToken(stage.app, stage.client, {
    grant_type: "authorization_code",
    code,
    redirect_uri: stage.client.redirectUris[0]!,
    code_verifier: pkce.verifier,
  });
  assert.equal(status, 200, text);
  const headers = { authorization: `Bearer ${body.access_token}` };
  const sign = (path: string, message: unknown): Promise<Answer> =>
    stage.app.client().post(`/api/keys/${stage.keyId}/${path}`, message, { headers });
  return { policy: body.authorization_details[0].policy, sign };
}

const PAYMENT = {
  types: {
    TransferWithAuthorization: [
      { name: "from", type: "address" },
      { name: "to", type: "address" },
      { name: "value", type: "uint256" },
      { name: "validAfter", type: "uint256" },
      { name: "validBefore", type: "uint256" },
      { name: "nonce", type: "bytes32" },
    ],
  },
  primaryType: "TransferWithAuthorization",
  domain: {
    name: "USD Coin",
    version: "2",
    chainId: 8453,
    verifyingContract: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  },
};

function payment(app: TestApp, value: string): object {
  const message = {
    from: "0x1111111111111111111111111111111111111111",
    to: "0x2222222222222222222222222222222222222222",
    value,
    validAfter: "0",
    validBefore: String(Math.floor(app.now / 1000) + 60),
    nonce: `0x${"00".repeat(31)}${value.slice(-1)}1`,
  };
  return { ...PAYMENT, message };
}

describe("consent to keys:sign without authorization_details", () => {
  test("shows one form with keys that are not ticked, the templates, and an end", async () => {
    await using stage = await setStage();
    const { page } = await askFor(stage.person, stage.client, pkcePair(), ASKED);
    assert.doesNotMatch(page.text, new RegExp(`name="key:${stage.keyId}"[^>]*checked`));
    assert.match(page.text, /name="template" value="ask"\s+checked/);
    assert.equal(page.text.match(/name="template"/g)!.length, 6);
    assert.match(page.text, /name="value:x402:each"[^>]*value="0\.1"/s);
    assert.match(page.text, /name="end"/);
  });

  test("asks the owner for everything unless another template was picked", async () => {
    await using stage = await setStage();
    const { policy, sign } = await letIn(stage, {});
    assert.equal(policy.otherwise, "ask");
    const { status, body } = await sign("sign", { message: "hello" });
    assert.deepEqual([status, body.request.status], [202, "pending"]);
    const { body: { grants } } = await stage.person.get("/api/auth/grants");
    assert.deepEqual(grants[0].keyGrants[0].policyWords, ["Asks you before it signs anything."]);
  });

  test("grants a template with the owner's numbers: signs within it, and refuses or asks beyond it", async () => {
    await using stage = await setStage();
    const form = { template: "x402", "value:x402:each": "0.05", "value:x402:perDay": "0.07", end: "hour" };
    const strict = await letIn(stage, form);
    assert.equal(strict.policy.typedData[0].where["/value"].atMost, "50000");
    assert.equal(strict.policy.budgets["paid-usdc"].perDay, "70000");
    assert.equal((await strict.sign("sign-typed-data", payment(stage.app, "50000"))).status, 200);
    assert.equal((await strict.sign("sign-typed-data", payment(stage.app, "50001"))).status, 403);
    assert.equal((await strict.sign("sign", { message: "hello" })).status, 403);
    const asking = await letIn(stage, { ...form, otherwise: "ask" });
    assert.equal((await asking.sign("sign-typed-data", payment(stage.app, "50000"))).status, 200);
    assert.equal((await asking.sign("sign-typed-data", payment(stage.app, "50001"))).status, 202);
    // Past the budget too.
    assert.equal((await asking.sign("sign-typed-data", payment(stage.app, "30000"))).status, 202);
  });

  test("grants sign-ins to the site that the owner typed", async () => {
    await using stage = await setStage();
    const { policy } = await letIn(stage, { template: "sign-in", "value:sign-in:site": "shop.example" });
    assert.deepEqual(policy.messages.signIn[0].domains, ["shop.example"]);
    assert.equal(policy.otherwise, undefined);
  });

  test("grants the policy that the owner wrote, and reads it only if it was picked", async () => {
    await using stage = await setStage();
    const own = JSON.stringify({ version: 1, messages: { text: "allow" }, raw: "ask" });
    const strict = await letIn(stage, { template: "own", policy: own });
    assert.deepEqual([strict.policy.messages.text, strict.policy.otherwise], ["allow", undefined]);
    assert.equal((await strict.sign("sign", { message: "hello" })).status, 200);
    assert.equal((await strict.sign("sign", { message: "0x12", format: "raw" })).status, 202);
    assert.equal((await strict.sign("sign-typed-data", payment(stage.app, "1"))).status, 403);
    const asking = await letIn(stage, { template: "own", policy: own, otherwise: "ask", replace: "on" });
    assert.equal(asking.policy.otherwise, "ask");
    const { policy } = await letIn(stage, { template: "ask", policy: "{", replace: "on" });
    assert.equal(policy.otherwise, "ask");
  });

  test("grants a dangerous rule that the owner wrote only if its box is ticked", async () => {
    await using stage = await setStage();
    const policy = '{"version":1,"raw":"ask","digest":"allow"}';
    const { status, text } = await decide(stage, { template: "own", policy });
    assert.equal(status, 400);
    assert.ok(text.includes("/policy/digest: "), text);
    assert.match(text, /href="\/consent\?request=/);
    const granted = await letIn(stage, { template: "own", policy, danger: "on" });
    assert.equal(granted.policy.digest, "allow");
  });

  test("takes a long policy of the owner, indented", async () => {
    await using stage = await setStage();
    const called = { function: "take(uint256 id)", where: { "/id": { oneOf: [1, 2, 3, 4, 5, 6, 7, 8] } } };
    const to = ["0x1111111111111111111111111111111111111111"];
    const rule = { chainId: "1", to, valueAtMost: "0", feeAtMost: "0", call: called };
    const domains = Array.from({ length: 16 }, (_, index) => `${index}.example`);
    const own = {
      version: 1,
      messages: {
        signIn: Array.from({ length: 50 }, () => ({ domains, chainIds: [1, 10, 8453].map(String) })),
      },
      transactions: Array.from({ length: 50 }, () => rule),
    };
    const canonical = canonicalPolicy(readPolicy(own)).length;
    assert.ok(canonical > 20_000 && canonical <= POLICY_LIMITS.canonical, String(canonical));
    // A browser sends the lines of a text with CR and LF.
    const written = JSON.stringify(own, null, 2).replaceAll("\n", "\r\n");
    const { policy } = await letIn(stage, { template: "own", policy: written });
    assert.equal(policy.transactions.length, 50);
  });

  test("refuses a faulty policy of the owner with its place, and a way back", async () => {
    await using stage = await setStage();
    const wrong: readonly (readonly [policy: string | undefined, place: string])[] = [
      [undefined, "/policy: "],
      ["", "JSON"],
      ["{", "JSON"],
      ['{"version":1,"version":1}', "version"],
      ['{"version":1,"raw":"maybe"}', "/policy/raw: "],
      ['{"version":1,"delayHours":1}', "/policy/delayHours: "],
    ];
    for (const [policy, place] of wrong) {
      const { status, text } = await decide(stage, {
        template: "own",
        ...(policy === undefined ? {} : { policy }),
      });
      assert.equal(status, 400, String(policy));
      assert.ok(text.includes(place), `${policy} ${place}`);
      assert.match(text, /href="\/consent\?request=/);
    }
  });

  test("refuses values that do not fit, with a way back, and a consent without a key", async () => {
    await using stage = await setStage();
    const wrong: readonly Fields[] = [
      { template: "x402", "value:x402:each": "" },
      { template: "x402", "value:x402:each": "-1" },
      { template: "x402", "value:x402:each": "0.0000001" },
      { template: "x402", "value:x402:each": "1e3" },
      { template: "x402", "value:x402:perMinute": "0" },
      { template: "x402", "value:x402:perMinute": "1.5" },
      { template: "sign-in", "value:sign-in:site": "not a site" },
      { template: "everything" },
      { otherwise: "allow" },
      { [`key:${stage.keyId}`]: "off" },
    ];
    for (const form of wrong) {
      const { status } = await decide(stage, form);
      assert.equal(status, 400, JSON.stringify(form));
    }
    const { text } = await decide(stage, wrong[0]!);
    assert.match(text, /href="\/consent\?request=/);
  });
});
