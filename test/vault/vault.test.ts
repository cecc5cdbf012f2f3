import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { format, inspect } from "node:util";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { concat, toBase64url, uint32, utf8 } from "../../src/lib/bytes.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import { KEYED_HASH_PURPOSES, Vault } from "../../src/vault/vault.ts";
import { runProgram, runtimes } from "../support/program.ts";
import { createTestVault } from "../support/vault.ts";

const SEED_BYTE = 0xc9;
const SEED = new Uint8Array(32).fill(SEED_BYTE);
const SALT = utf8("holdfast");
const ACCOUNT = "account_00000000000000000000000001";

/** Every secret of a vault over the seed, derived independently. */
const SECRETS: readonly Uint8Array[] = [
  SEED,
  ...["row-authority/v1", "seal/v1", ...KEYED_HASH_PURPOSES.map((purpose) => `keyed-hash/v1/${purpose}`)]
    .map((name) => hkdf(sha256, SEED, SALT, utf8(name), 32)),
  hkdf(sha512, SEED, SALT, concat(utf8("ethereum-key/v1"), uint32(34), utf8(ACCOUNT), uint32(0)), 48),
];

/** Returns the secrets whose first bytes appear in a text, in any format in which bytes are printed. */
function shownSecrets(text: string): Uint8Array[] {
  const plain = text.toLowerCase().replace(/\s+/g, "");
  return SECRETS.filter((secret) => {
    const start = secret.subarray(0, 6);
    const forms = [
      start.toHex(),
      toBase64url(start),
      start.toBase64(),
      start.join(","),
      [...start].map(
        (byte) => byte.toString(16).padStart(2, "0"),
      ).join(":"),
      ...indexed(start),
    ];
    return forms.some((form) => plain.includes(form.toLowerCase()));
  });
}

/** Formats bytes as JSON and property lists print typed arrays. */
function indexed(bytes: Uint8Array): string[] {
  return [JSON.stringify(bytes).slice(0, -1), JSON.stringify([...bytes]).slice(0, -1)];
}

/** The ways to print a value. */
const PRINTERS: Readonly<Record<string, (value: unknown) => string>> = {
  "String()": (value) => String(value),
  "JSON.stringify()": (value) => JSON.stringify({ value, list: [value] }),
  "inspect()": (value) => inspect({ value }),
  "inspect() of all there is": (value) =>
    inspect({ value }, { showHidden: true, depth: null, getters: true, showProxy: true }),
  "inspect() past its own method": (value) =>
    inspect(value, { showHidden: true, depth: null, getters: true, customInspect: false }),
  "format()": (value) => format("%s %o %O %j", value, value, value, value),
  "the runtime's own inspect": (value) => {
    const globals = globalThis as unknown as Record<string, { inspect: typeof inspect } | undefined>;
    return (globals["Bun"] ?? globals["Deno"])!.inspect({ value });
  },
  "structuredClone()": (value) => inspect(structuredClone(value), { showHidden: true, depth: null }),
  "Reflect.ownKeys()": (value) => inspect(Reflect.ownKeys(Object(value))),
  "a spread": (value) => inspect({ ...Object(value) }, { showHidden: true }),
};

describe("a Vault", () => {
  for (const [name, print] of Object.entries(PRINTERS)) {
    test(`shows no secret to ${name}`, () => {
      assert.deepEqual(shownSecrets(print(createTestVault(SEED_BYTE))), []);
    });
  }

  for (const [runtime, command] of Object.entries(runtimes())) {
    test(
      `shows no secret to the console and in an uncaught error of ${runtime}`,
      { timeout: 60_000 },
      async () => {
        const file = new URL("./program/print-vault.ts", import.meta.url);
        const { code, stdout, stderr } = await runProgram(command, file, String(SEED_BYTE));
        assert.equal(code, 1, stderr);
        assert.match(stdout, /\[Vault\]/);
        assert.match(stderr, /Cannot go on/);
        assert.deepEqual(shownSecrets(stdout + stderr), []);
      },
    );
  }

  test("prints as [Vault]", () => {
    const vault = createTestVault();
    assert.deepEqual([String(vault), JSON.stringify(vault), inspect(vault), `${vault}`], [
      "[Vault]",
      '"[Vault]"',
      "[Vault]",
      "[Vault]",
    ]);
  });

  test("has no own properties, and accepts none", () => {
    const vault = createTestVault();
    assert.deepEqual(Reflect.ownKeys(vault), []);
    assert.deepEqual(Reflect.ownKeys(structuredClone(vault)), []);
    assert.throws(() => Object.assign(vault, { signDigest: () => undefined }), TypeError);
  });

  test("has these methods and no getter", () => {
    const members = Object.getOwnPropertyDescriptors(Vault.prototype);
    assert.deepEqual(Object.keys(members).sort(), [
      "bindToStart",
      "brokerPublicKey",
      "constructor",
      "ethereumPublicKey",
      "keyedHash",
      "mac",
      "makeReleaseKey",
      "makeTokenKey",
      "open",
      "seal",
      "signAsBroker",
      "signDigest",
      "signJwt",
      "signWebhook",
      "toJSON",
      "toString",
      "verifyMac",
      "webhookVerificationKey",
      "wrapReleaseKey",
    ]);
    for (const { get, value } of Object.values(members)) {
      assert.equal(get, undefined);
      assert.equal(typeof value, "function");
    }
  });

  test("shows no secret in the errors it throws", async () => {
    const vault = createTestVault(SEED_BYTE);
    const jobs = [
      () => vault.signDigest(ACCOUNT, 0, new Uint8Array(31)),
      () => vault.signDigest(ACCOUNT, -1, new Uint8Array(32)),
      () => vault.ethereumPublicKey("", 0),
      () => vault.mac("account", {} as Parameters<typeof vault.mac<"account">>[1]),
      () => vault.open("outbox", [], new Uint8Array(64).fill(1)),
      () => vault.open("outbox", [], new Uint8Array(3)),
    ];
    for (const job of jobs) {
      await assert.rejects(async () => await job(), (error: Error) => {
        const all = inspect(error, { showHidden: true, depth: null }) + error.stack + String(error.cause);
        assert.deepEqual(shownSecrets(all), []);
        return true;
      });
    }
  });

  test("refuses a seed that is not 32 bytes", () => {
    for (const length of [0, 31, 33]) {
      const parts = { seed: new Uint8Array(length), primitives, random: () => new Uint8Array() };
      assert.throws(() => new Vault(parts), TypeError);
    }
  });

  test("works after the caller wipes its seed", () => {
    const seed = SEED.slice();
    const vault = new Vault({ seed, primitives, random: () => new Uint8Array() });
    seed.fill(0);
    assert.deepEqual(
      vault.ethereumPublicKey(ACCOUNT, 0),
      createTestVault(SEED_BYTE).ethereumPublicKey(ACCOUNT, 0),
    );
  });
});

test("the search for secrets finds each of them in every format of a leak", () => {
  for (const [index, secret] of SECRETS.entries()) {
    const leaks = [
      inspect(secret),
      JSON.stringify(secret),
      JSON.stringify({ a: [...secret] }),
      secret.toHex(),
    ];
    leaks.push(toBase64url(secret), secret.toBase64(), String(secret), inspect({ deep: { secret } }));
    for (const leak of leaks) assert.ok(shownSecrets(leak).includes(SECRETS[index]!), leak);
  }
});

describe("keyedHash()", () => {
  test("is HMAC-SHA-256 over length-prefixed parts under a key for the purpose", () => {
    for (const purpose of KEYED_HASH_PURPOSES) {
      const key = hkdf(sha256, SEED, SALT, utf8(`keyed-hash/v1/${purpose}`), 32);
      const data = concat(uint32(1), utf8("a"), uint32(0), uint32(2), utf8("bc"));
      assert.deepEqual(
        createTestVault(SEED_BYTE).keyedHash(purpose, utf8("a"), utf8(""), utf8("bc")),
        hmac(sha256, key, data),
      );
    }
  });

  test("differs when purpose, seed or the boundaries between parts differ", () => {
    const [vault, other] = [createTestVault(1), createTestVault(2)];
    const hashes = [
      ...KEYED_HASH_PURPOSES.map((purpose) => vault.keyedHash(purpose, utf8("a"), utf8("bc"))),
      other.keyedHash("audit", utf8("a"), utf8("bc")),
      vault.keyedHash("audit", utf8("ab"), utf8("c")),
      vault.keyedHash("audit", utf8("abc")),
      vault.keyedHash("audit", utf8("a"), utf8("bc"), utf8("")),
    ].map((hash) => hash.toHex());
    assert.equal(new Set(hashes).size, hashes.length);
  });

  test("differs after each start for DPoP nonces and e-mail codes alone, if it is bound to the start", () => {
    const [vault, ...starts] = [createTestVault(), createTestVault(), createTestVault()];
    for (const each of starts) each.bindToStart();
    const changed = KEYED_HASH_PURPOSES.filter((purpose) => {
      const hashes = [vault, ...starts].map((each) => each.keyedHash(purpose, utf8("a")).toHex());
      assert.ok([1, 3].includes(new Set(hashes).size), purpose);
      return new Set(hashes).size === 3;
    });
    assert.deepEqual(changed, ["dpop-nonce", "email-code"]);
  });
});
