import { posix } from "node:path";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import { packageOf, targetsOf } from "./imports.ts";
import { type Import, readImports, readSourceCode } from "./source-code.ts";
import type { SourceFile } from "./source-code.ts";

interface Place {
  /** What stands higher may import this; what stands on the same floor or lower may not. */
  readonly floor: number;
  readonly packages: readonly string[];
  /** True if `node:` modules may be used: the folders that touch the platform. All others use web standards alone. */
  readonly node: boolean;
}

/**
 * The house. A folder imports itself and what stands on a lower floor. Change this table in a commit of its own,
 * with the reason. `runtime` stands aside: the commands and `main.ts` use it, it uses the ground floor only.
 */
export const PLACES: Readonly<Record<string, Place>> = {
  // SHA-256 for where the runtime's own was not handed in.
  // What programs import: it stands aside, imports nothing of the service, and its packages are the peers of whoever
  // imports it.
  client: { floor: 0, packages: ["ethers", "viem"], node: false },
  lib: { floor: 0, packages: ["@noble/hashes"], node: false },
  ethereum: { floor: 1, packages: ["@noble/hashes"], node: false },
  webauthn: { floor: 1, packages: ["@oslojs/webauthn"], node: false },
  db: { floor: 1, packages: ["kysely"], node: false },
  // The signature chain of a dstack key: who signed is recovered, which the platform cannot.
  tee: { floor: 1, packages: ["@noble/hashes", "@noble/secp256k1"], node: true },
  // What may be signed, over what ethereum understood.
  policy: { floor: 2, packages: [], node: false },
  vault: { floor: 2, packages: ["@noble/hashes", "@noble/secp256k1", "jose", "kysely"], node: false },
  // The only code that reads and writes rows which grant authority.
  store: { floor: 3, packages: ["kysely"], node: false },
  audit: { floor: 4, packages: ["@noble/hashes", "kysely"], node: false },
  mail: { floor: 4, packages: ["kysely", "nodemailer"], node: true },
  limits: { floor: 4, packages: ["kysely"], node: false },
  // Third-party sign-in without the database: what is asked of a provider, and what is believed of its answers.
  identity: { floor: 4, packages: ["@noble/hashes", "@oslojs/oauth2", "jose"], node: false },
  accounts: { floor: 5, packages: ["@noble/hashes", "kysely"], node: false },
  keys: { floor: 5, packages: ["@noble/hashes", "kysely"], node: false },
  enrolment: { floor: 6, packages: ["@noble/hashes", "kysely"], node: false },
  // Signatures that wait for the owner of their key: a passkey and a key in one transaction.
  approval: { floor: 6, packages: [], node: false },
  oauth: { floor: 6, packages: ["@noble/hashes", "jose", "kysely"], node: false },
  // The release broker: stands on the verifier, the vault, the audit log and the limits, and knows no accounts.
  broker: { floor: 6, packages: ["kysely", "valibot"], node: false },
  // The way back into an account whose passkeys are lost: it ends what all of the floors below have given.
  recovery: { floor: 7, packages: [], node: false },
  // The picture of an address is drawn from its hash, its QR code by a library.
  ui: { floor: 7, packages: ["@noble/hashes", "qr"], node: false },
  http: { floor: 8, packages: ["@noble/hashes", "valibot"], node: false },
  // The readers of `config.ts` that are longer than a few lines.
  config: { floor: 9, packages: ["valibot"], node: false },
  "config.ts": { floor: 10, packages: ["valibot"], node: false },
  "app.ts": { floor: 11, packages: [], node: false },
  // On Deno the HMAC of secrets is JavaScript's.
  runtime: { floor: 12, packages: ["@noble/hashes", "kysely", "kysely-bun-sqlite", "pg"], node: true },
  // The composition root hands hashes to those who ask for them.
  commands: { floor: 13, packages: ["@noble/hashes"], node: true },
  "main.ts": { floor: 14, packages: [], node: true },
};

/**
 * The rooms of each wide floor, top to ground: a room imports only from those that stand after it. Files in the root
 * of a floor are what stands over all of its rooms, or under them: the rule on circles holds them apart.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  accounts: ["token", "email", "identity", "passkey", "session", "recovery"],
  commands: ["wiring"],
  db: ["language", "migrations"],
  ethereum: ["intent", "typed-data", "transaction", "words"],
  // What describes the endpoints stands over them, and nothing that runs imports it.
  http: ["description", "endpoint", "guard", "request", "cookie", "answer"],
  oauth: ["authorize", "token", "client", "dpop"],
  runtime: ["postgres", "sqlite"],
  tee: ["simulated", "tdx", "broker", "dstack", "quote"],
  ui: ["page", "section", "browser", "words", "style"],
};

/** What only the adapters of `holdfast/viem` and `holdfast/ethers` import: whoever uses one has it. */
export const PEERS = ["ethers", "viem"] as const;

/** Everything the service runs on. A new one is argued in the commit that adds it here. */
export const RUNTIME_DEPENDENCIES = [
  "@noble/hashes",
  "@noble/secp256k1",
  // Reads the answers of third-party providers.
  "@oslojs/oauth2",
  "@oslojs/webauthn",
  // Not imported: what `npm start` runs it on, so that nobody installs a runtime by hand.
  "bun",
  "jose",
  "kysely",
  "kysely-bun-sqlite",
  // SMTP, its answers, and messages whose headers and bodies every server takes.
  "nodemailer",
  // Speaks PostgreSQL's protocol; loaded only where a database is one.
  "pg",
  // Encodes QR codes.
  "qr",
  "valibot",
] as const;

/**
 * The files of ours that `runtime` may import besides its own: the ground floor, the database's errors (a driver
 * reports in its terms) and the port that it brings engines for.
 */
const RUNTIME_MAY_IMPORT = {
  folder: "lib",
  files: [
    "db/error.ts",
    "db/engine.ts",
    "db/health.ts",
    "db/language.ts",
    "db/language/postgres-migration.ts",
    "db/language/postgres.ts",
    "db/language/sqlite.ts",
  ],
} as const;

interface WordRule {
  readonly words: RegExp;
  readonly fault: string;
  /** Folders and root files in which the words may stand. */
  readonly allowed: readonly string[];
}

/** Rules about words in the code; comments and strings do not count. */
const WORD_RULES: readonly WordRule[] = [
  { words: /\b(?:Bun|Deno)\b/, fault: "names a runtime", allowed: ["runtime"] },
  {
    words: /\bprocess\s*\.\s*(?:env|argv|stdout|stderr)\b|\bconsole\b/,
    fault: "reads the environment or writes to the console",
    allowed: ["commands", "runtime", "main.ts"],
  },
  {
    words:
      /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())|\bperformance\s*\.\s*now\b|\bTemporal\s*\.\s*Now\b/,
    fault: "reads the clock",
    allowed: ["client", "commands", "runtime", "main.ts"],
  },
  {
    words: /\bMath\s*\.\s*random\b|\b(?:getRandomValues|randomUUID|randomBytes|randomInt)\b/,
    fault: "draws randomness of its own",
    allowed: ["client", "commands", "runtime", "main.ts"],
  },
  {
    words: /(?<![.\w])(?:Request|Response|Headers|URLPattern)\b(?!\s*[?:]?:)/,
    fault: "knows what a request is",
    allowed: ["client", "http", "app.ts", "runtime"],
  },
  {
    words: /\b(?:authenticRow|proveRow|verifyMac)\b/,
    fault: "decides by itself whether a row is authentic",
    allowed: ["store", "vault"],
  },
  // The type argument is the schema of the answer.
  { words: /(?<![.\w])json\(/, fault: "answers what no schema describes", allowed: [] },
  { words: /\bexport\s+default\b/, fault: "has a default export", allowed: [] },
  { words: /\b(?:enum|namespace)\s+\w+\s*\{/, fault: "has an enum or a namespace", allowed: [] },
  { words: /\bexport\s*\*/, fault: "exports what another file made", allowed: [] },
  { words: /^\s*@\w+/m, fault: "has a decorator", allowed: [] },
];

/** Who may name the tables whose rows grant authority: the others ask the store for rows. */
const NAME_AUTHORITY = ["db", "store", "vault"];

const KINDS = Object.keys(AUTHORITY).join("|");

/** Such a table in a query, as an argument or in a text of SQL. */
const AUTHORITY_QUERIES = [
  new RegExp(
    String
      .raw`\b(?:\w+(?:From|Into|Table|Join)|using|preparedInsert|sql\s*\.\s*\w+)\s*(?:<[^>]*>)?\(\s*\[?\s*["'\`](?:${KINDS})\b`,
  ),
  new RegExp(
    String
      .raw`\b(?:from|into|update|join|table)\s+["'\`]?(?:${KINDS})["'\`]?(?:\s+(?:where|set|values|as|on|order|limit|group|select|default)\b|\s*[\`(;,])`,
    "i",
  ),
];

function authorityFaults(path: string, uncommented: string): string[] {
  if (NAME_AUTHORITY.includes(placeOf(path))) return [];
  return AUTHORITY_QUERIES.some((query) => query.test(uncommented))
    ? ["asks for rows that grant authority past the store"]
    : [];
}

/** What the service must not stand on: its clients change at their own pace. */
const CLIENT = "client";

/**
 * Classes hide a secret, brand a text, extend what kysely has for an engine or are errors; `runtime` extends those of
 * its libraries.
 */
const CLASSES = ["Vault", "Html", "LockedAdapter", "QualifyingCompiler"] as const;

/** Longest file, in lines. */
const LONGEST = 300;

/** The longest file that a script writes. */
const LONGEST_GENERATED = 400;

function longestOf(path: string): number {
  if (path === "client/api.ts") return LONGEST_GENERATED;
  // The first schema, and catalogues of messages.
  return path === "db/migrations/0001_init.ts" || /\.(?:en|de)\.ts$/.test(path) ? Infinity : LONGEST;
}

/** The one file outside `src/` that a source imports: the OpenAPI document, which `http` serves. */
const OPENAPI_DOCUMENT = "../generated/openapi.json";

/** The folder of `src/` a path lies in, or the file itself at the top. */
function placeOf(path: string): string {
  return path.split("/")[0]!;
}

/** The room of a wide floor a path lies in; undefined in the root of a floor. */
function roomOf(path: string): string | undefined {
  const [, room, inside] = path.split("/");
  return inside === undefined ? undefined : room;
}

/** A path in a room that the table lacks, or an import against the order of the rooms. */
function roomFault(path: string, target: string): string | undefined {
  const order = ROOMS[placeOf(path)] ?? [];
  const [from, to] = [roomOf(path), roomOf(target)];
  if (from === undefined || to === undefined || from === to) return undefined;
  return order.indexOf(from) < order.indexOf(to) ? undefined : `imports ${target}: in a room above`;
}

function ownFault(path: string, place: Place, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  const [from, to] = [placeOf(path), placeOf(target)];
  if (from === to) return roomFault(path, target);
  if (from === "http" && target === OPENAPI_DOCUMENT) return undefined;
  if (from === "runtime") {
    const isAllowed = to === RUNTIME_MAY_IMPORT.folder ||
      RUNTIME_MAY_IMPORT.files.some((file) => file === target);
    return isAllowed ? undefined : `imports ${target}: the runtime stands aside`;
  }
  const other = PLACES[to];
  if (other === undefined) return `imports ${target}: not in the table of the house`;
  if (to === CLIENT) return `imports ${target}: that is for programs`;
  if (other.floor < place.floor) return undefined;
  return `imports ${target}: ${other.floor === place.floor ? "on the same floor" : "on a higher floor"}`;
}

function importFault(path: string, place: Place, { specifier }: Import): string | undefined {
  if (specifier.startsWith(".")) return ownFault(path, place, specifier);
  if (specifier.startsWith("node:")) return place.node ? undefined : `imports ${specifier}`;
  return place.packages.includes(packageOf(specifier)) ? undefined : `imports package ${specifier}`;
}

function classFaults(path: string, bare: string): string[] {
  if (placeOf(path) === "runtime") return [];
  const classes = [...bare.matchAll(/\bclass\s+(\w+)(?:<[^{]*?>)?(?:\s+extends\s+(\w+))?/g)];
  const isFine = ([, name, parent]: RegExpExecArray): boolean =>
    /Error$/.test(parent ?? "") || /Signer$/.test(name!) || CLASSES.some((allowed) => allowed === name);
  return classes.filter((found) => !isFine(found)).map((found) => `has class ${found[1]}`);
}

/** What breaks a rule of the house, one `path: fault` for each; empty when all is well. */
export function findFaults(files: readonly SourceFile[]): string[] {
  const each = files.flatMap(({ path, text }) => faultsOf(path, text).map((fault) => `${path}: ${fault}`));
  return [...each, ...findCircles(files)];
}

/** Files that import each other, types included, one `path: fault` for each circle, named by where it closes. */
function findCircles(files: readonly SourceFile[]): string[] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  const faults: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      faults.push(`${way.at(-1)}: closes a circle: ${[...way.slice(way.indexOf(path)), path].join(" -> ")}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return faults;
}

function faultsOf(path: string, text: string): string[] {
  // Type declarations for imported texts: no code.
  if (path.endsWith(".d.ts")) return [];
  const place = PLACES[placeOf(path)];
  if (place === undefined) return ["not in the table of the house"];
  const room = roomOf(path);
  if (room !== undefined && !(ROOMS[placeOf(path)] ?? []).includes(room)) {
    return [`room ${room} is not in the table of the house`];
  }
  const { bare, uncommented } = readSourceCode(text);
  const imports = readImports(uncommented).map((imported) => importFault(path, place, imported));
  // What runs in the browser has the browser's clock and requests.
  const rules = path.startsWith("ui/") && path.endsWith(".client.js") ? [] : WORD_RULES;
  const words = rules.filter((rule) => !rule.allowed.includes(placeOf(path)) && rule.words.test(bare));
  const lines = text.trimEnd().split("\n").length;
  return [
    ...imports.filter((fault) => fault !== undefined),
    ...words.map((rule) => rule.fault),
    ...authorityFaults(path, uncommented),
    ...classFaults(path, bare),
    ...(lines > longestOf(path) ? [`has ${lines} lines`] : []),
  ];
}
