import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { approve } from "../../support/asking.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import { holdBody } from "../../support/delayed-body.ts";

const TOKENS = "/api/auth/tokens";
const DAY = 24 * 60 * 60_000;
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const PERMIT = "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9";
const SPENDER = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

const POLICY = {
  version: 1,
  typedData: [{
    chainId: "1",
    verifyingContract: USDC,
    typeHash: PERMIT,
    where: { "/value": { atMost: "60" }, "/spender": { oneOf: [SPENDER] }, "/deadline": { within: 3600 } },
    spends: [{ budget: "usdc", path: "/value" }],
  }],
  budgets: { usdc: { perDay: "100" } },
};

function permit(app: TestApp, value: string, change: object = {}): object {
  const field = (type: string, name: string) => ({ type, name });
  return {
    types: {
      Permit: [
        field("address", "owner"),
        field("address", "spender"),
        field("uint256", "value"),
        field("uint256", "nonce"),
        field("uint256", "deadline"),
      ],
    },
    primaryType: "Permit",
    domain: { name: "USD Coin", version: "2", chainId: 1, verifyingContract: USDC },
    message: {
      owner: SPENDER,
      spender: SPENDER,
      value,
      nonce: "0",
      deadline: String(Math.floor(app.now / 1000) + 60),
      ...change,
    },
  };
}

interface Program {
  readonly tokenId: string;
  readonly keyId: string;
  readonly authorization: string;
  sign(body: object): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
}

async function newPerson(
  app: TestApp,
  email = "ada@example.com",
): Promise<{ person: Client; keyId: string }> {
  const person = app.client();
  const { body } = await signUp(person, email);
  return { person, keyId: body.key.id };
}

async function newProgram(app: TestApp, person: Client, keyId: string, terms: object): Promise<Program> {
  const answer = await person.post(TOKENS, {
    name: "Bot",
    keys: [keyId],
    actions: ["sign", "read"],
    ...terms,
  });
  assert.equal(answer.status, 201, answer.text);
  const client = app.client("192.0.2.9");
  const authorization = `Bearer ${answer.body.text}`;
  const headers = { authorization };
  const post = (path: string, body: object) => client.post(`/api/keys/${keyId}/${path}`, body, { headers });
  return {
    tokenId: answer.body.token.id,
    keyId,
    authorization,
    post,
    sign: (body) => post("sign-typed-data", body),
  };
}

function setPolicy(person: Client, { tokenId }: Program, policy: unknown): Promise<Answer> {
  return person.request("PATCH", `${TOKENS}/${tokenId}`, { body: { policy } });
}

const outcome = ({ status, body }: Answer): string => `${status} ${body?.code ?? "signed"}`;

describe("a token with a policy", () => {
  test("signs what the policy allows, and names the rule and value that refused", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { policy: POLICY });
    assert.equal(outcome(await program.sign(permit(app, "60"))), "200 signed");
    const refused = await program.sign(permit(app, "61"));
    assert.equal(outcome(refused), "403 policy_denied");
    const { policy, rule, value, reason } = refused.body;
    assert.deepEqual(
      { policy, rule, value, reason },
      {
        policy: "token",
        rule: "/typedData/0/where/~1value/atMost",
        value: "/message/value",
        reason: "The value at /message/value is not an integer from 0 to 60",
      },
    );
    assert.equal(outcome(await program.post("sign", { message: "hello" })), "403 policy_denied");
    assert.equal(
      outcome(await program.post("sign", { message: "0x00", format: "raw" })),
      "403 policy_denied",
    );
  });

  test("does not bind the owner or another token", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    await newProgram(app, person, keyId, { policy: POLICY });
    const other = await newProgram(app, person, keyId, { policy: { version: 1, messages: "any" } });
    const free = await newProgram(app, person, keyId, {});
    assert.equal((await person.post(`/api/keys/${keyId}/sign`, { message: "hello" })).status, 200);
    assert.equal(outcome(await other.post("sign", { message: "hello" })), "200 signed");
    assert.equal(outcome(await other.sign(permit(app, "1"))), "403 policy_denied");
    assert.equal(outcome(await free.sign(permit(app, "1000"))), "200 signed");
  });

  test("is shown with its policy in canonical form and as sentences, and logged with the policy's hash", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    await newProgram(app, person, keyId, { policy: { version: 1, messages: "any" } });
    const [token] = (await person.get(TOKENS)).body.tokens;
    assert.deepEqual(token.policy.messages, { signIn: [], text: "allow", bytes: "allow" });
    assert.equal(token.policy.raw, "deny");
    assert.deepEqual(token.policyWords.at(-1), "Nothing else.");
    const { events } = (await person.get("/api/audit")).body;
    const created = events.find(({ event }: { event: string }) => event === "token_created");
    assert.match(created.detail.policy, /^0x[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(created).includes("messages"));
  });

  test("cannot be created with an invalid policy, and the error has a pointer", async () => {
    await using app = await createTestApp();
    const { person } = await newPerson(app);
    const terms = { name: "Bot", keys: "all", actions: ["sign"] };
    const answer = await person.post(TOKENS, { ...terms, policy: { version: 1, raw: "perhaps" } });
    assert.equal(outcome(answer), "400 invalid_request");
    assert.equal(answer.body.errors[0].path, "/policy/raw");
  });

  test("can get a narrower policy, and no wider one", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, {});
    const change = (policy: unknown) => setPolicy(person, program, policy);
    assert.equal((await change(POLICY)).status, 200);
    assert.equal(outcome(await program.post("sign", { message: "hello" })), "403 policy_denied");
    const rule = POLICY.typedData[0]!;
    const narrower = {
      ...POLICY,
      typedData: [{ ...rule, where: { ...rule.where, "/value": { atMost: "5" } } }],
      perDay: 3,
    };
    assert.equal((await change(narrower)).status, 200);
    assert.equal(outcome(await program.sign(permit(app, "6"))), "403 policy_denied");
    assert.equal(outcome(await program.sign(permit(app, "5"))), "200 signed");
    for (const wider of [POLICY, null, { ...narrower, perDay: 4 }, { ...narrower, messages: "any" }]) {
      const answer = await change(wider);
      assert.equal(outcome(answer), "400 invalid_request");
      assert.equal(answer.body.errors[0].path, "/policy");
    }
    const { events } = (await person.get("/api/audit")).body;
    const changed = events.filter(({ event }: { event: string }) => event === "token_changed");
    assert.deepEqual(changed.map(({ detail }: { detail: { members: string } }) => detail.members), [
      "policy",
      "policy",
    ]);
    assert.notEqual(changed[0].detail.policy, changed[1].detail.policy);
  });

  test("is checked against the policy in force when the body is complete", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, {});
    const held = holdBody('{"message":"hello"}');
    const { host } = new URL(person.origin);
    const headers = { host, authorization: program.authorization, "content-type": "application/json" };
    const init = { method: "POST", headers, body: held.stream, duplex: "half" } as RequestInit;
    const request = new Request(`${person.origin}/api/keys/${keyId}/sign`, init);
    const answer = app.app(request, { clientAddress: "192.0.2.9" });
    await Promise.race([held.read, answer]);
    await setPolicy(person, program, POLICY);
    held.release();
    assert.equal((await answer).status, 403);
  });
});

describe("counting under a policy", () => {
  test("a budget is used to the last unit, and is full again the next day", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { policy: POLICY });
    const values = ["60", "39", "2", "1", "1"];
    const answers: string[] = [];
    for (const value of values) answers.push(outcome(await program.sign(permit(app, value))));
    const no = "403 policy_denied";
    assert.deepEqual(answers, ["200 signed", "200 signed", no, "200 signed", no]);
    const { body } = await program.sign(permit(app, "1"));
    assert.equal(body.rule, "/budgets/usdc");
    app.now += DAY;
    assert.equal(outcome(await program.sign(permit(app, "60"))), "200 signed");
  });

  test("the page of the tokens shows what is used up, as a bar", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { policy: POLICY });
    await newProgram(app, person, keyId, { name: "Free" });
    assert.equal(outcome(await program.sign(permit(app, "39"))), "200 signed");
    const { text } = await person.get("/developer");
    assert.match(text, /Budget “usdc”: 0\.000039 USDC of 0\.0001 USDC in a day \(UTC\)/);
    assert.deepEqual(text.match(/<meter value="[^"]*"/g), ['<meter value="0.39"']);
  });

  test("each token has its own budget", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const [one, two] = [
      await newProgram(app, person, keyId, { policy: POLICY }),
      await newProgram(app, person, keyId, { policy: POLICY }),
    ];
    for (const program of [one, two]) {
      assert.equal(outcome(await program.sign(permit(app, "60"))), "200 signed");
      assert.equal(outcome(await program.sign(permit(app, "60"))), "403 policy_denied");
    }
  });

  test("requests at once are counted one by one", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, {
      policy: { ...POLICY, perMinute: 50, perDay: 50 },
    });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, nonce) => program.sign(permit(app, "7", { nonce: String(nonce) }))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 14);
    assert.equal(answers.filter(({ status }) => status === 403).length, 26);
  });

  test("signatures are counted in a minute and in a day", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const policy = { version: 1, messages: "any", perMinute: 2, perDay: 3 };
    const program = await newProgram(app, person, keyId, { policy });
    const sign = async () => outcome(await program.post("sign", { message: "hello" }));
    assert.deepEqual([await sign(), await sign(), await sign()], [
      "200 signed",
      "200 signed",
      "403 policy_denied",
    ]);
    app.now += 60_000;
    assert.deepEqual([await sign(), await sign()], ["200 signed", "403 policy_denied"]);
    app.now += 60_000;
    assert.equal((await program.post("sign", { message: "hello" })).body.rule, "/perDay");
  });

  test("a refused or failed request is not counted", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { policy: POLICY });
    const { keyId: foreign } = await newPerson(app, "bob@example.com");
    for (let turn = 0; turn < 3; turn++) {
      assert.equal((await program.sign(permit(app, "61"))).status, 403);
      assert.equal((await program.sign({ ...permit(app, "60"), primaryType: "None" })).status, 400);
    }
    assert.equal((await program.post(`../${foreign}/sign-typed-data`, permit(app, "60"))).status, 404);
    await person.post(`/api/keys/${keyId}/archive`, {});
    assert.equal((await program.sign(permit(app, "60"))).status, 409);
    await person.post(`/api/keys/${keyId}/unarchive`, {});
    assert.equal(outcome(await program.sign(permit(app, "60"))), "200 signed");
    assert.equal(outcome(await program.sign(permit(app, "40"))), "200 signed");
  });

  test("an explanation states the decision, and counts nothing", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { policy: POLICY });
    const explain = (value: string) => program.post("explain", permit(app, value));
    const before = await app.db.selectFrom("policy_use").selectAll().execute();
    assert.equal(before.length, 1);
    for (let turn = 0; turn < 3; turn++) {
      const { body } = await explain("60");
      assert.deepEqual(body.decision, {
        policy: "token",
        outcome: "allow",
        rule: "/typedData/0",
        value: null,
        reason: "A rule of the policy allows this",
      });
    }
    assert.equal((await explain("61")).body.decision.outcome, "deny");
    assert.deepEqual(await app.db.selectFrom("policy_use").selectAll().execute(), before);
    await program.sign(permit(app, "60"));
    assert.equal((await explain("60")).body.decision.rule, "/budgets/usdc");
    assert.equal((await explain("40")).body.decision.outcome, "allow");
    const own = await person.post(`/api/keys/${keyId}/explain`, permit(app, "61"));
    assert.deepEqual([own.body.decision.outcome, own.body.decision.policy], ["allow", null]);
  });

  test("a token that may not sign gets that from an explanation", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { actions: ["read"] });
    const { body } = await program.post("explain", { message: "hello" });
    assert.equal(body.decision.outcome, "deny");
  });

  test("a rule that requires approval signs and counts only after the approval", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const policy = { version: 1, messages: { text: "ask" }, perDay: 1 };
    const program = await newProgram(app, person, keyId, { policy });
    assert.equal((await program.post("explain", { message: "hello" })).body.decision.outcome, "ask");
    const asked = [];
    for (const message of ["one", "two"]) {
      const answer = await program.post("sign", { message });
      assert.deepEqual([answer.status, answer.body.signature], [202, undefined]);
      asked.push(answer.body.request.id);
    }
    assert.equal((await approve(person, asked[0])).status, 200);
    assert.equal((await program.post("explain", { message: "two" })).body.decision.outcome, "deny");
  });
});

describe("rows of policies that an attacker edits in the database", () => {
  test("a token whose policy was removed or loosened is not used", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { policy: POLICY });
    const { policy } = await app.db.selectFrom("api_token").select("policy").executeTakeFirstOrThrow();
    for (const forged of [null, policy!.replace('"atMost":"60"', '"atMost":"99"')]) {
      await app.db.updateTable("api_token").set({ policy: forged }).execute();
      for (const drop of [() => {}, () => dropMemory(app.db)]) {
        drop();
        assertInconsistent(await program.sign(permit(app, "60")));
      }
    }
    await app.db.updateTable("api_token").set({ policy }).execute();
    assert.equal(outcome(await program.sign(permit(app, "60"))), "200 signed");
  });

  test("a restored token with a wider policy is not used", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, {});
    const before = await app.db.selectFrom("api_token").selectAll().executeTakeFirstOrThrow();
    await setPolicy(person, program, POLICY);
    await app.db.updateTable("api_token").set(before).execute();
    assertInconsistent(await program.post("sign", { message: "hello" }));
    dropMemory(app.db);
    assertInconsistent(await program.post("sign", { message: "hello" }));
  });

  test("edited, deleted, swapped or restored counts prevent signatures", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const program = await newProgram(app, person, keyId, { policy: POLICY });
    const other = await newProgram(app, person, keyId, { policy: POLICY });
    const rows = () => app.db.selectFrom("policy_use").selectAll();
    const fresh = await rows().where("holder_id", "=", program.tokenId).executeTakeFirstOrThrow();
    const foreign = await rows().where("holder_id", "=", other.tokenId).executeTakeFirstOrThrow();
    assert.equal(outcome(await program.sign(permit(app, "60"))), "200 signed");
    const spent = await rows().where("holder_id", "=", program.tokenId).executeTakeFirstOrThrow();
    const edits: readonly object[] = [
      { counts: "[0,{}]" },
      { counts: foreign.counts, mac: foreign.mac },
      { ...fresh },
      { expires_at: null },
    ];
    for (const edit of edits) {
      await app.db.updateTable("policy_use").set(edit).where("holder_id", "=", program.tokenId).execute();
      assertInconsistent(await program.sign(permit(app, "60")));
      await app.db.updateTable("policy_use").set(spent).where("holder_id", "=", program.tokenId).execute();
    }
    assert.equal(outcome(await program.sign(permit(app, "40"))), "200 signed");
    assert.equal(outcome(await other.sign(permit(app, "60"))), "200 signed");
    await app.db.deleteFrom("policy_use").where("holder_id", "=", program.tokenId).execute();
    assert.equal(outcome(await program.sign(permit(app, "1"))), "403 policy_denied");
  });

  test("counts are deleted with their token", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await newPerson(app);
    const { tokenId } = await newProgram(app, person, keyId, { policy: POLICY });
    await person.request("DELETE", `${TOKENS}/${tokenId}`);
    assert.deepEqual(await app.db.selectFrom("policy_use").selectAll().execute(), []);
  });
});
