import assert from "node:assert/strict";
import { test } from "node:test";
import { keccak256, toHex } from "viem";
import { createTestApp } from "../../support/app.ts";
import { approve, codeOf } from "../../support/asking.ts";
import type { Answer } from "../../support/client.ts";
import { signUp } from "../../support/client.ts";
import { createProver } from "../../support/dpop.ts";
import type { ProvingProgram } from "../../support/dpop.ts";
import {
  askToken,
  authorizeApplication,
  detailsOf,
  programWith,
  registerKeyClient,
} from "../../support/key-application.ts";
import { providerOf } from "../../support/oauth.ts";

const prover = await createProver();

const CONTRACT = "0x00000000000000000000000000000000000000aa";
const TEXTS = { version: 1, messages: { text: "allow" } };
const POLICY = {
  ...TEXTS,
  typedData: [{
    chainId: "1",
    verifyingContract: CONTRACT,
    typeHash: keccak256(toHex("Pay(uint256 value)")),
    spends: [{ budget: "paid", path: "/value" }],
  }],
  budgets: { paid: { perDay: "100" } },
};

function pay(program: ProvingProgram, keyId: string, value: string): Promise<Answer> {
  const body = {
    types: {
      EIP712Domain: [{ name: "chainId", type: "uint256" }, { name: "verifyingContract", type: "address" }],
      Pay: [{ name: "value", type: "uint256" }],
    },
    primaryType: "Pay",
    domain: { chainId: 1, verifyingContract: CONTRACT },
    message: { value },
  };
  return program.send("POST", `/api/keys/${keyId}/sign-typed-data`, { body });
}

test("an approval counts by the narrower token that asked, not by the grant", async () => {
  await using app = await createTestApp();
  const client = await registerKeyClient(providerOf(app));
  const person = app.client();
  const keyId = (await signUp(person, "ada@example.com")).body.key.id;
  const asking = { version: 1, messages: { text: "ask" } };
  const { tokens, program } = await authorizeApplication(app, {
    person,
    client,
    prover,
    requestedRights: { scope: "openid keys:read keys:sign", authorization_details: detailsOf(asking) },
    agreement: { keys: [keyId], rules: ["text"] },
  });
  const refreshed = await askToken(app, client, {
    grant_type: "refresh_token",
    refresh_token: tokens["refresh_token"]!,
    authorization_details: detailsOf({ ...asking, perDay: 1 }),
  }, prover);
  assert.equal(refreshed.status, 200, refreshed.text);
  const narrow = programWith(app, prover, refreshed.body.access_token);
  const pending = async (by: ProvingProgram, message: string): Promise<string> => {
    const answer = await by.send("POST", `/api/keys/${keyId}/sign`, { body: { message } });
    assert.equal(answer.status, 202, answer.text);
    return answer.body.request.id;
  };
  const ids = [await pending(narrow, "one"), await pending(narrow, "two")];
  const wide = await pending(program, "three");
  assert.equal((await approve(person, ids[0]!)).status, 200);
  const second = await approve(person, ids[1]!);
  assert.deepEqual([codeOf(second), second.body.rule], ["409 limit_used_up", "/perDay"]);
  assert.match((await person.get(`/requests/${ids[1]}`)).text, /limits of the policy are used up/);
  assert.equal((await approve(person, wide)).status, 200, "the grant itself has no such limit");
});

test("an application's narrower tokens count towards its grant, and none resets a budget", async () => {
  await using app = await createTestApp();
  const client = await registerKeyClient(providerOf(app));
  const person = app.client();
  const keyId = (await signUp(person, "ada@example.com")).body.key.id;
  const requestedRights = { scope: "openid keys:read keys:sign", authorization_details: detailsOf(POLICY) };
  const agreement = { keys: [keyId], rules: ["text", "typedData/0"] };
  const { tokens, program } = await authorizeApplication(app, {
    person,
    client,
    prover,
    requestedRights,
    agreement,
  });
  let refreshToken = tokens["refresh_token"]!;
  const refresh = async (policy: object): Promise<Answer> => {
    const form = { grant_type: "refresh_token", refresh_token: refreshToken };
    const answer = await askToken(app, client, { ...form, authorization_details: detailsOf(policy) }, prover);
    if (answer.status === 200) refreshToken = answer.body.refresh_token;
    return answer;
  };
  const greet = (by: ProvingProgram): Promise<Answer> =>
    by.send("POST", `/api/keys/${keyId}/sign`, { body: { message: "hello" } });

  const bars = async (): Promise<readonly string[] | null> =>
    (await person.get("/account")).text.match(/<meter value="[^"]*"/g);
  assert.deepEqual(await bars(), ['<meter value="0"']);
  assert.equal((await pay(program, keyId, "100")).status, 200);
  assert.deepEqual(await bars(), ['<meter value="1"'], "the account page shows what is used up");
  assert.equal((await pay(program, keyId, "1")).status, 403);
  const narrow = programWith(app, prover, (await refresh({ ...TEXTS, perDay: 2 })).body.access_token);
  assert.equal((await greet(narrow)).status, 200);
  assert.equal(
    (await pay(program, keyId, "1")).status,
    403,
    "a narrower token's signatures are counted",
  );

  assert.equal((await greet(narrow)).status, 200);
  assert.equal((await greet(program)).status, 200);
  assert.equal((await greet(narrow)).status, 403, "nor does the wider one give the narrower one anything");

  const own = await refresh({ ...TEXTS, budgets: { own: { perDay: "1" } } });
  assert.equal(own.body.error, "invalid_authorization_details");
});
