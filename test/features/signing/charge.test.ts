import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import { type Answer, signUp } from "../../support/client.ts";

const KIB = 1024;

async function open() {
  const app = await createTestApp({ rateLimits: "on" });
  const owner = app.client();
  const { key } = (await signUp(owner, "ada@example.com")).body;
  const program = app.client("192.0.2.9");
  const left = async (): Promise<number> => {
    const { headers } = await owner.post(`/api/keys/${key.id}/sign`, { message: "hello" });
    return Number(/"sign";r=(\d+)/.exec(headers.get("ratelimit") ?? "")![1]);
  };
  const tokenFor = async (actions: readonly string[]): Promise<{ authorization: string }> => {
    const { body } = await owner.post("/api/auth/tokens", { name: "Bot", keys: "all", actions });
    return { authorization: `Bearer ${body.text}` };
  };
  const signs = await tokenFor(["read", "sign"]);
  const send = (path: string, body: string | object, headers: Record<string, string> = signs) =>
    typeof body === "string"
      ? program.post(path, undefined, { text: body, headers })
      : program.post(path, body, { headers });
  return {
    key: key as { readonly id: string; readonly address: string },
    owner,
    tokenFor,
    send,
    rpc: (body: string | object, headers?: Record<string, string>) => send("/api/rpc", body, headers),
    /** Returns the code of the refusal, and how much of the owner's `sign` limit it took. */
    costOf: async (attempt: () => Promise<Answer>): Promise<readonly [code: unknown, taken: number]> => {
      const before = await left();
      const { body } = await attempt();
      const refusal = body?.error?.data ?? body?.error ?? body;
      // Reading what is left takes one.
      return [refusal?.code, before - await left() - 1];
    },
    useUp: async () => {
      const { id } = await app.db.selectFrom("account").select("id").executeTakeFirstOrThrow();
      const row = { name: "sign", subject: id, full_at: app.now + 60_000 };
      await app.db.insertInto("rate_limit").values(row).onConflict((conflict) =>
        conflict.columns(["name", "subject"]).doUpdateSet({ full_at: row.full_at })
      ).execute();
    },
    fullAt: async () =>
      (await app.db.selectFrom("rate_limit").select("full_at").where("name", "=", "sign").execute())
        .map(({ full_at }) => full_at),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

function call(method: string, ...params: readonly unknown[]): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}

describe("a refusal before there is anything to sign takes of the sign limit", () => {
  test("one for what cannot be parsed", async () => {
    await using stage = await open();
    const { key: { id, address }, send, rpc, costOf } = stage;
    for (const kind of ["sign", "sign-typed-data", "sign-transaction", "sign-authorization"]) {
      const path = `/api/keys/${id}/${kind}`;
      assert.deepEqual(await costOf(() => send(path, "{")), ["invalid_json", 1], kind);
    }
    assert.deepEqual(await costOf(() => send(`/api/v1/eth1/sign/${address}`, "{}")), ["invalid_request", 1]);
    const typed = [{}, "{", "[]"].map((typedData) => call("eth_signTypedData_v4", address, typedData));
    const codes = ["invalid_typed_data", "invalid_json", "invalid_typed_data"];
    for (const [index, body] of typed.entries()) {
      assert.deepEqual(await costOf(() => rpc(body)), [codes[index], 1]);
    }
    assert.deepEqual(await costOf(() => rpc(call("personal_sign", "no hex", address))), [
      "invalid_request",
      1,
    ]);
    assert.deepEqual(await costOf(() => rpc(call("personal_sign", "0x", "me"))), ["invalid_request", 1]);
  });

  test("one for a token without the right, and for a key that is not there or archived", async () => {
    await using stage = await open();
    const { key: { id, address }, owner, send, rpc, costOf, tokenFor } = stage;
    const reads = await tokenFor(["read"]);
    const message = { message: "hello" };
    const scope = ["insufficient_scope", 1];
    assert.deepEqual(await costOf(() => send(`/api/keys/${id}/sign`, message, reads)), scope);
    assert.deepEqual(await costOf(() => send(`/api/v1/eth1/sign/${address}`, { data: "0x" }, reads)), scope);
    assert.deepEqual(await costOf(() => rpc(call("personal_sign", "0x", address), reads)), scope);
    const creates = await tokenFor(["create"]);
    assert.deepEqual(await costOf(() => rpc(call("eth_accounts"), creates)), scope);
    const elsewhere = "0x000000000000000000000000000000000000dEaD";
    assert.deepEqual(await costOf(() => send("/api/keys/key_none/sign", message)), ["not_found", 1]);
    assert.deepEqual(await costOf(() => rpc(call("personal_sign", "0x", elsewhere))), ["not_found", 1]);
    const { key: other } = (await owner.post("/api/keys/generate", {})).body;
    await owner.post(`/api/keys/${other.id}/archive`);
    assert.deepEqual(await costOf(() => send(`/api/keys/${other.id}/sign`, message)), ["key_archived", 1]);
  });

  test("one for a call that JSON-RPC itself refuses, each in a batch", async () => {
    await using stage = await open();
    const { rpc, costOf } = stage;
    assert.deepEqual(await costOf(() => rpc(call("eth_sendTransaction"))), [-32601, 1]);
    assert.deepEqual(await costOf(() => rpc(call("eth_sign"))), [-32004, 1]);
    assert.deepEqual(await costOf(() => rpc({ id: 1 })), [-32600, 1]);
    assert.deepEqual(await costOf(() => rpc({ jsonrpc: "2.0", id: 1, method: "a", params: {} })), [
      -32602,
      1,
    ]);
    assert.deepEqual(await costOf(() => rpc("{")), [-32700, 1]);
    assert.deepEqual(await costOf(() => rpc([])), [-32600, 1]);
    assert.deepEqual(await costOf(() => rpc(Array(50).fill(call("eth_sign")))), [undefined, 50]);
  });

  test("one for each millisecond of a long body or text", async () => {
    await using stage = await open();
    const { key: { id, address }, send, rpc, costOf } = stage;
    const text = "{".padEnd(640 * KIB);
    assert.deepEqual(await costOf(() => send(`/api/keys/${id}/sign`, text)), ["invalid_json", 6]);
    assert.deepEqual(await costOf(() => rpc(text)), [-32700, 6]);
    const typed = call("eth_signTypedData_v4", address, text);
    assert.deepEqual(await costOf(() => rpc(typed)), ["invalid_json", 5]);
  });

  test("nothing for what is answered or not executed", async () => {
    await using stage = await open();
    const { key: { address }, rpc, costOf } = stage;
    for (const method of ["eth_accounts", "eth_chainId"]) {
      assert.deepEqual(await costOf(() => rpc(call(method))), [undefined, 0]);
    }
    assert.deepEqual(await costOf(() => rpc({ jsonrpc: "2.0", method: "eth_sign" })), [undefined, 0]);
    const long = call("personal_sign", "0x" + "00".repeat(200 * KIB), address);
    assert.deepEqual(await costOf(() => rpc(long)), [undefined, 1], "a signature takes one");
  });

  test("nothing more once it is used up: then each is refused for that, and nothing is written", async () => {
    await using stage = await open();
    const { key: { id }, send, rpc, tokenFor, useUp, fullAt } = stage;
    const reads = await tokenFor(["read"]);
    await useUp();
    const before = await fullAt();
    const codeOf = ({ body }: Answer): unknown => body.error?.data.code ?? body.code;
    assert.equal(codeOf(await send(`/api/keys/${id}/sign`, { message: "hello" }, reads)), "rate_limited");
    for (const body of [call("eth_sign"), call("eth_none"), call("personal_sign", "0x", "me"), {}, "{"]) {
      assert.equal(codeOf(await rpc(body)), "rate_limited", JSON.stringify(body));
    }
    assert.deepEqual(await fullAt(), before);
    assert.equal((await rpc(call("eth_chainId"))).body.result, "0x1");
  });
});
