import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, signUp } from "../support/client.ts";
import { startEmulator } from "../support/emulator.ts";
import { OWN_RUNTIME, shippedRuntime } from "../support/program.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { makeKey } from "../commands/fixture.ts";
import { temporaryFolder } from "../support/temporary.ts";

// The gate runs Deno's tests with all permissions. These run the shipped command with the shipped permissions.

const TIMEOUT = { timeout: 60_000 };
/** Bun has no permissions, so that the form of the program makes no difference there. */
const RUNTIME = OWN_RUNTIME === "deno" ? OWN_RUNTIME : builtRuntime();
const VAULT = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
const DESCRIPTOR = {
  $schema: "erc7730-v2.schema.json",
  context: { eip712: { deployments: [{ chainId: 1, address: VAULT }] } },
  display: {
    formats: { "Note(string text)": { intent: "Write a note", fields: [{ path: "text", label: "Text" }] } },
  },
};
const NOTE = {
  types: {
    EIP712Domain: [{ name: "chainId", type: "uint256" }, { name: "verifyingContract", type: "address" }],
    Note: [{ name: "text", type: "string" }],
  },
  primaryType: "Note",
  domain: { chainId: 1, verifyingContract: VAULT },
  message: { text: "hello" },
};

test("only the needed permissions are shipped", () => {
  const flags = OWN_RUNTIME === "deno" ? shippedRuntime().filter((word) => word.startsWith("--allow")) : [];
  const needed = ["--allow-net", "--allow-env", "--allow-read", "--allow-write", "--allow-sys=uid,statfs,ca"];
  assert.deepEqual(flags, OWN_RUNTIME === "deno" ? needed : []);
  assert.ok(!shippedRuntime().includes("-A"));
});

test(
  "a service with the shipped permissions reads its key, descriptors and database, and starts again",
  TIMEOUT,
  async () => {
    using folder = temporaryFolder();
    const [reports, dataDir, descriptors] = ["report", "data", "clear"].map((name) =>
      join(folder.path, name)
    );
    for (const path of [reports!, dataDir!, descriptors!]) mkdirSync(path);
    writeFileSync(join(descriptors!, "eip712-note.json"), JSON.stringify(DESCRIPTOR));
    const kernel = await startEmulator("configfs", reports!);
    const env = {
      TEE: "tdx",
      TEE_TSM_PATH: reports!,
      TEE_SEALING_KEY_FILE: makeKey(join(folder.path, "key")),
      CLEAR_SIGNING_DIR: descriptors!,
      DATABASE_URL: `sqlite:${join(folder.path, "elsewhere.db")}`,
    };
    const options = { runtime: RUNTIME, dataDir: dataDir!, env } as const;
    let cookies: ReadonlyMap<string, string> = new Map();
    let keyId = "";
    for (const isFirst of [true, false]) {
      await using service = await startService(options);
      const client = createClient(service.baseUrl, (request) => fetch(request));
      if (isFirst) keyId = (await signUp(client, "ada@example.com")).body.key.id;
      else for (const [name, value] of cookies) client.cookies.set(name, value);
      ({ cookies } = client);
      const { body, text } = await client.post(`/api/keys/${keyId}/explain`, NOTE);
      assert.match(text, /Write a note/, JSON.stringify(body));
      const quote = await client.get(`/api/keys/${keyId}/quote?nonce=AAECAwQFBgcICQoLDA0ODw`);
      assert.equal(quote.status, 200, quote.text);
      assert.deepEqual(await service.stop(), { code: 0, signal: null });
    }
    await kernel.stop();
  },
);

test(
  "a start with the shipped permissions rejects a symbolic link as sealing key, and creates no database",
  TIMEOUT,
  async () => {
    using folder = temporaryFolder();
    const [reports, dataDir] = [join(folder.path, "report"), join(folder.path, "data")];
    for (const path of [reports, dataDir]) mkdirSync(path);
    const path = join(folder.path, "link");
    symlinkSync(makeKey(join(folder.path, "key")), path);
    const env = { TEE: "tdx", TEE_TSM_PATH: reports, TEE_SEALING_KEY_FILE: path };
    await assert.rejects(startService({ runtime: RUNTIME, dataDir, env }), (error) => {
      assert.ok(error instanceof ServiceStartError, String(error));
      assert.equal(error.exit.code, 2, error.message);
      assert.match(error.stderr.join("\n"), /it is a symbolic link/);
      return true;
    });
    assert.ok(!readdirSync(dataDir).includes("holdfast.db"));
  },
);
