import assert from "node:assert/strict";
import { test } from "node:test";
import { hashMessage, keccak256, recoverAddress } from "viem";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { toChecksumAddress } from "../../src/ethereum/address.ts";
import { encodeSignature } from "../../src/ethereum/signature.ts";
import { checkSignRequest, MESSAGE_FORMATS } from "../../src/keys/digest.ts";
import type { MessageFormat, SignRequest } from "../../src/keys/digest.ts";
import { explainSignRequest } from "../../src/keys/explain.ts";
import { createDirectory } from "../../src/clear-signing/directory.ts";
import { changeKey, createKey } from "../../src/keys/key.ts";
import type { EthereumKey, KeyChange } from "../../src/keys/key.ts";
import { sign } from "../../src/keys/sign.ts";
import type { SignedDigest } from "../../src/keys/sign.ts";
import { toHex, utf8 } from "../../src/lib/bytes.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { UNLIMITED } from "../../src/limits/rate-limit.ts";
import { createKeyStore, NOW } from "../support/key-store.ts";
import type { KeyStore } from "../support/key-store.ts";
import { isInconsistent, openSecondHandle } from "../support/state.ts";

const ACCOUNT = "acc_a";
const LEGACY_TRANSACTION =
  "0xec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080";
const DIGEST = "0x" + "5a".repeat(32);

interface Signer extends AsyncDisposable {
  readonly store: KeyStore;
  readonly key: EthereumKey;
  sign(request: SignRequest, accountId?: string): Promise<SignedDigest>;
  /** Signs over another handle on the database. */
  signOver(handle: Db, request: SignRequest, accountId?: string): Promise<SignedDigest>;
  change(change: KeyChange): Promise<EthereumKey>;
}

async function createSigner(): Promise<Signer> {
  const store = await createKeyStore([ACCOUNT, "acc_b"]);
  const { db, maker, random } = store;
  const value = { accountId: ACCOUNT, label: undefined, now: NOW, random };
  const key = await transaction(db, (tx) => createKey(tx, maker, value));
  const limits = UNLIMITED;
  const metrics = createMetrics(() => 0);
  const authorizationCheck = { recheckAuthorization: () => Promise.resolve(null) };
  const signOver = async (handle: Db, request: SignRequest, accountId = ACCOUNT): Promise<SignedDigest> => {
    const signOutcome = await sign(
      { ...maker, groupCommit: createGroupCommit(handle), limits, authorizationCheck, metrics },
      { accountId, keyId: key.id, requester: { kind: "owner" }, now: NOW, work: { parts: 0 } },
      checkSignRequest(request),
    );
    assert.ok(signOutcome.outcome === "signed");
    return signOutcome.signed;
  };
  return {
    store,
    key,
    signOver,
    sign: (request, accountId) => signOver(db, request, accountId),
    change: (change) =>
      transaction(db, (tx) => changeKey(tx, maker, { accountId: ACCOUNT, keyId: key.id, now: NOW }, change)),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function message(text: string, format: MessageFormat = "personal_sign"): SignRequest {
  return { kind: "message", format, message: text };
}

const TYPED_DATA = {
  types: { Mail: [{ name: "contents", type: "string" }] },
  primaryType: "Mail",
  domain: { name: "Ether Mail", chainId: 1 },
  message: { contents: "Hello" },
};

function isProblem(code: string, path?: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof ProtocolError && error.code === code &&
    (path === undefined || error.errors?.[0]?.path === path);
}

const MESSAGES: readonly [text: string, format: MessageFormat, digest: `0x${string}`][] = [
  ["hello", "personal_sign", hashMessage("hello")],
  ["", "personal_sign", hashMessage("")],
  ["0x68656c6c6f", "personal_sign", hashMessage("0x68656c6c6f")],
  ["grüße 🔑", "personal_sign", hashMessage("grüße 🔑")],
  ["0x", "raw", keccak256("0x")],
  ["0xABcd01", "raw", keccak256("0xabcd01")],
  [LEGACY_TRANSACTION, "raw", keccak256(LEGACY_TRANSACTION)],
  [DIGEST, "digest", DIGEST as `0x${string}`],
];

for (const [text, format, digest] of MESSAGES) {
  test(`sign() signs ${JSON.stringify(text.slice(0, 20))} as ${format} with the key's address`, async () => {
    await using signer = await createSigner();
    const signed = await signer.sign(message(text, format));
    assert.equal(toHex(signed.digest), digest);
    const signature = encodeSignature(signed.signature) as `0x${string}`;
    assert.match(signature, /^0x[0-9a-f]{128}1[bc]$/);
    assert.equal(await recoverAddress({ hash: digest, signature }), toChecksumAddress(signer.key.address));
    assert.deepEqual((await signer.sign(message(text, format))).signature, signed.signature);
  });
}

/** A context with only the key and the message. */
const DECISION = {
  policy: null,
  outcome: "allow",
  rule: null,
  value: null,
  reason: { code: "allowed", given: {} },
} as const;
const SURROUNDINGS = {
  keys: "all" as const,
  now: 0,
  directory: createDirectory([], []),
  askedBy: null,
  language: "en" as const,
  decision: DECISION,
};

function explain(
  { store: { db, maker }, key: own }: Signer,
  request: SignRequest,
  key = own,
): ReturnType<typeof explainSignRequest> {
  const explained = { key, request: checkSignRequest(request) };
  return explainSignRequest(db, maker.authority, explained, SURROUNDINGS);
}

test("sign() signs typed data with the key's address", async () => {
  await using signer = await createSigner();
  const { digest, signature } = await signer.sign({ kind: "typed_data", typedData: TYPED_DATA });
  const recovered = await recoverAddress({
    hash: toHex(digest) as `0x${string}`,
    signature: encodeSignature(signature) as `0x${string}`,
  });
  assert.equal(recovered, toChecksumAddress(signer.key.address));
});

const REFUSED: readonly [text: string, format: MessageFormat][] = [
  ["\ud800", "personal_sign"],
  ["0x1", "raw"],
  ["0xzz", "raw"],
  ["abcd", "raw"],
  ["0Xabcd", "raw"],
  ["", "raw"],
  ["0x" + "00".repeat(31), "digest"],
  ["0x" + "00".repeat(33), "digest"],
  ["00".repeat(32), "digest"],
];

for (const [text, format] of REFUSED) {
  test(`checkSignRequest() refuses ${JSON.stringify(text.slice(0, 12))} as ${format}, pointing at /message`, () => {
    assert.throws(() => checkSignRequest(message(text, format)), isProblem("invalid_request", "/message"));
  });
}

test("checkSignRequest() refuses typed data with a pointer to the fault", () => {
  const typedData = { ...TYPED_DATA, message: { contents: 5 } };
  assert.throws(
    () => checkSignRequest({ kind: "typed_data", typedData }),
    isProblem("invalid_typed_data", "/message/contents"),
  );
});

test("sign() refuses an archived key until it is unarchived", async () => {
  await using signer = await createSigner();
  await signer.change({ archived: true });
  await assert.rejects(signer.sign(message("hello")), isProblem("key_archived"));
  await signer.change({ archived: false });
  assert.ok(await signer.sign(message("hello")));
});

test("sign() throws not_found to another account", async () => {
  await using signer = await createSigner();
  await assert.rejects(signer.sign(message("hello"), "acc_b"), isProblem("not_found"));
});

test("sign() refuses a key whose archiving was undone in the database", async () => {
  await using signer = await createSigner();
  await signer.change({ archived: true });
  await signer.store.db.updateTable("ethereum_key").set({ archived_at: null }).execute();
  await assert.rejects(signer.sign(message("hello")), isProblem("key_archived"), "from memory");
  const afterStart = signer.signOver(openSecondHandle(signer.store.db), message("hello"));
  await assert.rejects(afterStart, isInconsistent);
});

const GUARDED: readonly [payload: string, code: "looks_like_transaction" | "signs"][] = [
  [LEGACY_TRANSACTION, "looks_like_transaction"],
  ["0xc0", "looks_like_transaction"],
  ["0x01", "looks_like_transaction"],
  ["0x02c0", "looks_like_transaction"],
  ["0x03c0", "looks_like_transaction"],
  ["0x04c0", "looks_like_transaction"],
  ["0x05c0", "looks_like_transaction"],
  ["0x1900", "looks_like_transaction"],
  ["0x1901" + "00".repeat(64), "looks_like_transaction"],
  ["0x", "signs"],
  ["0x00", "signs"],
  ["0x06c0", "looks_like_transaction"],
  ["0x7bc0", "looks_like_transaction"],
  ["0x7b7d", "signs"],
];

for (const [payload, outcome] of GUARDED) {
  test(`sign() under guard: raw ${payload.slice(0, 12)} ${outcome}`, async () => {
    await using signer = await createSigner();
    await signer.change({ blindSigning: "guard" });
    const signed = signer.sign(message(payload, "raw"));
    if (outcome === "signs") assert.ok((await signed).signature);
    else await assert.rejects(signed, isProblem(outcome));
  });
}

test("sign() under guard refuses digests; under deny raw and digest; text and typed data always pass", async () => {
  await using signer = await createSigner();
  await signer.change({ blindSigning: "guard" });
  await assert.rejects(signer.sign(message(DIGEST, "digest")), isProblem("blind_signing_denied"));
  await signer.change({ blindSigning: "deny" });
  for (const [text, format] of [[DIGEST, "digest"], ["0x7b7d", "raw"]] as const) {
    await assert.rejects(signer.sign(message(text, format)), isProblem("blind_signing_denied"));
  }
  assert.ok(await signer.sign(message("hello")));
  assert.ok(await signer.sign({ kind: "typed_data", typedData: TYPED_DATA }));
});

test("sign() under guard and deny refuses text that may be a hash, and explain says so", async () => {
  await using signer = await createSigner();
  // Hashes of two user operations, varied by an attacker until they were valid UTF-8, and texts of the same length.
  const hashes = [
    "\x02q\x1c~a\x7f3\x04J<\x00\x19d\x11bé\x0e{7\x05Z\x1f\x12c\x08@\x15Kpß",
    "y".repeat(31) + "{",
  ];
  const texts = ["0123456789abcdef0123456789abcdef", "Sign in to keys.example.com, Ada", "y".repeat(32)];
  const others = ["{".repeat(31), "{".repeat(33), "ä".repeat(17)];
  for (const blindSigning of ["guard", "deny"] as const) {
    const key = await signer.change({ blindSigning });
    for (const hash of hashes) {
      assert.equal(utf8(hash).length, 32);
      await assert.rejects(signer.sign(message(hash)), isProblem("blind_signing_denied"));
      const { refusal, intent } = await explain(signer, message(hash), key);
      assert.equal(refusal?.code, "blind_signing_denied");
      assert.match(intent.sentence, /32 bytes may be the hash of a user operation/);
    }
    for (const text of [...texts, ...others]) assert.ok(await signer.sign(message(text)), text);
  }
});

test("sign() records what it signed before it signs, and does not record a refusal", async () => {
  await using signer = await createSigner();
  await signer.sign(message("hello"));
  await signer.sign({ kind: "typed_data", typedData: TYPED_DATA });
  await signer.change({ blindSigning: "deny" });
  await assert.rejects(signer.sign(message(DIGEST, "digest")), isProblem("blind_signing_denied"));
  const events = await signer.store.db.selectFrom("audit_event").select(["event", "subject"])
    .where("event", "!=", "state_changed").orderBy("seq").execute();
  assert.deepEqual(events.map(({ event }) => event), [
    "key_generated",
    "message_signed",
    "typed_data_signed",
    "blind_signing_changed",
  ]);
  assert.ok(events.every(({ subject }) => subject === signer.key.id));
});

test("explainSignRequest() returns the digest that sign() signs, and says when the key would refuse", async () => {
  await using signer = await createSigner();
  const inputs: Record<MessageFormat, string> = {
    personal_sign: "hello",
    raw: LEGACY_TRANSACTION,
    digest: DIGEST,
  };
  for (const format of MESSAGE_FORMATS) {
    const request = message(inputs[format], format);
    const explanation = await explain(signer, request);
    assert.equal(explanation.digest, toHex((await signer.sign(request)).digest));
    assert.equal(explanation.refusal, null);
  }
  const guarded = await signer.change({ blindSigning: "guard" });
  const refusal = async (text: string, format: MessageFormat) =>
    (await explain(signer, message(text, format), guarded)).refusal?.code;
  assert.equal(await refusal(LEGACY_TRANSACTION, "raw"), "looks_like_transaction");
  assert.equal(await refusal(DIGEST, "digest"), "blind_signing_denied");
  assert.equal(await refusal("hello", "personal_sign"), undefined);
});

test("explainSignRequest() shows typed data as it would be hashed", async () => {
  await using signer = await createSigner();
  const request = { kind: "typed_data", typedData: TYPED_DATA } as const;
  const explanation = await explain(signer, request);
  assert.ok(explanation.kind === "typed_data");
  assert.equal(explanation.encodeType, "Mail(string contents)");
  assert.equal(explanation.digest, toHex((await signer.sign(request)).digest));
});
