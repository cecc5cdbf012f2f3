import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serve, SERVE_LIMITS } from "../../../src/runtime/serve.ts";
import { createTestApp, NO_PROVIDERS } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import { findFreePort } from "../../support/free-port.ts";
import { agreeTo } from "../../support/key-application.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { setStage } from "./stage.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const PROGRAM = fileURLToPath(new URL("./program/run-suite.ts", import.meta.url));
const LIMITS = { ...SERVE_LIMITS, stopSeconds: 1 };

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/**
 * Runs commands of the suite, one after the other in one process, because loading the suite takes longer than most
 * commands. Returns the checks of each. `onLine` gets each line that they print.
 */
async function runSuite(
  commands: readonly (readonly string[])[],
  onLine: (line: string) => void = () => {},
): Promise<Check[][]> {
  using temporary = temporaryFolder();
  const folders = commands.map((_, index) => join(temporary.path, String(index)));
  const runs = JSON.stringify(commands.map((args, index) => [...args, "-o", folders[index]]));
  const child = spawn(join(ROOT, "node_modules/.bin/bun"), [PROGRAM, SUITE, runs]);
  let printed = "";
  child.stdout.on("data", (chunk: Uint8Array) => {
    const text = new TextDecoder().decode(chunk);
    printed += text;
    for (const line of text.split("\n")) onLine(line);
  });
  child.stderr.on("data", (chunk: Uint8Array) => printed += new TextDecoder().decode(chunk));
  await new Promise((resolve) => child.on("close", resolve));
  return folders.map((folder) => {
    assert.ok(existsSync(folder), printed);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("checks.json")
    );
    assert.ok(files.length > 0, printed);
    return files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Check[]);
  });
}

/** The checks that want a tool of the suite's own, or prompts and resources, which an agent gets none of here. */
const LEFT_OUT = [
  "sep-2549-prompts-list-caching-hints",
  "sep-2549-resources-list-caching-hints",
  "sep-2549-resources-templates-list-caching-hints",
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
];

function faultsOf(checks: readonly Check[]): string[] {
  return checks.filter(({ id, status }) => status === "FAILURE" && !LEFT_OUT.includes(id))
    .map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ""}`);
}

/** The scenarios by the version of the protocol. */
const SCENARIOS = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  "2026-07-28": [
    "server-stateless",
    "tools-list",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "caching",
  ],
} as const;

describe("the conformance suite of the protocol", { timeout: 120_000 }, () => {
  test("finds no fault in /mcp in either era", async () => {
    const port = await findFreePort();
    const origin = `http://localhost:${port}`;
    await using stage = await setStage({}, origin);
    // The suite sends no token.
    const handler: typeof stage.app.app = (request, connection) => {
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${stage.token}`);
      const { method, url, body, signal } = request;
      return stage.app.app(
        { method, url, body, signal, headers, arrayBuffer: () => request.arrayBuffer() },
        connection,
      );
    };
    const server = await serve({ hostname: "localhost", port, handler, limits: LIMITS });
    try {
      const runs = Object.entries(SCENARIOS).flatMap(([version, scenarios]) =>
        scenarios.map((scenario) => ({ version, scenario }))
      );
      const found = await runSuite(runs.map(({ version, scenario }) => [
        "server",
        ...["--url", `${origin}/mcp`, "--scenario", scenario, "--spec-version", version],
      ]));
      for (const [index, { version, scenario }] of runs.entries()) {
        assert.deepEqual(faultsOf(found[index]!), [], `${version} ${scenario}`);
      }
    } finally {
      await server.stop();
    }
  });

  test("finds no fault in the authorization server", async () => {
    const [port, callbackPort] = [await findFreePort(), await findFreePort()];
    const origin = `http://localhost:${port}`;
    const document = {
      client_id: "https://agent.example/client.json",
      redirect_uris: ["http://127.0.0.1/callback"],
      token_endpoint_auth_method: "none",
    };
    const identity = { ...NO_PROVIDERS, fetch: () => Promise.resolve(Response.json(document)) };
    await using app = await createTestApp({ origin, identity });
    const server = await serve({ hostname: "localhost", port, handler: app.app, limits: LIMITS });
    try {
      const person = app.client();
      const keyId = (await signUp(person, "ada@example.com")).body.key.id;
      const letIn = async (line: string): Promise<void> => {
        const url = new URL(line.trim());
        const asked = await person.get(url.pathname + url.search);
        const request = new URL(asked.headers.get("location")!, origin).searchParams.get("request")!;
        await person.get(`/consent?request=${request}`);
        const decided = await agreeTo(person, request, { keys: [keyId] });
        await fetch(decided.headers.get("location")!);
      };
      const [checks] = await runSuite([[
        "authorization",
        ...["--url", origin, "--client-id", document.client_id],
        ...["--resource", `${origin}/mcp`, "--port", String(callbackPort)],
      ]], (line) => {
        if (line.startsWith(`${origin}/api/auth/oauth2/authorize`)) void letIn(line);
      });
      assert.deepEqual(faultsOf(checks!), []);
      assert.ok(checks!.some(({ status }) => status === "SUCCESS"));
    } finally {
      await server.stop();
    }
  });
});
