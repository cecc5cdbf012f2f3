import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyMessage } from "viem";
import { approve } from "../../support/asking.ts";
import { connect, ERAS, type Json, setStage } from "./stage.ts";

type Call = (name: string, given: Json) => Promise<{ readonly isError: boolean; readonly content: Json }>;

const ADDRESS = "0x000000000000000000000000000000000000dEaD";

/** A request for each tool that signs. */
const OF_EVERY_KIND: Readonly<Record<string, Json>> = {
  sign_message: { message: "hello" },
  sign_typed_data: {
    types: {
      EIP712Domain: [{ name: "chainId", type: "uint256" }, { name: "verifyingContract", type: "address" }],
      Note: [{ name: "lines", type: "Line[]" }],
      Line: [{ name: "text", type: "string" }],
    },
    primaryType: "Note",
    domain: { chainId: 1, verifyingContract: ADDRESS },
    message: { lines: [{ text: "hello" }] },
  },
  sign_transaction: {
    type: "eip1559",
    chainId: 1,
    nonce: 0,
    to: ADDRESS,
    value: "1000000000000000",
    gas: 21000,
    maxFeePerGas: "30000000000",
    maxPriorityFeePerGas: "1000000000",
  },
  sign_authorization: { chainId: 1, address: ADDRESS, nonce: 0 },
};

for (const [era, pin] of ERAS) {
  test(`an agent of ${era} asks, the owner approves with the passkey, and the agent gets the signature`, async () => {
    await using stage = await setStage();
    const { owner, keyId, origin } = stage;
    const client = await connect(stage, pin);
    // The client validates each result by the schema in this list.
    await client.listTools();
    const call: Call = async (name, given) => {
      const { isError = false, structuredContent } = await client.callTool({ name, arguments: given });
      return { isError, content: structuredContent };
    };
    const statusOf = async (requestId: string): Promise<string> =>
      (await call("get_signing_request", { requestId })).content.request.status;

    const given = { keyId, message: "hello", purpose: "To greet" };
    const explained = await call("explain", { keyId, message: "hello" });
    assert.equal(explained.content.decision.outcome, "ask");
    const asked = await call("sign_message", given);
    const { request, url } = asked.content;
    assert.deepEqual([asked.isError, request.status, request.purpose], [false, "pending", "To greet"]);
    assert.equal(url, `${origin}/requests/${request.id}`);
    assert.equal((await owner.get(new URL(url).pathname)).status, 200);
    assert.equal(await statusOf(request.id), "pending");

    const approved = await approve(owner, request.id);
    assert.equal(approved.status, 200, approved.text);
    const signed = (await call("get_signing_request", { requestId: request.id })).content.request;
    assert.equal(signed.status, "signed");
    const { address, signature } = signed.signed;
    assert.ok(await verifyMessage({ address, message: "hello", signature }));

    const withdrawn = (await call("sign_message", { keyId, message: "never mind" })).content.request.id;
    const { content } = await call("withdraw_signing_request", { requestId: withdrawn });
    assert.deepEqual(content, { success: true });
    assert.equal(await statusOf(withdrawn), "withdrawn");
    assert.equal((await approve(owner, withdrawn).catch(() => undefined))?.status ?? 409, 409);
    await client.close();
  });

  test(`an agent of ${era} gets explanations and signatures of every kind, as the tools' schemas say`, async () => {
    await using stage = await setStage();
    const { owner, keyId } = stage;
    const client = await connect(stage, pin);
    const { tools } = await client.listTools();
    assert.ok(tools.every(({ outputSchema }) => outputSchema?.type === "object"));
    for (const [name, given] of Object.entries(OF_EVERY_KIND)) {
      const explained = await client.callTool({ name: "explain", arguments: { keyId, ...given } });
      assert.equal((explained.structuredContent as Json).decision.outcome, "ask", JSON.stringify(explained));
      const asked = await client.callTool({ name, arguments: { keyId, ...given } });
      const requestId = (asked.structuredContent as Json).request.id;
      assert.equal((await approve(owner, requestId)).status, 200, name);
      const got = await client.callTool({ name: "get_signing_request", arguments: { requestId } });
      assert.equal((got.structuredContent as Json).request.status, "signed", name);
    }
    await client.close();
  });

  test(`an agent of ${era} that leaves its policy gets code, rule, value and reason`, async () => {
    await using stage = await setStage({ template: "sign-in", "value:sign-in:site": "shop.example" });
    const client = await connect(stage, pin);
    await client.listTools();
    const { keyId } = stage;
    for (const [name, given] of Object.entries(OF_EVERY_KIND)) {
      const result = await client.callTool({ name, arguments: { keyId, ...given } });
      assert.equal(result.isError, true, name);
      const refusal = result.structuredContent as Json;
      assert.deepEqual(Object.keys(refusal).sort(), ["code", "reason", "rule", "value"], name);
      assert.equal(refusal.code, "policy_denied", JSON.stringify(refusal));
      assert.match(refusal.rule, /^\//);
      assert.ok(refusal.reason.length > 10);
    }
    await client.close();
  });
}
