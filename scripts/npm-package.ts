import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { BuildError, ROOT } from "./executable.ts";

/** The entry points of the package, with their sources. */
const ENTRIES: Readonly<Record<string, string>> = {
  "./client": "client/client",
  "./viem": "client/viem",
  "./ethers": "client/ethers",
  "./eip1193": "client/eip1193",
  "./verify-quote": "tee/quote/web",
  "./verify-quote/certificate": "tee/quote/certificate",
  "./verify-quote/collateral": "tee/quote/collateral",
  "./verify-quote/pccs": "tee/quote/pccs",
};

/** The libraries of the adapters, which their importers install. */
const PEERS = { ethers: "^6.14.0", viem: "^2.31.0" } as const;

/** Returns the manifest of the published package. It has no dependencies. */
function packageManifest(): object {
  const { name, version, description, type, engines } = manifest;
  const exports = Object.entries(ENTRIES).map(([entry, path]) => [
    entry,
    { types: `./${path}.d.ts`, default: `./${path}.js` },
  ]);
  return {
    name,
    version,
    description,
    type,
    sideEffects: false,
    engines,
    exports: { ...Object.fromEntries(exports), "./package.json": "./package.json" },
    files: ["client", "lib", "tee", "vendor"],
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((peer) => [peer, { optional: true }])),
  };
}

/**
 * The part of the one dependency that is copied into the package with its license. The package has no dependency at
 * run time.
 */
const VENDORED = { from: "node_modules/@noble/hashes", to: "vendor/noble-hashes", entry: "sha2.js" } as const;

function vendorHashes(folder: string): void {
  const { from, to, entry } = VENDORED;
  mkdirSync(join(folder, to), { recursive: true });
  for (const name of [entry, "_md.js", "_u64.js", "utils.js", "LICENSE"]) {
    cpSync(join(ROOT, from, name), join(folder, to, name));
  }
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".js") || path.startsWith("vendor")) continue;
    const file = join(folder, path);
    const up = "../".repeat(path.split("/").length - 1) || "./";
    const text = readFileSync(file, "utf8");
    const own = text.replaceAll(`"@noble/hashes/${entry}"`, `"${up}${to}/${entry}"`);
    if (own !== text) writeFileSync(file, own);
  }
}

/** Renames imports in declarations to names that resolvers of any age know. */
function renameInDeclarations(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".d.ts")) continue;
    const file = join(folder, path);
    const text = readFileSync(file, "utf8").replace(/(from "|import\(")(\.[^"]+)\.ts"/g, '$1$2.js"');
    writeFileSync(file, text);
  }
}

export function buildPackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const built = spawnSync(tsc, ["-p", "tsconfig.package.json", "--outDir", folder], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (built.status !== 0) throw new BuildError(folder, `${built.stdout}${built.stderr}${built.error ?? ""}`);
  renameInDeclarations(folder);
  vendorHashes(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(packageManifest(), null, 2) + "\n");
  cpSync(join(ROOT, "docs/how-to/clients.md"), join(folder, "README.md"));
}
