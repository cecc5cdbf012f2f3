import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { readClearSigning } from "../../../src/commands/files/clear-signing.ts";
import { ConfigError } from "../../../src/config/config.ts";
import type { Answer, Client } from "../../support/client.ts";
import { signUp } from "../../support/client.ts";
import { createKeyOwner } from "../../support/key-owner.ts";

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

/** Returns a transaction that transfers one USDC to an address. */
function transferTo(address: string): Record<string, unknown> {
  const data = "0xa9059cbb" + address.slice(2).toLowerCase().padStart(64, "0") +
    (1_000_000).toString(16).padStart(64, "0");
  return { type: "legacy", chainId: 1, nonce: 0, gas: 60_000, gasPrice: "1000000000", to: USDC, data };
}

test("POST explain shows the labels of the owner's other keys, and not another account's", async () => {
  await using ada = await createKeyOwner();
  const bob = ada.app.client();
  await signUp(bob, "bob@example.com");
  const { keys } = (await bob.get("/api/keys")).body;
  const other = (await ada.client.post("/api/keys/generate", { label: "Rent\u202Etner" })).body.key;
  const sentence = async (who: Client, keyId: string): Promise<string> =>
    (await who.post(`/api/keys/${keyId}/explain`, transferTo(other.address))).body.intent.sentence;
  assert.match(
    await sentence(ada.client, ada.keyId),
    new RegExp(
      `^Send 1 USDC from this key \\(0x\\w+\\) to your key “Rent\\[U\\+202E\\]tner” \\(${other.address}\\) on Ethereum\\.`,
    ),
  );
  assert.match(await sentence(bob, keys[0].id), new RegExp(` to ${other.address} on Ethereum\\.`));
});

test("POST explain shows the holder of a token only the labels of the keys that the token names", async () => {
  await using ada = await createKeyOwner();
  const make = async (label: string): Promise<{ id: string; address: string }> =>
    (await ada.client.post("/api/keys/generate", { label })).body.key;
  const [named, other] = [await make("Named"), await make("Other")];
  const terms = { name: "Bot", keys: [ada.keyId, named.id], actions: ["read"] };
  const { text } = (await ada.client.post("/api/auth/tokens", terms)).body;
  const headers = { authorization: `Bearer ${text}` };
  const sentence = async (address: string): Promise<string> => {
    const path = `/api/keys/${ada.keyId}/explain`;
    return (await ada.app.client().post(path, transferTo(address), { headers })).body.intent.sentence;
  };
  assert.match(await sentence(named.address), /your key “Named”/);
  assert.doesNotMatch(await sentence(other.address), /Other/);
});

test("POST explain answers in German on request and in English otherwise, whatever Accept-Language says", async () => {
  await using ada = await createKeyOwner();
  const path = `/api/keys/${ada.keyId}/explain`;
  const body = transferTo(USDC);
  const headers = { "accept-language": "de" };
  const plain = (await ada.client.post(path, body, { headers })).body;
  const english = (await ada.client.post(`${path}?language=en`, body)).body;
  const german = (await ada.client.post(`${path}?language=de`, body)).body;
  assert.deepEqual(english, plain);
  assert.match(plain.intent.sentence, /^Send 1 USDC from this key /);
  assert.match(german.intent.sentence, /^Sie senden 1 USDC von diesem Schlüssel \(0x\w{40}\) an USDC \(/);
  assert.equal(german.intent.fields[0].label, "Token");
  assert.equal(plain.decision.reason, "No policy limits what may be signed");
  assert.equal(german.decision.reason, "Keine Richtlinie begrenzt, was signiert werden darf");
  assert.equal(german.intent.fields[1].label, "Von");
  // The members that programs decide on are the same in both languages.
  const forPrograms = ({ intent, decision, ...rest }: typeof plain): unknown => ({
    ...rest,
    decision: { ...decision, reason: "" },
    effects: intent.effects,
  });
  assert.deepEqual(forPrograms(german), forPrograms(plain));
  for (const query of ["language=fr", "language=", "language=de&language=de", "lang=de"]) {
    assert.equal((await ada.client.post(`${path}?${query}`, body)).status, 400, query);
  }
});

test("POST explain reads bytes that are a text as that text", async () => {
  await using ada = await createKeyOwner();
  const explain = async (message: string): Promise<Record<string, unknown>> =>
    (await ada.client.post(`/api/keys/${ada.keyId}/explain`, { message, encoding: "hex" })).body.intent;
  assert.equal((await explain("0x68656c6c6f")).sentence, "Sign the text “hello”.");
  assert.equal((await explain("0xff68")).kind, "bytes");
  assert.match(
    String((await explain("0x" + "9f".repeat(32))).sentence),
    /may be the hash of a user operation/,
  );
});

test("POST explain describes the calls of a call, and says if its effects are complete", async () => {
  await using ada = await createKeyOwner();
  const explain = async (data: string): Promise<Answer["body"]["intent"]> => {
    const calls = encodeFunctionData({
      abi: parseAbi(["function aggregate((address to, bytes data)[] calls)"]),
      args: [[{ to: USDC, data: transferTo(USDC).data as Hex }, { to: USDC, data: data as Hex }]],
    });
    const body = { ...transferTo(USDC), to: "0xcA11bde05977b3631167028862bE2a173976CA11", data: calls };
    return (await ada.client.post(`/api/keys/${ada.keyId}/explain`, body)).body.intent;
  };
  const known = await explain(transferTo(USDC).data as string);
  assert.match(
    known.sentence,
    /^Let Multicall3 \(0x\w{40}\) carry out: \(1\) Send 1 USDC from .+ \(2\) Send 1 USDC/,
  );
  assert.equal(known.effectsComplete, true);
  assert.deepEqual(known.warnings, []);
  const unknown = await explain("0xdeadbeef");
  assert.equal(unknown.effectsComplete, false);
  assert.deepEqual(
    unknown.warnings.map(({ level, code }: { level: string; code: string }) => [level, code]),
    [
      ["red", "not_understood"],
    ],
  );
});

describe("readClearSigning()", () => {
  const vault = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
  const descriptor = {
    $schema: "erc7730-v2.schema.json",
    context: { eip712: { deployments: [{ chainId: 1, address: vault }] } },
    display: {
      formats: { "Note(string text)": { intent: "Write a note", fields: [{ path: "text", label: "Text" }] } },
    },
  };

  function folderWith(files: Readonly<Record<string, string>>): { path: string } & Disposable {
    const path = mkdtempSync(join(tmpdir(), "holdfast-clear-signing-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
  }

  test("readClearSigning() reads descriptors and tokens, and includes their contents in the digest", () => {
    using folder = folderWith({
      "eip712-note.json": JSON.stringify(descriptor),
      "tokens.json": JSON.stringify({ tokens: [{ chainId: 1, address: vault, symbol: "VLT", decimals: 2 }] }),
      "notes.json": "[1]",
    });
    const { directory, digest, leftOut } = readClearSigning(folder.path);
    assert.equal(directory.tokens.get(`1:${vault}`)?.symbol, "VLT");
    assert.equal(directory.descriptors.get(`1:${vault}`)?.length, 1);
    assert.deepEqual(leftOut, []);
    writeFileSync(join(folder.path, "tokens.json"), '{"tokens":[]}');
    assert.notEqual(readClearSigning(folder.path).digest, digest);
    assert.equal(readClearSigning(undefined).digest, undefined);
  });

  test("readClearSigning() leaves out each file that it cannot use, with the reason, and uses the others", () => {
    using folder = folderWith({
      "eip712-a.json": "{}",
      "eip712-b.json": JSON.stringify({ ...descriptor, $schema: "erc7730-v1.schema.json" }),
      "eip712-c.json": "{",
      "eip712-d.json": JSON.stringify(descriptor),
      "calldata-e.json": JSON.stringify({
        ...descriptor,
        context: { contract: { deployments: [{ chainId: 1, address: vault }] } },
        display: { formats: { "note(uint text)": {} } },
      }),
      "tokens.json": '{"tokens":[{}]}',
    });
    const { files, formats, leftOut, directory } = readClearSigning(folder.path);
    assert.deepEqual([files, formats, directory.descriptors.get(`1:${vault}`)?.length], [2, 1, 2]);
    assert.deepEqual(leftOut, [
      { path: "eip712-c.json", reason: "It is not JSON" },
      { path: "tokens.json", reason: "Token 0 needs a valid chainId, address, symbol and decimals" },
      {
        path: "calldata-e.json",
        reason: "note(uint text): The key is not a function or a type in its canonical form",
      },
      { path: "eip712-a.json", reason: "$schema is not version 2 of ERC-7730" },
      { path: "eip712-b.json", reason: "$schema is not version 2 of ERC-7730" },
    ]);
    assert.throws(() => readClearSigning(join(folder.path, "missing")), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(error.faults, ["CLEAR_SIGNING_DIR cannot be read: ENOENT"]);
      return true;
    });
  });
});

test("POST explain answers with HTML if Accept lists it first, and with JSON otherwise", async () => {
  await using ada = await createKeyOwner();
  const path = `/api/keys/${ada.keyId}/explain`;
  const ask = (accept: string, query = ""): Promise<Answer> =>
    ada.client.post(`${path}${query}`, { message: "hello <b>" }, { headers: { accept } });
  for (const accept of ["text/html", "Text/HTML;charset=utf-8, application/json"]) {
    const answer = await ask(accept, "?language=de");
    assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.match(answer.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    assert.match(answer.text, /Dieser Text.*hello &lt;b&gt;/s);
  }
  for (const accept of ["*/*", "application/json, text/html", "text/html-template", ""]) {
    const answer = await ask(accept);
    assert.equal(answer.headers.get("content-type"), "application/json", accept);
  }
  const refused = await ada.client.post(path, { message: 1 }, { headers: { accept: "text/html" } });
  assert.equal(refused.headers.get("content-type"), "application/problem+json");
});

test("POST explain answers no page whose texts take long to show", async () => {
  await using ada = await createKeyOwner();
  const statusOf = async (message: string, accept: string): Promise<number> =>
    (await ada.client.post(`/api/keys/${ada.keyId}/explain`, { message }, { headers: { accept } })).status;
  for (const character of ["\u202e", "\u0001", "\r", "\u0436"]) {
    assert.equal(await statusOf(character.repeat(32_768), "text/html"), 200);
    assert.equal(await statusOf(character.repeat(32_769), "text/html"), 413);
    assert.equal(await statusOf(character.repeat(32_769), "application/json"), 200);
  }
  assert.equal(await statusOf("a line\n".repeat(32_769), "text/html"), 200);
});
