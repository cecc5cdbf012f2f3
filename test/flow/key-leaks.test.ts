import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { privateKeyToAddress } from "viem/accounts";
import { builtInClearSigning } from "../../src/commands/files/clear-signing.ts";
import { compose } from "../../src/commands/open/compose.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { readConfig } from "../../src/config/config.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { concat, toBase64url, uint32, utf8 } from "../../src/lib/bytes.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { ADMIN_KEY, NO_PROVIDERS, ORIGIN } from "../support/app.ts";
import { createClient, signIn, signUp } from "../support/client.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Derives a private key as docs/why/keys-and-tee.md describes. */
function privateKeyOf(seed: Uint8Array, accountId: string, keyIndex: number): Uint8Array {
  const id = utf8(accountId);
  const info = concat(utf8("ethereum-key/v1"), uint32(id.length), id, uint32(keyIndex));
  const material = hkdf(sha512, seed, utf8("holdfast"), info, 48);
  const scalar = BigInt("0x" + material.toHex()) % (ORDER - 1n) + 1n;
  return Uint8Array.fromHex(scalar.toString(16).padStart(64, "0"));
}

/** Returns every encoding in which bytes could leak. Base64 inside other bytes has one of three alignments. */
function formsOf(secret: Uint8Array): string[] {
  const aligned = [0, 1, 2].flatMap((shift) => {
    const padded = concat(new Uint8Array(shift), secret);
    return [padded.toBase64(), toBase64url(padded)].map((text) => text.slice(4, -4));
  });
  const latin1 = Array.from(secret, (byte) => String.fromCharCode(byte)).join("");
  const decimal = BigInt("0x" + secret.toHex()).toString();
  return [latin1, secret.toHex(), secret.toHex().toUpperCase(), decimal, secret.join(","), ...aligned];
}

function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  );
}

function assertNowhere(secret: string, places: Readonly<Record<string, string>>, what: string): void {
  for (const [place, text] of Object.entries(places)) {
    assert.equal(text.includes(secret), false, `${what} shows in ${place}`);
  }
}

test("no key byte shows in any answer, log line or file over the whole flow", async () => {
  using folder = temporaryFolder();
  const draws: Uint8Array[] = [];
  const random = (length: number): Uint8Array => {
    const drawn = crypto.getRandomValues(new Uint8Array(length));
    draws.push(drawn.slice());
    return drawn;
  };
  const logged: string[] = [];
  const config = readConfig({ DATA_DIR: folder.path, LOG_LEVEL: "debug" });
  const openedVault = await openConfiguredVault(config, { now: Date.now(), random });
  const { app } = compose(config, ORIGIN, openedVault, {
    now: Date.now,
    stopwatch: () => performance.now(),
    random,
    metrics: createMetrics(() => 0),
    log: (...event) => logged.push(JSON.stringify(event)),
    adminApiKey: ADMIN_KEY,
    identityProviders: [],
    outgoing: NO_PROVIDERS,
    pushKeys: undefined,
    mailer: { queued: () => {} },
    clearSigning: builtInClearSigning(),
    logo: undefined,
    unreadyReasons: () => Promise.resolve([]),
  });
  const client = createClient(ORIGIN, (request) => app(request, { clientAddress: "127.0.0.1" }));

  const { account, key } = (await signUp(client, "ada@example.com")).body;
  const second = (await client.post("/api/keys/generate", { label: "Second" })).body.key;
  const tokens = [client.cookies.get("service.session_token")!];
  for (const { id } of [key, second]) {
    await client.post(`/api/keys/${id}/sign`, { message: "hello" });
    await client.post(`/api/keys/${id}/sign`, { message: "0x00", format: "raw" });
    await client.post(`/api/keys/${id}/sign`, { message: "0x" + "01".repeat(32), format: "digest" });
    await client.post(`/api/keys/${id}/sign`, { message: "0x01", format: "digest" });
    await client.get(`/api/keys/${id}/quote`);
    await client.get(`/keys/${id}`);
    await client.post(`/api/keys/${id}/archive`);
  }
  for (const path of ["/", "/keys", "/sign-in", "/api/keys?archived=true", "/api/nothing", "/dev/outbox"]) {
    await client.get(path);
  }
  await client.post("/api/auth/sign-out");
  await signIn(client);
  tokens.push(client.cookies.get("service.session_token")!);

  const open = filesIn(folder.path);
  await closeDatabase(openedVault.db);
  const closed = filesIn(folder.path);
  const sealingKey = readFileSync(join(folder.path, "simulated-sealing-key"));
  const { ["simulated-sealing-key"]: _open, ...openFiles } = open;
  const { ["simulated-sealing-key"]: _closed, ...closedFiles } = closed;
  const files = { ...prefixed("open ", openFiles), ...prefixed("closed ", closedFiles) };
  assert.ok("open holdfast.db-wal" in files && "closed holdfast.db" in files);
  const outside = { answers: client.seen.join("\n"), log: logged.join("\n"), ...files };

  const seed = draws.find((draw) =>
    draw.length === 32 && addressOf(privateKeyOf(draw, account.id, 0)) === key.address
  );
  assert.ok(seed !== undefined, "the seed is among the draws, so the derivation is the documented one");
  const privateKeys = [0, 1].map((index) => privateKeyOf(seed, account.id, index));
  assert.equal(addressOf(privateKeys[1]!), second.address);
  for (const secret of [seed, sealingKey, ...privateKeys]) {
    for (const form of formsOf(secret)) assertNowhere(form, outside, "a secret key");
  }
  for (const token of tokens) {
    assertNowhere(token.split(".")[1]!, { log: outside.log, ...files }, "a session token");
  }
});

function prefixed(prefix: string, record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [prefix + name, value]));
}

function addressOf(privateKey: Uint8Array): string {
  return privateKeyToAddress(`0x${privateKey.toHex()}`);
}

test("the search for leaks finds a planted secret in each of its forms", () => {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  for (const [index, form] of formsOf(secret).entries()) {
    assert.throws(
      () => assertNowhere(form, { answers: `before ${form} after` }, "x"),
      assert.AssertionError,
      String(index),
    );
  }
  const inBase64 = concat(utf8("ab"), secret, utf8("cd")).toBase64();
  assert.ok(formsOf(secret).some((form) => inBase64.includes(form)));
});
