import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { exportJWK } from "jose";
import { hashMessage, hashTypedData, keccak256, parseTransaction, recoverAddress } from "viem";
import type { Hex } from "viem";
import { approve, ASKING_POLICY, REQUESTS } from "../support/asking.ts";
import { signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { createProver } from "../support/dpop.ts";
import { findFreePort } from "../support/free-port.ts";
import { runProgram } from "../support/guide.ts";
import { agreeTo, registerKeyClient } from "../support/key-application.ts";
import { locationOf } from "../support/oauth.ts";
import { serveTestApp } from "../support/served-app.ts";

const GUIDE = readFileSync(fileURLToPath(new URL("../../docs/how-to/programs.md", import.meta.url)), "utf8");
const HAS_CURL = spawnSync("curl", ["--version"]).error === undefined;

/** Returns the guide's commands as one shell script, with an empty line between their outputs. */
function script(): string {
  const blocks = [...GUIDE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!);
  assert.ok(blocks.length >= 7);
  return ["set -eu", ...blocks].join("\necho\n");
}

/** Runs a script asynchronously, because the service runs in this process. Returns its output. */
async function run(text: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn("sh", ["-c", text], { env: { PATH: process.env["PATH"] ?? "", ...env } });
  let [printed, wrong] = ["", ""];
  child.stdout.on("data", (chunk) => printed += chunk);
  child.stderr.on("data", (chunk) => wrong += chunk);
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, printed + wrong);
  return printed;
}

/** Approves the owner's first signature request. */
async function approveFirst(person: Client): Promise<void> {
  for (;;) {
    const [request] = (await person.get(REQUESTS)).body.requests;
    if (request !== undefined) return assert.equal((await approve(person, request.id)).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test("docs/how-to/programs.md works verbatim, from a token to signatures that other libraries verify", {
  timeout: 60_000,
  skip: HAS_CURL ? false : "curl is not here",
}, async () => {
  const served = await serveTestApp();
  try {
    const person = served.app.client();
    const { key } = (await signUp(person, "ada@example.com")).body;
    const terms = { name: "Guide", keys: [key.id], actions: ["read", "sign"] };
    const { text } = (await person.post("/api/auth/tokens", terms)).body;
    const asking =
      (await person.post("/api/auth/tokens", { ...terms, name: "Asking", policy: ASKING_POLICY })).body;
    const [printed] = await Promise.all([
      run(script(), { HOLDFAST: served.baseUrl, TOKEN: text, ASKING_TOKEN: asking.text }),
      approveFirst(person),
    ]);
    const answers = printed.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    const [keys, message, typedData, transaction, explained, requested] = answers;
    assert.deepEqual(keys.keys, [key]);
    assert.equal(
      await recoverAddress({ hash: hashMessage("hello"), signature: message.signature }),
      key.address,
    );
    const digest = hashTypedData({
      types: { Greeting: [{ name: "text", type: "string" }] },
      primaryType: "Greeting",
      domain: { name: "Example", chainId: 1 },
      message: { text: "hello" },
    });
    assert.equal(await recoverAddress({ hash: digest, signature: typedData.signature }), key.address);
    const serialized = transaction.serializedTransaction as Hex;
    assert.deepEqual([parseTransaction(serialized).value, transaction.from], [
      1_000_000_000_000_000n,
      key.address,
    ]);
    assert.equal(keccak256(serialized), transaction.hash);
    assert.equal(explained.digest, message.digest);
    const { status, signed } = requested.request;
    assert.equal(status, "signed");
    assert.equal(
      await recoverAddress({ hash: hashMessage("may I?"), signature: signed.signature }),
      key.address,
    );
  } finally {
    await served.stop();
  }
});

/** Returns the program of that name in the guide. */
function programOf(name: string): string {
  const blocks = [...GUIDE.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text!);
  return blocks.find((text) => text.startsWith(`// ${name}\n`))!;
}

test("docs/how-to/programs.md signs with a token bound to a proof key", { timeout: 60_000 }, async () => {
  const served = await serveTestApp();
  served.app.now = Date.now();
  try {
    const person = served.app.client();
    const { key } = (await signUp(person, "ada@example.com")).body;
    const prover = await createProver();
    const terms = { name: "Guide", keys: [key.id], actions: ["sign"], jwk: prover.jwk };
    const { text } = (await person.post("/api/auth/tokens", terms)).body;
    await using program = runProgram("bound.mjs", programOf("bound.mjs"), {
      HOLDFAST: served.baseUrl,
      BOUND_TOKEN: text,
      PROOF_KEY: JSON.stringify(await exportJWK(prover.keys.privateKey)),
      KEY: key.id,
    });
    const { signature } = JSON.parse(await program.line(/signature/));
    assert.equal(await recoverAddress({ hash: hashMessage("hello"), signature }), key.address);
  } finally {
    await served.stop();
  }
});

test(
  "docs/how-to/programs.md lets an application sign with the key that its user picked",
  { timeout: 60_000 },
  async () => {
    const served = await serveTestApp();
    served.app.now = Date.now();
    try {
      const person = served.app.client();
      const { key } = (await signUp(person, "ada@example.com")).body;
      const provider = { origin: served.baseUrl, client: () => served.app.client() };
      const { clientId } = await registerKeyClient(provider, {
        type: "native",
        redirectUris: ["http://127.0.0.1/callback"],
      });
      await using program = runProgram("application.mjs", programOf("application.mjs"), {
        HOLDFAST: served.baseUrl,
        CLIENT_ID: clientId,
        PORT: String(await findFreePort()),
      });
      const url = new URL((await program.line(/^Open /)).slice("Open ".length));
      const at = locationOf(await person.get(url.pathname + url.search), served.baseUrl);
      const agreed = await agreeTo(person, at.searchParams.get("request")!, {
        keys: [key.id],
        rules: ["text"],
      });
      await fetch(locationOf(agreed));
      const { signature } = JSON.parse(await program.line(/signature/));
      assert.equal(await recoverAddress({ hash: hashMessage("hello"), signature }), key.address);
    } finally {
      await served.stop();
    }
  },
);

test("docs/how-to/programs.md gives the pattern of the service's tokens", async () => {
  const served = await serveTestApp();
  try {
    const person = served.app.client();
    await signUp(person, "ada@example.com");
    const { text } =
      (await person.post("/api/auth/tokens", { name: "a", keys: "all", actions: ["read"] })).body;
    const [, pattern] = /`(hfst_\[[^`]*)`/.exec(GUIDE)!;
    assert.match(text, new RegExp(`^${pattern}$`));
  } finally {
    await served.stop();
  }
});
