import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Lock } from "../../scripts/bill-of-materials.ts";
import { readDockerfile } from "../deploy/files.ts";
import type { Ended } from "../support/program.ts";
import { imageObstacle, runInImage } from "../support/image.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PLATFORM = `linux-${process.arch}`;
const skip = process.platform === "linux" && ["x64", "arm64"].includes(process.arch)
  ? false
  : "This machine's own executable is none of a release";

/** Returns the packages of the runtime dependencies, and Bun, without those that only tests need. */
function packagesToCopy(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock & {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
  };
  return Object.entries(packages).filter(([folder, { dev, optional }]) =>
    folder !== "" && folder !== "node_modules/bun" && dev !== true && optional !== true &&
    statSync(join(ROOT, folder), { throwIfNoEntry: false }) !== undefined
  ).map(([folder]) => folder);
}

/** The project's files, as in a clone. */
function copyProject(folder: string): void {
  const paths = [
    "src",
    "generated",
    "scripts",
    "deploy",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ];
  for (const path of [...paths, ...packagesToCopy()]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(realpathSync(join(ROOT, "node_modules/.bin/bun")), join(folder, "node_modules/.bin/bun"));
}

async function release(project: string, ...list: readonly string[]): Promise<Ended> {
  const child = spawn("node_modules/.bin/bun", ["scripts/release.ts", ...list], {
    cwd: project,
    env: { PATH: "/usr/bin:/bin", RELEASE_SIGNING_KEY: join(project, "key.pem") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout += chunk);
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr += chunk);
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  child.on("error", reject);
  child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  return await promise;
}

/** Returns the SHA-256 of every file of a folder, except for those named. */
function sumsOf(folder: string, ...without: readonly string[]): Record<string, string> {
  const files = readdirSync(folder).filter((name) =>
    statSync(join(folder, name)).isFile() && !without.includes(name)
  );
  return Object.fromEntries(
    files.sort().map((name) => [
      name,
      createHash("sha256").update(readFileSync(join(folder, name))).digest("hex"),
    ]),
  );
}

test("two folders build the same release byte for byte, with the checksums of all its files", {
  skip,
  timeout: 120_000,
}, async () => {
  using first = temporaryFolder();
  using second = temporaryFolder();
  const projects = [join(first.path, "a"), join(second.path, "deeper/than/the/other")];
  projects.forEach(copyProject);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  for (const project of projects) writeFileSync(join(project, "key.pem"), pem);
  const out = projects.map((project) => join(project, "out"));
  const ended = await Promise.all(projects.map((project) => release(project, "out", PLATFORM)));
  for (const { code, stderr } of ended) assert.equal(code, 0, stderr);

  const executable = "holdfast-" + PLATFORM;
  const one = sumsOf(out[0]!);
  // SHA256SUMS has the sum of the other executable, of 135 MB.
  const { [executable]: _sum, ...others } = one;
  assert.deepEqual(sumsOf(out[1]!, executable), others);
  const {
    SHA256SUMS: _,
    "provenance.intoto.json": _statement,
    "provenance.dsse.json": _envelope,
    ...files
  } = one;
  const expected = ["Dockerfile", executable, "holdfast.cdx.json", "holdfast.js"];
  assert.deepEqual(Object.keys(files), expected.sort());
  const listed = Object.entries(files).map(([name, sum]) => `${sum}  ${name}\n`).join("");
  assert.equal(readFileSync(join(out[0]!, "SHA256SUMS"), "utf8"), listed);
  const statement = readFileSync(join(out[0]!, "provenance.intoto.json"), "utf8");
  const { _type, subject, predicateType, predicate } = JSON.parse(statement);
  assert.equal(_type, "https://in-toto.io/Statement/v1");
  assert.equal(predicateType, "https://slsa.dev/provenance/v1");
  assert.deepEqual(
    subject,
    Object.entries(files).map(([name, sha256]) => ({ name, digest: { sha256 } })),
  );
  const [sources, locked] = predicate.buildDefinition.resolvedDependencies;
  const listing = [
    `find src generated scripts deploy package.json package-lock.json tsconfig.json -type f`,
    "LC_ALL=C sort | xargs -d '\\n' sha256sum | sha256sum",
  ].join(" | ");
  const shown = spawnSync("sh", ["-c", listing], { cwd: projects[0]!, encoding: "utf8" }).stdout;
  assert.equal(sources.digest.sha256, shown.slice(0, 64), "The page about rebuilding says so");
  assert.equal(locked.uri, "package-lock.json");
  const { payload, payloadType, signatures: [{ sig }] } = JSON.parse(
    readFileSync(join(out[0]!, "provenance.dsse.json"), "utf8"),
  );
  const bytes = Uint8Array.fromBase64(payload);
  assert.equal(new TextDecoder().decode(bytes), statement);
  const signed = `DSSEv1 ${payloadType.length} ${payloadType} ${bytes.length} ${statement}`;
  assert.ok(verify(null, new TextEncoder().encode(signed), publicKey, Uint8Array.fromBase64(sig)));
  const { components } = JSON.parse(readFileSync(join(out[0]!, "holdfast.cdx.json"), "utf8"));
  const names = components.map(({ name }: { name: string }) => name);
  for (const name of ["@noble/secp256k1", "jose", "kysely", "nodemailer"]) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(!names.includes("typescript"));

  const again = await release(projects[0]!, "out", PLATFORM);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /it is there already/);
  const unknown = await release(projects[0]!, "elsewhere", "linux-sparc");
  assert.deepEqual([unknown.code, readdirSync(projects[0]!).includes("elsewhere")], [1, false]);
  assert.match(unknown.stderr, /Cannot release for linux-sparc/);
});

test("the image of a release is built, and runs", {
  skip: imageObstacle() ?? false,
  timeout: 120_000,
}, async () => {
  using work = temporaryFolder();
  const project = join(work.path, "project");
  copyProject(project);
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(project, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const { code, stderr } = await release(project, "out", PLATFORM);
  assert.equal(code, 0, stderr);
  const command = ["/usr/local/bin/holdfast", "--version"];
  const { id, output } = runInImage(join(project, "out"), work.path, command);
  assert.match(output, /^holdfast \d/);
  assert.match(id, /^[0-9a-f]{64}$/);
});

test("the image of a release runs like the one built from sources", () => {
  const last = (path: string): readonly string[] => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const stages = readDockerfile(text.slice(text.indexOf("\nFROM ")));
    return stages.at(-1)!.filter(({ name }) => !["FROM", "COPY"].includes(name))
      .map(({ name, value }) => `${name} ${value}`);
  };
  assert.deepEqual(last("deploy/release.Dockerfile"), last("Dockerfile"));
});
