import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getBytes, hashMessage, recoverAddress, Transaction, verifyTypedData } from "ethers";
import type { Db } from "../../../src/db/schema/schema.ts";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { openTestDatabase } from "../../support/database.ts";
import { watched, watchedRows } from "../../support/engine.ts";

const TYPED = {
  domain: { name: "Example", chainId: 1 },
  types: { Greeting: [{ name: "text", type: "string" }] },
  primaryType: "Greeting",
  message: { text: "hello" },
};
/** An example address of ERC-55, with one letter in the wrong case. */
const MISTYPED = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const DEAD = "0x000000000000000000000000000000000000dEaD";

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly person: Client;
  readonly key: { readonly id: string; readonly address: string; readonly publicKey: string };
  send(body: unknown, token?: string): Promise<Answer>;
  /** Returns the result or the error of one call. */
  call(method: string, ...params: unknown[]): Promise<RpcOutcome>;
  callAt(query: string, method: string, ...params: unknown[]): Promise<RpcOutcome>;
  token(actions: readonly string[], keys?: unknown): Promise<string>;
}

interface RpcOutcome {
  readonly result?: unknown;
  readonly error?: RpcError;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code: string; readonly errors?: readonly { readonly path: string }[] };
}

async function open(options: { readonly rateLimits?: "on"; readonly db?: Db } = {}): Promise<Stage> {
  const app = await createTestApp(options);
  const person = app.client();
  const { body: { key } } = await signUp(person, "ada@example.com");
  const program = app.client("192.0.2.9");
  const token = async (actions: readonly string[], keys: unknown = "all"): Promise<string> =>
    (await person.post("/api/auth/tokens", { name: "Bot", keys, actions })).body.text;
  const all = await token(["read", "sign"]);
  const post = (path: string, body: unknown, bearer: string): Promise<Answer> =>
    program.post(path, body, { headers: { authorization: `Bearer ${bearer}` } });
  const send: Stage["send"] = (body, bearer = all) => post("/api/rpc", body, bearer);
  const callAt: Stage["callAt"] = async (query, method, ...params) =>
    (await post(`/api/rpc${query}`, { jsonrpc: "2.0", id: 1, method, params }, all)).body;
  return {
    app,
    person,
    key,
    send,
    token,
    callAt,
    call: (method, ...params) => callAt("", method, ...params),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

describe("POST /api/rpc", () => {
  test("signs with every method of wallets", async () => {
    await using stage = await open();
    const { key: { address }, call } = stage;
    assert.deepEqual((await call("eth_accounts")).result, [address]);
    const text = await call("personal_sign", "0x68656c6c6f", address);
    assert.equal(recoverAddress(hashMessage("hello"), text.result as string), address);
    const bytes = await call("personal_sign", "0xff00", address.toLowerCase());
    assert.equal(recoverAddress(hashMessage(Uint8Array.of(255, 0)), bytes.result as string), address);
    for (const method of ["eth_signTypedData_v4", "eth_signTypedData"]) {
      for (const typed of [TYPED, JSON.stringify(TYPED)]) {
        const { result } = await call(method, address, typed);
        assert.equal(verifyTypedData(TYPED.domain, TYPED.types, TYPED.message, result as string), address);
      }
    }
  });

  test("signs a transaction without a chain for the chain in the URL, and refuses another", async () => {
    await using stage = await open();
    const { key: { address: from }, callAt } = stage;
    const transaction = { from, nonce: "0x0", gas: "0x5208", gasPrice: "0x1", to: DEAD };
    const chainOf = async (query: string, members: object): Promise<unknown> => {
      const { result, error } = await callAt(query, "eth_signTransaction", { ...transaction, ...members });
      return error?.data?.errors?.[0]?.path ?? Transaction.from(result as string).chainId;
    };
    assert.equal(await chainOf("?chainId=1", {}), 1n);
    assert.equal(await chainOf("?chainId=8453", { chainId: null }), 8453n);
    assert.equal(await chainOf("?chainId=8453", { chainId: "0x1" }), 1n);
    assert.equal(await chainOf("", {}), "/chainId");
  });

  test("states the order of personal_sign's parameters if they are swapped", async () => {
    await using stage = await open();
    const { key: { address }, call } = stage;
    const order = "personal_sign takes the message first and the address second";
    for (const message of ["0x68656c6c6f", "hello"]) {
      assert.equal((await call("personal_sign", address, message)).error?.message, order);
    }
    const addressAsBytes = await call("personal_sign", DEAD, address);
    assert.equal(recoverAddress(hashMessage(getBytes(DEAD)), addressAsBytes.result as string), address);
  });

  test("signs transactions of every type, distinguished as nodes do", async () => {
    await using stage = await open();
    const { key: { address: from }, call } = stage;
    const common = { from, chainId: "0x1", nonce: "0x0", gas: "0x5208", to: DEAD, value: "0x1" };
    const fees = { maxFeePerGas: "0x2", maxPriorityFeePerGas: "0x1" };
    const hash = `0x01${"00".repeat(31)}`;
    const kinds: readonly (readonly [number, object])[] = [
      [0, { gasPrice: "0x1" }],
      [0, { gasPrice: "0x1", accessList: null, type: null }],
      [0, { gasPrice: "0x1", type: "0x0", input: "0x" }],
      [1, { gasPrice: "0x1", accessList: [] }],
      [2, fees],
      [2, { ...fees, type: "0x02" }],
      [3, { ...fees, maxFeePerBlobGas: "0x1", blobVersionedHashes: [hash] }],
    ];
    for (const [type, members] of kinds) {
      const { result, error } = await call("eth_signTransaction", { ...common, ...members });
      assert.equal(error, undefined, JSON.stringify(error));
      const signed = Transaction.from(result as string);
      assert.deepEqual([signed.type, signed.from, signed.to], [type, from, DEAD]);
    }
    const { to: _, ...creation } = { ...common, ...fees, data: "0x6000" };
    assert.equal(Transaction.from((await call("eth_signTransaction", creation)).result as string).to, null);
  });

  test("answers the first calls of libraries, and eth_chainId with the chain in the URL", async () => {
    await using stage = await open();
    const { call, app, token } = stage;
    assert.equal((await call("eth_chainId")).result, "0x1");
    assert.equal((await call("web3_clientVersion")).result, "Holdfast");
    assert.deepEqual((await call("wallet_getCapabilities", stage.key.address)).result, {});
    const headers = { authorization: `Bearer ${await token(["read"])}` };
    const body = { jsonrpc: "2.0", id: "a", method: "eth_chainId" };
    const base = await app.client().post("/api/rpc?chainId=8453", body, { headers });
    assert.deepEqual(base.body, { jsonrpc: "2.0", id: "a", result: "0x2105" });
    assert.equal((await app.client().post("/api/rpc?chainId=0", body, { headers })).status, 400);
  });

  test("refuses with JSON-RPC's error numbers and the problem's code", async () => {
    await using stage = await open();
    const { key: { address }, call } = stage;
    const refused: readonly (readonly [number, string | undefined, string, readonly unknown[]])[] = [
      [-32601, undefined, "eth_sendTransaction", [{}]],
      [-32601, undefined, "toString", []],
      [-32004, undefined, "eth_sign", [address, "0x00"]],
      [4100, "not_found", "personal_sign", ["0x00", DEAD]],
      [-32602, "invalid_request", "personal_sign", ["hello", address]],
      [-32602, "invalid_request", "personal_sign", ["0x00", "me"]],
      [-32602, "invalid_request", "personal_sign", ["0x00"]],
      [-32602, "invalid_typed_data", "eth_signTypedData_v4", [address, {}]],
      [-32602, "invalid_json", "eth_signTypedData_v4", [address, "{"]],
      [-32602, "invalid_transaction", "eth_signTransaction", [{ from: address, type: "0x9" }]],
      [-32602, "invalid_request", "eth_signTransaction", ["0x00"]],
    ];
    for (const [code, problem, method, params] of refused) {
      const { error, result } = await call(method, ...params);
      assert.deepEqual([error?.code, error?.data?.code, result], [code, problem, undefined], method);
    }
    const fault = await call("eth_signTransaction", {
      from: address,
      gasPrice: "0x1",
      nonce: "0x0",
      gas: "0x1",
    });
    assert.equal(fault.error?.data?.errors?.[0]?.path, "/chainId");
  });

  test("returns the state of a limit once for several calls", async () => {
    await using stage = await open({ rateLimits: "on" });
    const params = ["0x00", stage.key.address];
    const call = { jsonrpc: "2.0", id: 1, method: "personal_sign", params };
    assert.match((await stage.send([call, call, call])).headers.get("ratelimit")!, /^"sign";r=2997;t=1$/);
  });

  test("answers a batch in its order, and neither executes nor answers a notification", async () => {
    await using stage = await open();
    const { key: { address }, send } = stage;
    const { body } = await send([
      { jsonrpc: "2.0", id: 1, method: "eth_chainId" },
      { jsonrpc: "2.0", method: "personal_sign", params: ["0x00", address] },
      { id: 2, method: "eth_chainId" },
      { jsonrpc: "2.0", id: 3, method: "eth_chainId", params: {} },
      { jsonrpc: "2.0", id: "4", method: "personal_sign", params: ["0x00", address] },
    ]);
    assert.deepEqual(body.map((one: { id: unknown; error?: RpcError }) => [one.id, one.error?.code]), [
      [1, undefined],
      [2, -32600],
      [3, -32602],
      ["4", undefined],
    ]);
    const silent = await send({ jsonrpc: "2.0", method: "personal_sign", params: ["0x00", address] });
    assert.deepEqual([silent.status, silent.text], [204, ""]);
    const { body: { events } } = await stage.person.get("/api/audit");
    const signatures = events.filter(({ event }: { event: string }) => event.startsWith("message_signed"));
    assert.equal(signatures.length, 1);
  });

  test("accepts at most 50 calls, and answers an invalid call as JSON-RPC defines", async () => {
    await using stage = await open();
    const call = { jsonrpc: "2.0", id: 1, method: "eth_chainId" };
    assert.equal((await stage.send(Array(50).fill(call))).body.length, 50);
    for (const body of [Array(51).fill(call), []]) {
      assert.equal((await stage.send(body)).body.error.code, -32600);
    }
    assert.equal((await stage.send("hello")).body.error.code, -32600);
    const headers = { authorization: `Bearer ${await stage.token(["read"])}` };
    const broken = await stage.app.client().post("/api/rpc", undefined, { text: "{", headers });
    assert.deepEqual([broken.status, broken.body.error.code, broken.body.id], [200, -32700, null]);
  });

  test("reads the keys of an account once for all calls of a batch", async () => {
    let statements = 0;
    const db = await openTestDatabase((engine) => watched(engine, () => statements++));
    await using stage = await open({ db });
    const call = { jsonrpc: "2.0", id: 1, method: "eth_accounts" };
    const statementsFor = async (count: number): Promise<number> => {
      statements = 0;
      for (const { result } of (await stage.send(Array(count).fill(call))).body) {
        assert.deepEqual(result, [stage.key.address]);
      }
      return statements;
    };
    await statementsFor(1);
    // The keys are in memory; at most the token is read.
    assert.ok(await statementsFor(50) <= 1);
  });

  test("answers from the keys in memory, and of a token with few keys with those alone", async () => {
    const rows: number[] = [];
    const db = await openTestDatabase((engine) => watchedRows(engine, (count) => rows.push(count)));
    await using stage = await open({ db });
    const addresses = [stage.key.address];
    let last = stage.key.id;
    while (addresses.length < 130) {
      const { body: { key } } = await stage.person.post("/api/keys/generate", {});
      addresses.push(key.address);
      last = key.id;
    }
    const list = async (token?: string): Promise<unknown> => {
      rows.length = 0;
      const { body } = await stage.send({ jsonrpc: "2.0", id: 1, method: "eth_accounts" }, token);
      assert.ok(rows.every((count) => count <= 2), `a statement read ${Math.max(...rows)} rows`);
      return body.result;
    };
    await list();
    assert.deepEqual(await list(), addresses);
    const named = await stage.token(["read"], [last, stage.key.id]);
    await list(named);
    assert.deepEqual(await list(named), [addresses[0], addresses.at(-1)]);
  });

  test("accepts tokens only, and permits what a token may do with its keys", async () => {
    await using stage = await open();
    const { person, key, token, send } = stage;
    const { body: { key: other } } = await person.post("/api/keys/generate", {});
    const call = { jsonrpc: "2.0", id: 1, method: "eth_accounts" };
    const signs = (address: string) => ({ ...call, method: "personal_sign", params: ["0x00", address] });
    assert.equal((await person.post("/api/rpc", call)).status, 401);
    assert.equal((await send(call, "hfst_nothing")).status, 401);
    const reader = await token(["read"], [other.id]);
    assert.deepEqual((await send(call, reader)).body.result, [other.address]);
    assert.equal((await send(signs(other.address), reader)).body.error.data.code, "insufficient_scope");
    const signer = await token(["sign"], [other.id]);
    assert.equal((await send(call, signer)).body.error.data.code, "insufficient_scope");
    assert.equal((await send(signs(other.address), signer)).body.error, undefined);
    assert.equal((await send(signs(key.address), signer)).body.error.data.code, "not_found");
  });

  test("applies the key's settings to text in hex as to text, and to other bytes as to bytes", async () => {
    await using stage = await open();
    const { person, key, call } = stage;
    await person.request("PATCH", `/api/keys/${key.id}`, { body: { blindSigning: "deny" } });
    assert.equal((await call("personal_sign", "0x68656c6c6f", key.address)).error, undefined);
    const bytes = await call("personal_sign", `0xff${"00".repeat(31)}`, key.address);
    assert.equal(bytes.error?.data?.code, "blind_signing_denied");
    await person.post(`/api/keys/${key.id}/archive`);
    assert.equal((await call("personal_sign", "0x68", key.address)).error?.data?.code, "key_archived");
    assert.deepEqual((await call("eth_accounts")).result, []);
  });
});

describe("POST /api/v1/eth1/sign/:identifier", () => {
  test("signs as Web3Signer does: keccak-256 of the bytes, the signature as plain text", async () => {
    await using stage = await open();
    const { app, key, token, person } = stage;
    const headers = { authorization: `Bearer ${await token(["sign"])}` };
    const { keccak256 } = await import("ethers");
    const sign = (identifier: string, data: string) =>
      app.client().post(`/api/v1/eth1/sign/${identifier}`, { data }, { headers });
    for (const identifier of [key.address, key.publicKey, key.publicKey.slice(2), key.publicKey.slice(4)]) {
      const { status, text } = await sign(identifier, "0x1234");
      assert.equal(status, 200, text);
      assert.equal(recoverAddress(keccak256("0x1234"), text), key.address);
    }
    for (const identifier of [DEAD, "0x00", "me"]) {
      assert.equal((await sign(identifier, "0x1234")).body.code, "not_found");
    }
    await person.request("PATCH", `/api/keys/${key.id}`, { body: { blindSigning: "deny" } });
    assert.equal((await sign(key.address, "0x1234")).body.code, "blind_signing_denied");
    const { body: { key: asking } } = await person.post("/api/keys/generate", {});
    await person.request("PUT", `/api/keys/${asking.id}/policy`, {
      body: { policy: { version: 1, raw: "ask" } },
    });
    assert.equal((await sign(asking.address, "0x1234")).body.code, "policy_denied", "nothing can wait here");
    const reader = { authorization: `Bearer ${await token(["read"])}` };
    const refused = await app.client().post(`/api/v1/eth1/sign/${key.address}`, { data: "0x" }, {
      headers: reader,
    });
    assert.equal(refused.body.code, "insufficient_scope");
  });

  test("does not reveal to a token that may not sign whether an address is the account's, nor does /api/rpc", async () => {
    await using stage = await open();
    const { app, key, token, person } = stage;
    const { body: { key: other } } = await person.post("/api/keys/generate", {});
    const headers = { authorization: `Bearer ${await token(["read"], [other.id])}` };
    for (const address of [key.address, other.address, DEAD]) {
      const signed = await app.client().post(`/api/v1/eth1/sign/${address}`, { data: "0x" }, { headers });
      assert.equal(signed.body.code, "insufficient_scope");
      const call = { jsonrpc: "2.0", id: 1, method: "personal_sign", params: ["0x68", address] };
      const { body } = await app.client().post("/api/rpc", call, { headers });
      assert.equal(body.error.data.code, "insufficient_scope");
    }
  });
});

describe("GET /api/keys?address=", () => {
  test("finds a key by its address: the user's own, one that the token names, an archived one on request", async () => {
    await using stage = await open();
    const { app, person, key, token } = stage;
    const find = async (client: Client, query: string, bearer?: string): Promise<string[]> => {
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      const { body } = await client.get(`/api/keys?${query}`, { headers });
      return body.keys.map(({ id }: { id: string }) => id);
    };
    const { body: { key: other } } = await person.post("/api/keys/generate", {});
    assert.deepEqual(await find(person, `address=${key.address}`), [key.id]);
    assert.deepEqual(await find(person, `address=${other.address.toLowerCase()}`), [other.id]);
    assert.deepEqual(await find(person, `address=${DEAD}`), []);
    const narrow = await token(["read"], [other.id]);
    assert.deepEqual(await find(app.client(), `address=${key.address}`, narrow), []);
    assert.deepEqual(await find(app.client(), `address=${other.address}`, narrow), [other.id]);
    const bob = app.client();
    await signUp(bob, "bob@example.com");
    assert.deepEqual(await find(bob, `address=${key.address}`), []);
    await person.post(`/api/keys/${key.id}/archive`);
    assert.deepEqual(await find(person, `address=${key.address}`), []);
    assert.deepEqual(await find(person, `address=${key.address}&archived=true`), [key.id]);
    const wrong = await person.get(`/api/keys?address=${MISTYPED}`);
    assert.equal(wrong.body.errors[0].parameter, "address");
  });
});
