import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readArguments } from "./arguments.ts";

// `npm run clients`: generates clients from generated/openapi.json with other makers' generators, and compiles them.
// Downloads the generators, so the gate does not run it.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIN = join(ROOT, "node_modules/.bin");

/** The versions of the generators. They need an interface of TypeScript that its version 7 does not have. */
const PACKAGES = {
  "@hey-api/openapi-ts": "0.99.0",
  "openapi-typescript": "7.13.0",
  orval: "8.38.0",
  typescript: "5.9.3",
} as const;

const COMMANDS: readonly (readonly string[])[] = [
  ["openapi-ts", "--input", "openapi.json", "--output", "clients/hey-api"],
  ["openapi-typescript", "openapi.json", "--output", "clients/openapi-typescript.ts"],
  ["orval", "--input", "./openapi.json", "--output", "./clients/orval.ts", "--client", "fetch"],
];

const COMPILER_OPTIONS = {
  strict: true,
  target: "ES2024",
  module: "ESNext",
  moduleResolution: "bundler",
  lib: ["ES2024", "DOM", "DOM.Iterable"],
  types: [],
  noEmit: true,
} as const;

function run(folder: string, tool: string, words: readonly string[]): void {
  const { status } = spawnSync(join(BIN, tool), words, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`Cannot generate clients: ${[tool, ...words].join(" ")} failed`);
}

readArguments("bun scripts/clients.ts");
const folder = mkdtempSync(join(tmpdir(), "holdfast-clients-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
copyFileSync(join(ROOT, "generated/openapi.json"), join(folder, "openapi.json"));
writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies: PACKAGES }));
writeFileSync(
  join(folder, "tsconfig.json"),
  JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["clients"] }),
);
run(folder, "bun", ["install", "--ignore-scripts"]);
for (const [generator, ...words] of COMMANDS) {
  run(folder, "bun", ["--bun", join("node_modules/.bin", generator!), ...words]);
}
run(folder, "tsc", ["-p", "."]);
console.log("The generated clients compile");
