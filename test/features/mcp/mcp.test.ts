import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callModern, connect, ERAS, messageOf, setStage } from "./stage.ts";
import type { Json, Stage } from "./stage.ts";

const NAMES = [
  "list_keys",
  "explain",
  "sign_message",
  "sign_typed_data",
  "sign_transaction",
  "sign_authorization",
  "get_signing_request",
  "withdraw_signing_request",
];
const URLS = { capabilities: { elicitation: { url: {} } } };

async function approvedBy(stage: Stage, requestId: string): Promise<void> {
  const { body } = await stage.owner.get(`/api/signing-requests/${requestId}`);
  assert.equal(body.request.status, "pending");
  const declined = await stage.owner.post(`/api/signing-requests/${requestId}/decline`, { word: "Not now" });
  assert.equal(declined.status, 200, declined.text);
}

for (const [era, pin] of ERAS) {
  test(`the SDK's client of ${era} lists the tools, reads, explains, signs, is asked and is refused`, async () => {
    await using stage = await setStage({ template: "sign-in", "value:sign-in:site": "shop.example" });
    const client = await connect(stage, pin);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), NAMES);
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) =>
      name
    );
    assert.deepEqual(readOnly, ["list_keys", "explain", "get_signing_request"]);
    const { inputSchema } = tools.find(({ name }) => name === "sign_message")!;
    assert.deepEqual(Object.keys(inputSchema.properties!), [
      "keyId",
      "message",
      "format",
      "encoding",
      "purpose",
    ]);
    assert.deepEqual(inputSchema.required, ["keyId", "message"]);

    const { keyId } = stage;
    const keys = await client.callTool({ name: "list_keys", arguments: {} });
    const listed = keys.structuredContent as { keys: { id: string; address: string }[] };
    assert.deepEqual(listed.keys.map(({ id }) => id), [keyId]);
    const given = { keyId, message: "hello" };
    const explained = await client.callTool({ name: "explain", arguments: given });
    assert.equal((explained.structuredContent as Json).decision.outcome, "deny");
    const refused = await client.callTool({ name: "sign_message", arguments: given });
    assert.equal(refused.isError, true);
    const { code, rule, value, reason } = refused.structuredContent as Json;
    assert.deepEqual([code, rule, value], ["policy_denied", "/messages/text", null]);
    assert.equal(typeof reason, "string");
    const siwe = [
      "shop.example wants you to sign in with your Ethereum account:",
      listed.keys[0]!.address,
      "",
      "",
      "URI: https://shop.example/",
      "Version: 1",
      "Chain ID: 1",
      "Nonce: abcdefgh",
      "Issued At: 2026-01-31T09:30:00Z",
    ].join("\n");
    const signed = await client.callTool({ name: "sign_message", arguments: { keyId, message: siwe } });
    assert.match((signed.structuredContent as Json).signature, /^0x[0-9a-f]{130}$/, JSON.stringify(signed));
    await client.close();
  });
}

describe("a request that waits for the owner", () => {
  test("is no error, has the page and says which tool to call; the purpose is shown as the agent's claim", async () => {
    await using stage = await setStage();
    const given = { keyId: stage.keyId, message: "hello", purpose: "Your bank asks" };
    const result = await callModern(stage, { name: "sign_message", arguments: given });
    const { request, url } = result.structuredContent;
    assert.equal(result.isError, undefined);
    assert.deepEqual([request.status, request.purpose], ["pending", "Your bank asks"]);
    assert.equal(url, `${stage.origin}/requests/${request.id}`);
    assert.match(result.content[0].text, /get_signing_request/);
    const page = await stage.owner.get(`/requests/${request.id}`);
    assert.match(page.text, /It says why: <bdi>Your bank asks<\/bdi>\. That is its own claim\./);
    const asked = { name: "get_signing_request", arguments: { requestId: request.id } };
    assert.equal((await callModern(stage, asked)).structuredContent.request.status, "pending");
    const withdrawn = await callModern(stage, {
      name: "withdraw_signing_request",
      arguments: { requestId: request.id },
    });
    assert.deepEqual(withdrawn.structuredContent, { success: true });
    assert.equal((await callModern(stage, asked)).structuredContent.request.status, "withdrawn");
  });

  test("goes as a link to a client that opens links; accept decides nothing, the owner does", async () => {
    await using stage = await setStage();
    const call = { name: "sign_message", arguments: { keyId: stage.keyId, message: "hello" } };
    const first = await callModern(stage, call, URLS);
    assert.equal(first.resultType, "input_required");
    const { method, params } = first.inputRequests.approval;
    assert.deepEqual([method, params.mode], ["elicitation/create", "url"]);
    const id = params.url.split("/").at(-1);
    assert.equal(params.url, `${stage.origin}/requests/${id}`);
    assert.ok(!first.requestState.includes(id));
    const again = {
      ...call,
      requestState: first.requestState,
      inputResponses: { approval: { action: "accept" } },
    };
    for (let round = 0; round < 2; round++) {
      const { structuredContent, isError } = await callModern(stage, again, URLS);
      assert.deepEqual([structuredContent.request.id, structuredContent.request.status, isError], [
        id,
        "pending",
        undefined,
      ]);
    }
    await approvedBy(stage, id);
    const declined = await callModern(stage, again, URLS);
    assert.equal(declined.isError, true);
    assert.deepEqual(declined.structuredContent, {
      code: "signing_request_over",
      rule: null,
      value: null,
      reason: "Not now",
    });
  });

  test("binds requestState to the grant and the arguments", async () => {
    await using stage = await setStage();
    const call = { name: "sign_message", arguments: { keyId: stage.keyId, message: "hello" } };
    const { requestState } = await callModern(stage, call, URLS);
    const other = await stage.letIn();
    const wrong = [
      [{ ...call, arguments: { ...call.arguments, message: "other" }, requestState }, stage.token],
      [{ ...call, requestState }, other],
      [{ ...call, requestState: requestState.slice(0, -4) + "AAAA" }, stage.token],
      [{ ...call, requestState: "x" }, stage.token],
    ] as const;
    for (const [params, token] of wrong) {
      const result = await callModern(stage, params, { ...URLS, token });
      assert.deepEqual([result.isError, result.structuredContent.code], [true, "invalid_request"]);
    }
  });
});

describe("/mcp refuses", () => {
  const LIST = { method: "tools/list" };

  test("requests without a token, with another audience and with an API token, as HTTP 401 with the metadata", async () => {
    await using stage = await setStage();
    const anonymous = await stage.app.client().post("/mcp", { jsonrpc: "2.0", id: 1, ...LIST });
    assert.equal(anonymous.status, 401);
    const challenge = anonymous.headers.get("www-authenticate")!;
    const metadata = `${stage.origin}/.well-known/oauth-protected-resource/mcp`;
    assert.ok(
      challenge.startsWith(
        `Bearer realm="mcp", resource_metadata="${metadata}", scope="keys:read keys:sign"`,
      ),
    );
    for (const token of ["a.b.c", `hfst_${"0".repeat(26)}_${"a".repeat(49)}`]) {
      assert.equal((await stage.send(LIST, {}, token)).status, 401);
    }
    const atApi = await stage.app.client().get("/api/keys", {
      headers: { authorization: `Bearer ${stage.token}` },
    });
    assert.equal(atApi.status, 401);
  });

  test("pages of other origins with 403, and every method but POST with 405", async () => {
    await using stage = await setStage();
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:3000"]) {
      assert.equal((await stage.send(LIST, { origin })).status, 403, origin);
    }
    assert.equal((await stage.send(LIST, { origin: stage.origin })).status, 200);
    for (const method of ["GET", "DELETE"]) {
      const headers = { authorization: `Bearer ${stage.token}` };
      assert.equal((await stage.app.client().request(method, "/mcp", { headers })).status, 405);
    }
  });

  test("a sign tool without keys:sign with 403 insufficient_scope and both scopes", async () => {
    await using stage = await setStage();
    const token = await stage.letIn({}, "keys:read");
    const call = {
      method: "tools/call",
      params: { name: "sign_message", arguments: { keyId: stage.keyId, message: "a" } },
    };
    const { status, headers } = await stage.send(call, {}, token);
    assert.equal(status, 403);
    assert.match(headers.get("www-authenticate")!, /error="insufficient_scope".*scope="keys:read keys:sign"/);
    const keys = await callModern(stage, { name: "list_keys", arguments: {} }, { token });
    assert.equal(keys.structuredContent.keys.length, 1);
  });

  test("unknown tools, wrong arguments, foreign keys and wrong purposes as results with isError", async () => {
    await using stage = await setStage();
    const { keyId } = stage;
    const wrong = [
      ["unknown_tool", {}, "not_found"],
      ["list_keys", { keyId }, "invalid_request"],
      ["sign_message", { message: "a" }, "invalid_request"],
      ["sign_message", { keyId }, "invalid_request"],
      ["sign_message", { keyId, message: "a", more: 1 }, "invalid_request"],
      ["sign_message", { keyId: "key_x", message: "a" }, "not_found"],
      ["sign_message", { keyId: "../audit", message: "a" }, "not_found"],
      ["sign_message", { keyId, message: "a", purpose: "" }, "invalid_request"],
      ["sign_message", { keyId, message: "a", purpose: "p".repeat(501) }, "invalid_request"],
      ["sign_message", { keyId, message: "a", purpose: 1 }, "invalid_request"],
      ["sign_transaction", { keyId, type: "eip1559" }, "invalid_transaction"],
      ["get_signing_request", { requestId: "signing_x" }, "not_found"],
    ] as const;
    for (const [name, given, code] of wrong) {
      const { isError, structuredContent } = await callModern(stage, { name, arguments: given });
      assert.deepEqual([isError, structuredContent.code], [true, code], `${name} ${JSON.stringify(given)}`);
      assert.deepEqual(Object.keys(structuredContent).sort(), ["code", "reason", "rule", "value"]);
    }
  });

  test("a token whose grant was withdrawn", async () => {
    await using stage = await setStage();
    assert.equal(messageOf(await stage.send(LIST)).result.tools.length, 8);
    const { body } = await stage.owner.get("/api/auth/grants");
    await stage.owner.request("DELETE", `/api/auth/grants/${body.grants[0].clientId}`);
    assert.equal((await stage.send(LIST)).status, 401);
  });
});
