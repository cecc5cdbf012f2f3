import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { getLocked, sha512Of, writeBillOfMaterials } from "./bill-of-materials.ts";
import type { Lock } from "./bill-of-materials.ts";
import { BUN, bundle, COMPILE_FLAGS, ROOT } from "./executable.ts";
import { readArguments } from "./arguments.ts";
import { digestSources, signProvenance, writeProvenance } from "./provenance.ts";

// `npm run release [-- FOLDER [PLATFORM…]]`: writes all files of a release into a new folder. Two runs write the same
// bytes, in any folder: compare SHA256SUMS.

/** The platforms, with Bun's target, the package of their Bun, and Node.js's name of the architecture. */
const PLATFORMS = {
  "linux-x64": { target: "bun-linux-x64", runtime: "bun-linux-x64", arch: "x64" },
  "linux-arm64": { target: "bun-linux-arm64", runtime: "bun-linux-aarch64", arch: "arm64" },
} as const;

type Platform = keyof typeof PLATFORMS;

interface Manifest {
  readonly name: string;
  readonly version: string;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

function runtimeFolder(platform: Platform): string {
  return `node_modules/@oven/${PLATFORMS[platform].runtime}`;
}

/** Runs a tool in a folder and returns its output. Throws if it failed. */
function run(tool: string, list: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(tool, list, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot run ${tool} ${list.join(" ")}: ${error ?? stderr}`);
  return stdout;
}

/** Fetches the Bun of another platform from its package. Throws unless its bytes have the hash in the lock. */
function fetchRuntime(lock: Lock, platform: Platform, folder: string): string {
  const locked = getLocked(lock, runtimeFolder(platform));
  const file = run(
    "npm",
    ["pack", `@oven/${PLATFORMS[platform].runtime}@${locked.version}`, "--silent"],
    folder,
  );
  const packed = join(folder, file.trim());
  const found = createHash("sha512").update(readFileSync(packed)).digest("hex");
  if (found !== sha512Of(platform, locked)) {
    throw new Error(`Cannot use ${packed}: it is not the one in the lock`);
  }
  run("tar", ["-xzf", packed, "-C", folder], folder);
  return join(folder, "package/bin/bun");
}

/**
 * Returns the Bun of an executable: this machine's own, which `npm ci` verified against the lock, or a fetched one.
 */
function runtimeFor(lock: Lock, platform: Platform, folder: string): string {
  const isOurs = process.platform === "linux" && process.arch === PLATFORMS[platform].arch;
  return isOurs ? BUN : fetchRuntime(lock, platform, folder);
}

/** Builds an executable. It is built under a fixed name, because the output contains the name. */
function makeExecutable(lock: Lock, platform: Platform, output: string): void {
  const work = mkdtempSync(join(tmpdir(), "holdfast-release-"));
  try {
    const flags = [
      ...COMPILE_FLAGS,
      `--target=${PLATFORMS[platform].target}`,
      `--compile-executable-path=${runtimeFor(lock, platform, work)}`,
    ];
    bundle("src/main.ts", join(work, "holdfast"), flags);
    copyFileSync(join(work, "holdfast"), output);
    chmodSync(output, 0o755);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns the folders of all packages bundled into the executables, as reported by Bun. */
function listBundled(): readonly string[] {
  const work = mkdtempSync(join(tmpdir(), "holdfast-release-"));
  try {
    const metafile = join(work, "meta.json");
    bundle("src/main.ts", join(work, "holdfast.js"), [
      "--target=bun",
      "--format=esm",
      `--metafile=${metafile}`,
    ]);
    const { inputs } = readJson<{ inputs: Readonly<Record<string, unknown>> }>(metafile);
    const folders = Object.keys(inputs).flatMap((path) =>
      /^(?:.*\/)?(node_modules\/.*?)$/.exec(path)?.[1]?.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)
        ?.[0] ?? []
    );
    return [...new Set(folders)];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function sumOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** The provenance names the files of SHA256SUMS, and so cannot be one of them. */
const PROVENANCE = "provenance.intoto.json";
const ENVELOPE = "provenance.dsse.json";

/** Returns the sources, the lock and the runtimes, with their hashes. */
function dependenciesOf(lock: Lock, runtimes: readonly string[]) {
  return [
    { uri: "urn:holdfast:sources", digest: { sha256: digestSources(ROOT) } },
    { uri: "package-lock.json", digest: { sha256: sumOf(join(ROOT, "package-lock.json")) } },
    ...runtimes.map((folder) => {
      const locked = getLocked(lock, folder);
      const name = folder.replace("node_modules/@", "%40");
      return { uri: `pkg:npm/${name}@${locked.version}`, digest: { sha512: sha512Of(folder, locked) } };
    }),
  ];
}

function release(folder: string, platforms: readonly Platform[], signingKey: string | undefined): void {
  if (existsSync(folder)) throw new Error(`Cannot release into ${folder}: it is there already`);
  const { name, version } = readJson<Manifest>(join(ROOT, "package.json"));
  const lock = readJson<Lock>(join(ROOT, "package-lock.json"));
  const draft = `${folder}.unfinished`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  for (const platform of platforms) makeExecutable(lock, platform, join(draft, `${name}-${platform}`));
  bundle("src/main.ts", join(draft, `${name}.js`), ["--target=node", "--format=esm"]);
  copyFileSync(join(ROOT, "deploy/release.Dockerfile"), join(draft, "Dockerfile"));
  const runtimes = platforms.map(runtimeFolder);
  const bill = writeBillOfMaterials(lock, { name, version, bundled: listBundled(), runtimes });
  writeFileSync(join(draft, `${name}.cdx.json`), bill);
  const files = readdirSync(draft).sort();
  // For the container image only: the content of a new volume.
  mkdirSync(join(draft, "data"), { mode: 0o700 });
  const sums = files.map((file) => [sumOf(join(draft, file)), file] as const);
  const lines = sums.map(([sum, file]) => `${sum}  ${file}\n`).join("");
  writeFileSync(join(draft, "SHA256SUMS"), lines);
  const provenance = writeProvenance({
    version,
    sums,
    platforms,
    dependencies: dependenciesOf(lock, runtimes),
  });
  writeFileSync(join(draft, PROVENANCE), provenance);
  if (signingKey !== undefined) writeFileSync(join(draft, ENVELOPE), signProvenance(provenance, signingKey));
  renameSync(draft, folder);
  process.stdout.write(`${name} ${version} in ${folder}\n${lines}`);
}

function readPlatforms(list: readonly string[]): readonly Platform[] {
  const known = Object.keys(PLATFORMS) as Platform[];
  const unknown = list.find((name) => !known.some((platform) => platform === name));
  if (unknown !== undefined) throw new Error(`Cannot release for ${unknown}: there is ${known.join(", ")}`);
  return list.length === 0 ? known : known.filter((platform) => list.includes(platform));
}

const [folder = join(ROOT, "dist/release"), ...platforms] = readArguments(
  "bun scripts/release.ts [folder] [platform…]",
  Infinity,
);
try {
  // A PEM file. The key is not part of the release.
  const keyFile = process.env["RELEASE_SIGNING_KEY"];
  const signingKey = keyFile === undefined ? undefined : readFileSync(keyFile, "utf8");
  release(resolve(folder), readPlatforms(platforms), signingKey);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
