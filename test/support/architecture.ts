import { posix } from "node:path";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import { packageOf, targetsOf } from "./imports.ts";
import { type Import, readImports, readSourceCode } from "./source-code.ts";
import type { SourceFile } from "./source-code.ts";

interface Place {
  /** Higher layers may import this; the same layer and lower ones may not. */
  readonly layer: number;
  readonly packages: readonly string[];
  /** True if `node:` modules may be used: the folders that touch the platform. All others use web standards alone. */
  readonly node: boolean;
}

/**
 * The layers. A folder imports itself and lower layers. Change this table in a commit of its own, with the reason.
 * `runtime` and `client` stand aside: the commands and `main.ts` use the runtime, which uses `lib/` and the port of
 * `db/`; programs import the client, which imports nothing of the service.
 */
export const PLACES: Readonly<Record<string, Place>> = {
  // Its packages are the peers of its importers.
  client: { layer: 0, packages: ["ethers", "viem"], node: false },
  // Hashes for code that did not get the runtime's own.
  lib: { layer: 0, packages: ["@noble/hashes"], node: false },
  ethereum: { layer: 1, packages: ["@noble/hashes"], node: false },
  webauthn: { layer: 1, packages: ["@oslojs/webauthn"], node: false },
  // Third-party sign-in without the database: requests to providers and the verification of their answers.
  identity: { layer: 1, packages: ["@noble/hashes", "@oslojs/oauth2", "jose"], node: false },
  db: { layer: 1, packages: ["kysely"], node: false },
  // The signature chain of a dstack key: the signer is recovered, which the platform cannot.
  tee: { layer: 1, packages: ["@msgpack/msgpack", "@noble/hashes", "@noble/secp256k1"], node: true },
  "clear-signing": { layer: 2, packages: ["@noble/hashes"], node: false },
  vault: {
    layer: 2,
    packages: ["@noble/hashes", "@noble/secp256k1", "jose", "kysely", "shamir-secret-sharing"],
    node: false,
  },
  policy: { layer: 3, packages: [], node: false },
  // The only code that reads and writes rows which grant authority.
  store: { layer: 3, packages: ["kysely"], node: false },
  audit: { layer: 4, packages: ["@noble/hashes", "kysely"], node: false },
  mail: { layer: 4, packages: ["kysely", "nodemailer"], node: true },
  limits: { layer: 4, packages: ["kysely"], node: false },
  accounts: { layer: 5, packages: ["@noble/hashes", "kysely"], node: false },
  // The release broker uses the verifier, the vault, the audit log and the limits, but no accounts.
  broker: { layer: 5, packages: ["kysely", "valibot"], node: false },
  // The slots of the sealed seed, and their recovery by holders of shares.
  sealing: { layer: 5, packages: ["age-encryption"], node: false },
  // Follows the audit log, and sends its events to receivers.
  webhooks: { layer: 5, packages: [], node: false },
  keys: { layer: 6, packages: ["@noble/hashes", "kysely"], node: false },
  // Follows the audit log, and sends messages to the browsers of accounts.
  push: { layer: 7, packages: ["@block65/webcrypto-web-push"], node: false },
  oauth: { layer: 7, packages: ["@noble/hashes", "jose", "kysely"], node: false },
  // Ends everything that the layers below have granted.
  recovery: { layer: 8, packages: [], node: false },
  api: { layer: 9, packages: ["valibot"], node: false },
  ui: { layer: 10, packages: [], node: false },
  http: { layer: 11, packages: ["@noble/hashes", "valibot"], node: false },
  // The picture of an address is drawn from its hash. `/mcp` speaks by the protocol's own SDK.
  features: {
    layer: 12,
    packages: ["@modelcontextprotocol/server", "@noble/hashes", "qr", "valibot"],
    node: false,
  },
  config: { layer: 12, packages: ["valibot"], node: false },
  "app.ts": { layer: 13, packages: [], node: false },
  // Separate from `app.ts`, so that a release broker loads none of the service's features.
  "broker-app.ts": { layer: 13, packages: [], node: false },
  // On Deno the HMAC of secrets is JavaScript's.
  runtime: { layer: 13, packages: ["@noble/hashes", "kysely", "kysely-bun-sqlite", "pg"], node: true },
  // The composition root passes in the hashes.
  commands: { layer: 14, packages: ["@noble/hashes"], node: true },
  "main.ts": { layer: 15, packages: [], node: true },
};

/**
 * The rooms of each wide folder, top to ground: a room imports only rooms that stand after it. Files in the root of a
 * folder are above all of its rooms or below them: the rule on circles separates them. The rooms of `features/` are
 * the features, and none imports another.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  accounts: ["token", "email", "identity", "passkey", "session", "recovery"],
  "clear-signing": ["descriptor", "standard", "registry"],
  commands: ["open", "files", "process"],
  db: ["dialect", "schema", "migrations"],
  ethereum: ["typed-data", "transaction"],
  features: [
    "sign-in",
    "account",
    "settings",
    "tokens",
    "keys",
    "signing",
    "signing-requests",
    "mcp",
    "activity",
    "recovery",
    "authorization",
    "applications",
    "administration",
    "description",
    "operations",
    "webhooks",
    "push",
    "broker",
  ],
  http: ["guard", "request", "cookie", "response"],
  keys: ["signing-requests"],
  oauth: ["authorize", "token", "client", "dpop"],
  runtime: ["postgres", "sqlite"],
  store: ["state"],
  tee: ["simulated", "tdx", "broker", "dstack", "quote"],
  ui: ["section", "browser", "style"],
};

interface NarrowerRule {
  readonly from: RegExp;
  readonly mayImport: RegExp;
  /** Types may come from every lower layer. */
  readonly types: true;
  readonly fault: string;
}

/** Rules of the surface in addition to its layers. */
const NARROWER: readonly NarrowerRule[] = [
  {
    from: /^ui\//,
    mayImport: /^(?:api|lib|ui)\/|^audit\/event\.ts$/,
    types: true,
    fault: "the kit draws plain data",
  },
  {
    from: /^api\//,
    mayImport: /^(?!db\/|store\/|vault\/|audit\/|mail\/)/,
    types: true,
    fault: "shapes take no database",
  },
  { from: /^http\/services\.ts$/, mayImport: /^$/, types: true, fault: "services are types" },
];

/** Packages that only the adapters `holdfast/viem` and `holdfast/ethers` import. Their users install them. */
export const PEERS = ["ethers", "viem"] as const;

/** Every package that the service runs on. The commit that adds one gives the reason. */
export const RUNTIME_DEPENDENCIES = [
  // Encrypts push messages and signs their requests, which the service sends itself.
  "@block65/webcrypto-web-push",
  // The attestations of dstack's guest API v1.
  "@msgpack/msgpack",
  // Speaks both eras of the Model Context Protocol at /mcp, loaded at the first request there.
  "@modelcontextprotocol/server",
  "@noble/hashes",
  "@noble/secp256k1",
  // Reads the answers of third-party providers.
  "@oslojs/oauth2",
  "@oslojs/webauthn",
  // Shares of a recovery slot are encrypted to their holders.
  "age-encryption",
  // Not imported: `npm start` runs the service on it, so that no runtime has to be installed by hand.
  "bun",
  "jose",
  "kysely",
  "kysely-bun-sqlite",
  // SMTP, its responses, and messages whose headers and bodies every server accepts.
  "nodemailer",
  // PostgreSQL's protocol. Loaded only if a database is PostgreSQL.
  "pg",
  // Encodes QR codes.
  "qr",
  // Splits the key of a recovery slot. Audited.
  "shamir-secret-sharing",
  "valibot",
] as const;

/**
 * The project files that `runtime` may import besides its own: the ground floor, the database's errors (a driver
 * reports in its terms) and the port that it brings engines for.
 */
const RUNTIME_MAY_IMPORT = {
  folder: "lib",
  files: [
    "db/error.ts",
    "db/engine.ts",
    "db/health.ts",
    "db/dialect.ts",
    "db/dialect/postgres-migration.ts",
    "db/dialect/postgres.ts",
    "db/dialect/sqlite.ts",
  ],
} as const;

interface WordRule {
  readonly words: RegExp;
  readonly fault: string;
  /** Folders and root files that may contain the words. */
  readonly allowed: readonly string[];
}

/** Rules about words in the code. Comments and strings do not count. */
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
    allowed: ["client", "http", "features", "app.ts", "runtime"],
  },
  {
    words: /\b(?:authenticRow|proveRow|verifyMac)\b/,
    fault: "decides by itself whether a row is authentic",
    allowed: ["store", "vault"],
  },
  // The type argument is the schema of the response.
  { words: /(?<![.\w])json\(/, fault: "answers what no schema describes", allowed: [] },
  { words: /\bexport\s+default\b/, fault: "has a default export", allowed: [] },
  { words: /\b(?:enum|namespace)\s+\w+\s*\{/, fault: "has an enum or a namespace", allowed: [] },
  { words: /\bexport\s*\*/, fault: "exports what another file made", allowed: [] },
  { words: /^\s*@\w+/m, fault: "has a decorator", allowed: [] },
];

/** The folders that may name the tables whose rows grant authority. The others ask the store for rows. */
const NAME_AUTHORITY = ["db", "store", "vault"];

const KINDS = Object.keys(AUTHORITY).join("|");

/** Such a table in a query, as an argument or in SQL text. */
const AUTHORITY_QUERIES = [
  new RegExp(
    String
      .raw`\b(?:\w+(?:From|Into|Table|Join)|using|sql\s*\.\s*\w+)\s*(?:<[^>]*>)?\(\s*\[?\s*["'\`](?:${KINDS})\b`,
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

/** The folder that the service must not import: clients change at their own pace. */
const CLIENT = "client";

/**
 * The allowed classes: they hide a secret, brand a text or extend kysely for an engine. Errors, and `runtime`'s
 * extensions of its libraries, are allowed too.
 */
const CLASSES = ["Vault", "Html", "LockedAdapter", "QualifyingCompiler"] as const;

/** Maximum length of a file, in lines. */
const LONGEST = 300;

/** Maximum length of a generated file, in lines. */
const LONGEST_GENERATED = 400;

function longestOf(path: string): number {
  if (path === "client/api.ts") return LONGEST_GENERATED;
  // The first schema, and catalogues of messages.
  return path === "db/migrations/0001_init.ts" || /\.(?:en|de)\.ts$/.test(path) ? Infinity : LONGEST;
}

/**
 * The files outside `src/` that sources import, by the folder that does: the OpenAPI document, which is served, and the
 * schema that a database is compared with.
 */
const GENERATED: Readonly<Record<string, string>> = {
  features: "../generated/openapi.json",
  db: "../generated/schema.json",
};

/** Returns the folder of `src/` that contains a path, or the file itself at the top. */
function placeOf(path: string): string {
  return path.split("/")[0]!;
}

/** Returns the room of a wide folder that contains a path. Returns undefined in the root of a folder. */
function roomOf(path: string): string | undefined {
  const [, room, inside] = path.split("/");
  return inside === undefined ? undefined : room;
}

/** Returns the fault of a path in an unlisted room, or of an import against the order of the rooms. */
function roomFault(path: string, target: string): string | undefined {
  if (placeOf(path) === "features") {
    return roomOf(path) === roomOf(target) ? undefined : `imports ${target}: of another feature`;
  }
  const order = ROOMS[placeOf(path)] ?? [];
  const [from, to] = [roomOf(path), roomOf(target)];
  if (from === undefined || to === undefined || from === to) return undefined;
  return order.indexOf(from) < order.indexOf(to) ? undefined : `imports ${target}: in a room above`;
}

/** Returns the fault of an import that a rule narrower than the layers forbids. */
function narrowerFault(path: string, target: string, isTypeOnly: boolean): string | undefined {
  const rule = NARROWER.find(({ from }) => from.test(path));
  const isAllowed = rule === undefined || rule.mayImport.test(target) || (isTypeOnly && rule.types);
  return isAllowed ? undefined : `imports ${target}: ${rule.fault}`;
}

function ownFault(
  path: string,
  place: Place,
  { specifier, isTypeOnly }: Import,
): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  const [from, to] = [placeOf(path), placeOf(target)];
  if (from === to) return roomFault(path, target) ?? narrowerFault(path, target, isTypeOnly);
  if (GENERATED[from] === target) return undefined;
  if (from === "runtime") {
    const isAllowed = to === RUNTIME_MAY_IMPORT.folder ||
      RUNTIME_MAY_IMPORT.files.some((file) => file === target);
    return isAllowed ? undefined : `imports ${target}: the runtime stands aside`;
  }
  const other = PLACES[to];
  if (other === undefined) return `imports ${target}: not in the table of layers`;
  if (to === CLIENT) return `imports ${target}: that is for programs`;
  if (other.layer >= place.layer) {
    return `imports ${target}: ${other.layer === place.layer ? "in the same layer" : "in a higher layer"}`;
  }
  return narrowerFault(path, target, isTypeOnly);
}

function importFault(path: string, place: Place, imported: Import): string | undefined {
  const { specifier } = imported;
  if (specifier.startsWith(".")) return ownFault(path, place, imported);
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

/** Returns the faults against the architecture, one `path: fault` for each. */
export function findFaults(files: readonly SourceFile[]): string[] {
  const each = files.flatMap(({ path, text }) => faultsOf(path, text).map((fault) => `${path}: ${fault}`));
  return [...each, ...findCircles(files)];
}

/**
 * Returns the circles of files that import each other, types included: one `path: fault` for each, named by the file
 * that closes it.
 */
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
  // Type declarations for imported texts have no code.
  if (path.endsWith(".d.ts")) return [];
  const place = PLACES[placeOf(path)];
  if (place === undefined) return ["not in the table of layers"];
  const room = roomOf(path);
  if (room !== undefined && !(ROOMS[placeOf(path)] ?? []).includes(room)) {
    return [`room ${room} is not in the table of layers`];
  }
  const { bare, uncommented } = readSourceCode(text);
  const imports = readImports(uncommented).map((imported) => importFault(path, place, imported));
  // Browser code uses the browser's clock and requests.
  const rules = path.endsWith(".client.js") ? [] : WORD_RULES;
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
