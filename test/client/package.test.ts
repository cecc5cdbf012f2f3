import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { verifyMessage } from "ethers";
import { buildPackage } from "../../scripts/npm-package.ts";
import { makeSimulatedCollateral } from "../../src/tee/simulated/simulated-collateral.ts";
import { makeSimulatedPki } from "../../src/tee/simulated/simulated-pki.ts";
import { createClient, signUp } from "../support/client.ts";
import { type ServedApp, serveTestApp } from "../support/served-app.ts";
import { DENO_DIR } from "../support/service.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TOOLS = join(ROOT, "node_modules/.bin");
const BUN = join(TOOLS, "bun");
/** The oldest TypeScript version of the guide, which the type checker of the package depends on. */
const OLDEST_TYPESCRIPT = join(ROOT, "node_modules/@arethetypeswrong/core/node_modules/typescript");
const GUIDE = readFileSync(join(ROOT, "docs/how-to/clients.md"), "utf8");
/** The time in which a new developer has a verified signature. */
const LIMIT = { timeout: 120_000 };
/** Compressed bytes of the client in a page. */
const CLIENT_LIMIT = 6 * 1024;

/** The programs of the guide by the names in their first lines, and its commands. */
const PROGRAMS = new Map(
  [...GUIDE.matchAll(/^```ts\n(\/\/ ([\w.]+)\n.*?)^```$/gms)].map(([, text, name]) => [name!, text!]),
);
const COMMANDS = [...GUIDE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!).join("\n");

let folder: TemporaryFolder;
let project: string;
let tarball: string;
let served: ServedApp;
let environment: Record<string, string>;

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

function runTool(tool: string, args: readonly string[], cwd: string): Ran {
  const { PATH = "", HOME = "" } = process.env;
  const npm_config_cache = join(folder.path, "cache");
  // Bun's last compiler takes a third of the time of the oldest TypeScript, which runs on Bun.
  const env = { PATH, HOME, NO_COLOR: "1", npm_config_cache, BUN_JSC_useFTLJIT: "0" };
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd, env, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

/** Runs a program while this process runs the service. */
async function run(command: string, args: readonly string[]): Promise<Ran> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(command, args, {
    cwd: project,
    env: { PATH, HOME, DENO_DIR, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output += chunk);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, output };
}

/** Runs a program as the guide says, on the current runtime. */
async function runProgram(name: string): Promise<string> {
  const [command, ...args] = process.versions["bun"] === undefined
    ? [join(TOOLS, "deno"), "run", "-A", "--no-check", "--node-modules-dir=manual"]
    : [BUN];
  const { status, output } = await run(command!, [...args, name]);
  assert.equal(status, 0, output);
  return output;
}

/** Asserts that every line with an address and a signature is one of "hello" by that address. */
function assertHello(output: string): void {
  const lines = [...output.matchAll(/^(0x[0-9a-fA-F]{40}) (0x[0-9a-f]{130})\b/gm)];
  assert.ok(lines.length > 0, output);
  for (const [, address, signature] of lines) assert.equal(verifyMessage("hello", signature!), address);
}

describe("the package", () => {
  before(async () => {
    folder = temporaryFolder();
    project = join(folder.path, "project");
    mkdirSync(project);
    served = await serveTestApp();
    served.app.now = Date.now();
    const person = createClient(served.baseUrl, (request) => fetch(request));
    await signUp(person, "ada@example.com");
    const made = await person.post("/api/auth/tokens", {
      name: "Bot",
      keys: "all",
      actions: ["read", "sign"],
    });
    const pki = makeSimulatedPki(await served.app.tee.sealingKey());
    writeFileSync(join(folder.path, "root.pem"), pki.rootCertificate);
    writeFileSync(join(folder.path, "collateral.json"), makeSimulatedCollateral(pki));
    environment = {
      HOLDFAST: served.baseUrl,
      TOKEN: made.body.text,
      ROOT: join(folder.path, "root.pem"),
      COLLATERAL: join(folder.path, "collateral.json"),
    };
  });
  after(async () => {
    await served.stop();
    folder[Symbol.dispose]();
  });

  test("is packed", LIMIT, () => {
    buildPackage(join(folder.path, "built"));
    const packed = runTool("npm", ["pack", "--pack-destination", folder.path], join(folder.path, "built"));
    assert.equal(packed.status, 0, packed.output);
    tarball = join(folder.path, readdirSync(folder.path).find((name) => name.endsWith(".tgz"))!);
  });

  test("from an empty folder to a verified signature", LIMIT, async () => {
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    const installed = runTool("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], project);
    assert.equal(installed.status, 0, installed.output);
    writeFileSync(join(project, "client.ts"), PROGRAMS.get("client.ts")!);
    const output = await runProgram("client.ts");
    assertHello(output);
    assert.match(output, /^not_found 404 [0-9a-f]{32}$/m);
    assert.deepEqual(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith(".")), [
      "holdfast",
    ]);
  });

  // The user of an adapter has its library installed; the programs' `process` needs the types of Node.js.
  const beside = (): void => {
    for (const name of ["viem", "ethers", "@types"]) {
      symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
    }
    for (const [name, text] of PROGRAMS) writeFileSync(join(project, name), text);
  };

  test("every other program of the guide runs as it stands", LIMIT, async () => {
    beside();
    for (const name of ["viem.ts", "ethers.ts", "rpc.ts"]) {
      const output = await runProgram(name);
      assertHello(output);
      assert.doesNotMatch(output, /false/);
    }
    assert.match(await runProgram("quote.ts"), / true \[\]?/);
    const { status, output } = await run("sh", ["-c", `set -e\n${COMMANDS}`]);
    assert.equal(status, 0, output);
    assert.match(output, /"result":"0x[0-9a-f]{130}"/);
  });

  test("its programs are right to the oldest TypeScript that the guide names, and to this one", LIMIT, () => {
    const oldest = JSON.parse(readFileSync(join(OLDEST_TYPESCRIPT, "package.json"), "utf8"))
      .version as string;
    const [, named] = /TypeScript (\d+\.\d+) or later/.exec(GUIDE)!;
    assert.ok(oldest.startsWith(`${named}.`), oldest);
    const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--types", "node"];
    // The declarations of the libraries are not checked.
    const args = [...options, "--skipLibCheck", ...PROGRAMS.keys()];
    for (
      const found of [
        runTool(BUN, [join(OLDEST_TYPESCRIPT, "lib/tsc.js"), ...args], project),
        runTool(join(TOOLS, "tsc"), args, project),
      ]
    ) assert.equal(found.status, 0, found.output);
  });

  // One compilation gives both, because it writes its output whatever it finds in other packages.
  test(
    "its own declarations are right in full, and its client and its verifier run on Node.js as well",
    LIMIT,
    async () => {
      const options = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"];
      const { output } = runTool(
        join(TOOLS, "tsc"),
        [...options, "--outDir", "js", "client.ts", "quote.ts"],
        project,
      );
      assert.doesNotMatch(output, /node_modules\/holdfast/);

      const signed = await run("node", ["js/client.js"]);
      assert.equal(signed.status, 0, signed.output);
      assertHello(signed.output);
      const verified = await run("node", ["js/quote.js"]);
      assert.match(verified.output, / true \[\]?/);
    },
  );

  test("publint and arethetypeswrong find nothing", LIMIT, () => {
    const lint = runTool(
      join(TOOLS, "publint"),
      ["--strict", "--pack", "false", join(folder.path, "built")],
      ROOT,
    );
    assert.equal(lint.status, 0, lint.output);
    const types = runTool(join(TOOLS, "attw"), [tarball, "--profile", "esm-only"], ROOT);
    assert.equal(types.status, 0, types.output);
  });

  test(`the client takes ${CLIENT_LIMIT} bytes of a page at the most`, LIMIT, () => {
    const entry = join(folder.path, "built/client/client.js");
    const bundle = join(folder.path, "client.js");
    const built = runTool(BUN, ["build", "--minify", "--target=browser", entry, "--outfile", bundle], ROOT);
    assert.equal(built.status, 0, built.output);
    const bytes = gzipSync(readFileSync(bundle)).length;
    assert.ok(bytes <= CLIENT_LIMIT, `${bytes} bytes`);
  });
});
