import assert from "node:assert/strict";
import { test } from "node:test";
import {
  keccak256,
  parseTransaction,
  recoverAddress,
  recoverMessageAddress,
  recoverTransactionAddress,
  serializeTransaction,
} from "viem";
import { hashAuthorization, recoverAuthorizationAddress } from "viem/utils";
import { createKeyOwner } from "../../support/key-owner.ts";
import type { KeyOwner } from "../../support/key-owner.ts";

const TO = "0x3535353535353535353535353535353535353535";
const COMMON = { chainId: 1, nonce: 9, gas: 21_000, to: TO, value: "1000000000000000000" };
const FEES = { maxPriorityFeePerGas: "1", maxFeePerGas: "20000000000" };
const TRANSFER = "0xa9059cbb" + "00".repeat(12) + TO.slice(2) + "00".repeat(31) + "07";
const SIGNED_BY_ANOTHER = { r: "0x" + "11".repeat(32), s: "0x" + "22".repeat(32), yParity: 1 };

const TRANSACTIONS: readonly Readonly<Record<string, unknown>>[] = [
  { type: "legacy", ...COMMON, gasPrice: "20000000000" },
  { type: "legacy", ...COMMON, gasPrice: "20000000000", to: null, data: "0x6000" },
  { type: "eip2930", ...COMMON, gasPrice: "0x4a817c800", accessList: [{ address: TO, storageKeys: [] }] },
  { type: "eip1559", ...COMMON, ...FEES, input: TRANSFER },
  {
    type: "eip4844",
    ...COMMON,
    ...FEES,
    maxFeePerBlobGas: "3",
    blobVersionedHashes: ["0x01" + "ab".repeat(31)],
  },
  {
    type: "eip7702",
    ...COMMON,
    ...FEES,
    authorizationList: [{ chainId: 0, address: TO, nonce: 0, ...SIGNED_BY_ANOTHER }],
  },
];

function poster(
  { client, keyId }: KeyOwner,
): (action: string, body: unknown) => ReturnType<typeof client.post> {
  return (action, body) => client.post(`/api/keys/${keyId}/${action}`, body);
}

for (const transaction of TRANSACTIONS) {
  const what = `${transaction.type}${transaction.to === null ? " that makes a contract" : ""}`;
  test(`POST sign-transaction signs ${what} from members and from bytes, and explain says the same`, async () => {
    await using owner = await createKeyOwner();
    const post = poster(owner);
    const explained = await post("explain", transaction);
    assert.equal(explained.body.kind, "transaction");
    assert.equal(explained.body.refusal, null);
    assert.equal(explained.body.transaction.type, transaction.type);
    assert.equal(explained.body.digest, keccak256(explained.body.unsigned));

    const { status, body } = await post("sign-transaction", transaction);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), [
      "from",
      "hash",
      "r",
      "s",
      "serializedTransaction",
      "yParity",
    ]);
    assert.equal(body.hash, keccak256(body.serializedTransaction));
    assert.equal(body.from, explained.body.address);
    assert.equal(
      await recoverTransactionAddress({ serializedTransaction: body.serializedTransaction }),
      body.from,
    );
    const { r, s, yParity } = body;
    assert.equal(
      await recoverAddress({ hash: explained.body.digest, signature: { r, s, yParity } }),
      body.from,
    );
    const { r: _r, s: _s, v: _v, yParity: _y, ...unsigned } = parseTransaction(
      body.serializedTransaction,
    ) as never as {
      r: string;
      s: string;
      v: string;
      yParity: number;
    };
    assert.equal(serializeTransaction(unsigned as never), explained.body.unsigned);

    assert.deepEqual((await post("sign-transaction", { unsigned: explained.body.unsigned })).body, body);
    assert.deepEqual((await post("sign-transaction", explained.body.transaction)).body, body);
    assert.deepEqual((await post("explain", { unsigned: explained.body.unsigned })).body, explained.body);
  });
}

test("POST sign-authorization returns the signed tuple in the form that a transaction contains", async () => {
  await using owner = await createKeyOwner();
  const post = poster(owner);
  const authorization = { chainId: 1, address: TO, nonce: "0x7" } as const;
  const explained = await post("explain", authorization);
  const { status, body } = await post("sign-authorization", authorization);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ["address", "chainId", "nonce", "r", "s", "yParity"]);
  assert.equal(await recoverAuthorizationAddress({ authorization: body }), explained.body.address);
  assert.equal(explained.body.kind, "authorization");
  assert.equal(explained.body.digest, hashAuthorization({ chainId: 1, address: TO, nonce: 7 }));
  assert.deepEqual(explained.body.authorization, { chainId: "1", address: TO, nonce: "7" });
  const sent = await post("sign-transaction", { ...TRANSACTIONS.at(-1)!, authorizationList: [body] });
  assert.equal(sent.status, 200);
});

test("POST sign-authorization writes integers beyond 2^53 as decimal digits", async () => {
  await using owner = await createKeyOwner();
  const nonce = (2n ** 64n - 2n).toString();
  const { body } = await poster(owner)("sign-authorization", {
    chainId: "9007199254740991",
    address: TO,
    nonce,
  });
  assert.equal(body.chainId, 9_007_199_254_740_991);
  assert.equal(body.nonce, nonce);
});

const REFUSED: readonly (readonly [action: string, body: unknown, path: string])[] = [
  ["sign-transaction", {}, "/type"],
  ["sign-transaction", { ...TRANSACTIONS[0], chainId: undefined }, "/chainId"],
  ["sign-transaction", { ...TRANSACTIONS[0], nonce: 2 ** 53 }, "/nonce"],
  ["sign-transaction", { ...TRANSACTIONS[0], from: TO }, "/from"],
  ["sign-transaction", { ...TRANSACTIONS[3], data: "0x" }, "/input"],
  ["sign-transaction", { ...TRANSACTIONS[4], sidecars: [] }, "/sidecars"],
  ["sign-transaction", { unsigned: "0x7bc0" }, "/unsigned"],
  ["sign-authorization", { chainId: 0, address: TO, nonce: 0 }, "/chainId"],
  ["sign-authorization", { chainId: 1, address: TO, nonce: 0, ...SIGNED_BY_ANOTHER }, "/r"],
];

for (const [action, body, path] of REFUSED) {
  test(`POST ${action} refuses ${path} of ${JSON.stringify(body).slice(0, 60)}`, async () => {
    await using owner = await createKeyOwner();
    const refused = await poster(owner)(action, body);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.code, "invalid_transaction");
    assert.equal(refused.body.errors[0].path, path);
  });
}

test("POST explain recognises a body by its members, even if some are missing", async () => {
  await using owner = await createKeyOwner();
  const post = poster(owner);
  const shapes: readonly (readonly [body: unknown, code: string, path: string])[] = [
    [{ unsigned: "0x" }, "invalid_transaction", "/unsigned"],
    [{ to: TO }, "invalid_transaction", "/type"],
    [{ chainId: 1, nonce: 0 }, "invalid_transaction", "/type"],
    [{ type: "eip1559", message: "x" }, "invalid_transaction", "/message"],
    [{ address: TO }, "invalid_transaction", "/chainId"],
    [{ types: {}, type: "legacy" }, "invalid_typed_data", "/type"],
    [{ encoding: "hex" }, "invalid_request", "/message"],
  ];
  for (const [body, code, path] of shapes) {
    const refused = await post("explain", body);
    assert.equal(refused.body.code, code, JSON.stringify(body));
    assert.equal(refused.body.errors[0].path, path, JSON.stringify(body));
  }
});

test("GET audit records a transaction's digest, chain, recipient, value and selector", async () => {
  await using owner = await createKeyOwner();
  const post = poster(owner);
  const digests = [];
  for (const transaction of [TRANSACTIONS[1], TRANSACTIONS[3]]) {
    digests.push((await post("explain", transaction)).body.digest);
    await post("sign-transaction", transaction);
  }
  await post("sign-authorization", { chainId: 1, address: TO, nonce: 0 });
  await post("sign-transaction", { ...TRANSACTIONS[0], nonce: -1 });
  const { events } = (await owner.client.get("/api/audit?limit=3")).body;
  const value = "1000000000000000000";
  assert.deepEqual(events.map((one: { event: string }) => one.event), [
    "authorization_signed",
    "transaction_signed",
    "transaction_signed",
  ]);
  const [authorization, call, creation] = events.map((one: { detail: unknown }) => one.detail);
  assert.deepEqual(authorization, {
    digest: hashAuthorization({ chainId: 1, address: TO, nonce: 0 }),
    chainId: "1",
    delegate: TO,
  });
  assert.deepEqual(call, { digest: digests[1], chainId: "1", recipient: TO, value, selector: "0xa9059cbb" });
  assert.deepEqual(creation, { digest: digests[0], chainId: "1", recipient: null, value, selector: null });
});

test("transactions and authorizations can be displayed, so that every blindSigning setting allows them", async () => {
  await using owner = await createKeyOwner();
  const post = poster(owner);
  await owner.client.request("PATCH", `/api/keys/${owner.keyId}`, { body: { blindSigning: "deny" } });
  assert.equal((await post("sign-transaction", TRANSACTIONS[0])).status, 200);
  assert.equal((await post("sign-authorization", { chainId: 1, address: TO, nonce: 0 })).status, 200);
});

test("POST sign with the encoding hex signs the bytes (EIP-191), as viem's raw messages are signed", async () => {
  await using owner = await createKeyOwner();
  const post = poster(owner);
  for (const message of ["0x", "0x68656c6c6f", "0xfF00", `0x${"5a".repeat(32)}`] as const) {
    const { body } = await post("sign", { message, encoding: "hex" });
    const recovered = await recoverMessageAddress({ message: { raw: message }, signature: body.signature });
    assert.equal(recovered, body.address, message);
    const explained = (await post("explain", { message, encoding: "hex" })).body;
    assert.deepEqual([explained.encoding, explained.digest], ["hex", body.digest]);
  }
  const asText = await post("sign", { message: "0x68656c6c6f", encoding: "utf8" });
  assert.deepEqual(asText.body, (await post("sign", { message: "0x68656c6c6f" })).body);
  assert.notEqual(asText.body.digest, (await post("sign", { message: "hello" })).body.digest);
});

test("POST sign refuses an unknown encoding, one that the message does not have, and one for another format", async () => {
  await using owner = await createKeyOwner();
  const cases: readonly (readonly [body: unknown, path: string])[] = [
    [{ message: "hello", encoding: "hex" }, "/message"],
    [{ message: "0x1", encoding: "hex" }, "/message"],
    [{ message: "68656c6c6f", encoding: "hex" }, "/message"],
    [{ message: "x", encoding: "base64" }, "/encoding"],
    [{ message: "0x00", format: "raw", encoding: "hex" }, "/encoding"],
    [{ message: "0x" + "00".repeat(32), format: "digest", encoding: "utf8" }, "/encoding"],
  ];
  for (const [body, path] of cases) {
    const refused = await poster(owner)("sign", body);
    assert.equal(refused.status, 400, JSON.stringify(body));
    assert.equal(refused.body.errors[0].path, path, JSON.stringify(body));
  }
});

test("bytes of personal_sign are refused under deny, under guard if they are 32, and explain says why", async () => {
  await using owner = await createKeyOwner();
  const post = poster(owner);
  const hash = { message: "0x" + "5a".repeat(32), encoding: "hex" };
  const other = { message: "0x" + "5a".repeat(31), encoding: "hex" };
  const text = { message: "5a".repeat(16) };
  const set = (blindSigning: string) =>
    owner.client.request("PATCH", `/api/keys/${owner.keyId}`, { body: { blindSigning } });
  const outcome = async (body: unknown) => {
    const [signed, explained] = [await post("sign", body), await post("explain", body)];
    assert.equal(signed.body.code ?? null, explained.body.refusal?.code ?? null);
    if (signed.status !== 200) assert.equal(signed.body.detail, explained.body.refusal.detail);
    return signed.body.code ?? "signed";
  };
  const outcomes = async () => [await outcome(hash), await outcome(other), await outcome(text)];
  assert.deepEqual(await outcomes(), ["signed", "signed", "signed"]);
  await set("guard");
  assert.deepEqual(await outcomes(), ["blind_signing_denied", "signed", "signed"]);
  assert.match(
    (await post("explain", hash)).body.refusal.detail,
    /user operation or of a Safe's transaction/,
  );
  await set("deny");
  assert.deepEqual(await outcomes(), ["blind_signing_denied", "blind_signing_denied", "signed"]);
});
