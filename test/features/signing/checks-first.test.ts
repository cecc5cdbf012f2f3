import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import { type Client, signUp } from "../../support/client.ts";

const BROKEN = "{";
const DEAD = "0x000000000000000000000000000000000000dEaD";

interface Target {
  readonly keyId: string;
  readonly address: string;
}

/** Requests a signature with a body that cannot be parsed. Returns the code of the refusal. */
type Attempt = (client: Client, target: Target, headers: Record<string, string>) => Promise<string>;

function rest(path: (target: Target) => string): Attempt {
  return async (client, target, headers) =>
    (await client.post(path(target), undefined, { text: BROKEN, headers })).body.code;
}

function rpc(method: string, params: (target: Target) => readonly unknown[]): Attempt {
  return async (client, target, headers) => {
    const call = { jsonrpc: "2.0", id: 1, method, params: params(target) };
    return (await client.post("/api/rpc", call, { headers })).body.error.data.code;
  };
}

const SIGNING: Readonly<Record<string, Attempt>> = {
  sign: rest(({ keyId }) => `/api/keys/${keyId}/sign`),
  "sign-typed-data": rest(({ keyId }) => `/api/keys/${keyId}/sign-typed-data`),
  "sign-transaction": rest(({ keyId }) => `/api/keys/${keyId}/sign-transaction`),
  "sign-authorization": rest(({ keyId }) => `/api/keys/${keyId}/sign-authorization`),
  web3signer: rest(({ address }) => `/api/v1/eth1/sign/${address}`),
  personal_sign: rpc("personal_sign", ({ address }) => ["no hex", address]),
  eth_signTypedData_v4: rpc("eth_signTypedData_v4", ({ address }) => [address, BROKEN]),
  eth_signTransaction: rpc("eth_signTransaction", ({ address }) => [{ from: address, type: "0x9" }]),
};

const explain = rest(({ keyId }) => `/api/keys/${keyId}/explain`);

async function open() {
  const app = await createTestApp({ rateLimits: "on" });
  const owner = app.client();
  const { key: { id, address } } = (await signUp(owner, "ada@example.com")).body;
  const { id: account } = await app.db.selectFrom("account").select("id").executeTakeFirstOrThrow();
  const target: Target = { keyId: id, address };
  const tokenFor = async (actions: readonly string[], keys: unknown = "all") => {
    const { body } = await owner.post("/api/auth/tokens", { name: "Bot", keys, actions });
    return { authorization: `Bearer ${body.text}` };
  };
  return {
    target,
    owner,
    tokenFor,
    program: app.client("192.0.2.9"),
    useUp: async (name: string) => {
      const row = { name, subject: account, full_at: app.now + 60_000 };
      await app.db.insertInto("rate_limit").values(row).onConflict((conflict) =>
        conflict.columns(["name", "subject"]).doUpdateSet({ full_at: row.full_at })
      ).execute();
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

describe("before a request to sign is parsed", () => {
  test("the rights of the token are checked", async () => {
    await using stage = await open();
    const { target, owner, program, tokenFor } = stage;
    const other = (await owner.post("/api/keys/generate", {})).body.key;
    const reads = await tokenFor(["read"]);
    const signsOther = await tokenFor(["sign"], [other.id]);
    for (const [name, attempt] of Object.entries(SIGNING)) {
      assert.equal(await attempt(program, target, reads), "insufficient_scope", name);
      assert.equal(await attempt(program, target, signsOther), "not_found", name);
    }
    assert.equal(await explain(program, target, await tokenFor(["read"], [other.id])), "not_found");
  });

  test("the key is looked up", async () => {
    await using stage = await open();
    const { target, owner, program, tokenFor } = stage;
    const signs = await tokenFor(["read", "sign"]);
    const nowhere = { keyId: "key_none", address: DEAD };
    await owner.post(`/api/keys/${target.keyId}/archive`);
    for (const [name, attempt] of Object.entries(SIGNING)) {
      assert.equal(await attempt(program, nowhere, signs), "not_found", name);
      assert.equal(await attempt(program, target, signs), "key_archived", name);
    }
    assert.equal(await explain(program, nowhere, signs), "not_found");
  });

  test("the limit is checked", async () => {
    await using stage = await open();
    const { target, program, tokenFor, useUp } = stage;
    const signs = await tokenFor(["read", "sign"]);
    await useUp("sign");
    await useUp("explain");
    for (const [name, attempt] of Object.entries(SIGNING)) {
      assert.equal(await attempt(program, target, signs), "rate_limited", name);
    }
    assert.equal(await explain(program, target, signs), "rate_limited");
  });

  test("a batch of a token that may only read is refused before its documents are parsed", async () => {
    await using stage = await open();
    const { target: { address }, program, tokenFor } = stage;
    const document = BROKEN.repeat(12_320);
    const call = { jsonrpc: "2.0", id: 1, method: "eth_signTypedData_v4", params: [address, document] };
    const { body } = await program.post("/api/rpc", Array(50).fill(call), {
      headers: await tokenFor(["read"]),
    });
    const codes = new Set(body.map(({ error }: { error: { data: { code: string } } }) => error.data.code));
    assert.deepEqual([body.length, ...codes], [50, "insufficient_scope"]);
  });
});
