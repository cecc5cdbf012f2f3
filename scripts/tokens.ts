import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { CHAINS } from "../src/clear-signing/registry/chains.ts";
import { readArguments } from "./arguments.ts";

// `npm run tokens`: writes src/clear-signing/registry/token-list.ts from the list of Ledger, which its wallets trust.
// Downloads that package, so the gate does not run it.

/** Licence: Apache-2.0. */
const PACKAGE = "@ledgerhq/cryptoassets@13.33.0";
const INTEGRITY =
  "sha512-V8p4CERo67dRBfWvcJ0el+N+S68Q7fxvsohbUMLzDF8ck4jcixO6Phm44OTmMxs/5hQOMghp8QDOPw0cX0IoRQ==";

const FILE = new URL("../src/clear-signing/registry/token-list.ts", import.meta.url);

type Row = readonly [
  network: string,
  id: string,
  symbol: string,
  decimals: number,
  name: string,
  signature: string,
  address: string,
  isDisabled: boolean,
  isDelisted: boolean,
];

function run(folder: string, tool: string, words: readonly string[]): string {
  const { status, stdout } = spawnSync(tool, words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot get tokens: ${[tool, ...words].join(" ")} failed`);
  return stdout;
}

/** Returns "address decimals symbol" of each token of a chain, joined by blanks. */
function tokensOf(file: string): string {
  const rows = JSON.parse(readFileSync(file, "utf8")) as readonly Row[];
  return rows.filter(([, , symbol, decimals, , , address, isDisabled, isDelisted]) =>
    !isDisabled && !isDelisted && /^0x[0-9a-fA-F]{40}$/.test(address) && decimals <= 255 &&
    /^[!-~\u00A1-\uFFFD]{1,32}$/.test(symbol)
  ).map(([, , symbol, decimals, , , address]) => `${address.slice(2).toLowerCase()} ${decimals} ${symbol}`)
    .sort().join(" ");
}

readArguments("bun scripts/tokens.ts");
const folder = mkdtempSync(join(tmpdir(), "holdfast-tokens-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const [packed] = JSON.parse(run(folder, "npm", ["pack", "--json", PACKAGE])) as readonly {
  readonly filename: string;
  readonly integrity: string;
}[];
if (packed?.integrity !== INTEGRITY) throw new Error("Cannot use tokens: the package is another");
run(folder, "tar", ["xzf", packed.filename]);
const data = join(folder, "package/lib/data/evm");
const chains = Object.keys(CHAINS).flatMap((chainId) => {
  try {
    return [[chainId, tokensOf(join(data, chainId, "erc20.json"))] as const];
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") return [];
    throw error;
  }
});
writeFileSync(
  FILE,
  `// Written by scripts/tokens.ts from ${PACKAGE} (Apache-2.0). Do not edit it.\n\n` +
    `/** The listed tokens by chain: "address decimals symbol", separated by blanks. */\n` +
    `export const TOKEN_LIST: Readonly<Record<string, string>> = {\n` +
    chains.map(([chainId, tokens]) => `  "${chainId}": ${JSON.stringify(tokens)},\n`).join("") + `};\n`,
);
