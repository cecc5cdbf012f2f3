/**
 * A service written by hand in an afternoon: Hono over `bun:sqlite`, signing with viem or ethers: `bun hand-made.ts
 * FILE PORT viem|ethers`. Prints its listing as a line of JSON when it serves. It is as fast as is fair: prepared
 * statements, a session by the hash of its cookie, an audit row in its own durable transaction before each signature,
 * checksummed addresses in the table. It seals no key, authenticates no row, and has no limits and no log.
 */
import { createHash, randomBytes } from "node:crypto";
import process from "node:process";
import { Hono } from "hono";
import type { Context } from "hono";
import { MAIL } from "../../test/ethereum/mail.ts";
import { openBunDatabase, serveWithBun } from "./bun.ts";
import type { Listing } from "./listing.ts";

const [file, port, signer] = process.argv.slice(2);

const database = await openBunDatabase(file!);
database.exec(`
  create table if not exists account (id text primary key, email text not null, created_at integer not null) strict;
  create table if not exists session (
    secret_hash text primary key, account_id text not null references account (id), expires_at integer not null
  ) strict;
  create table if not exists key (
    id text primary key, account_id text not null references account (id), key_index integer not null,
    address text not null, public_key text not null, label text not null, blind_signing text not null,
    private_key text not null, created_at integer not null, archived_at integer
  ) strict;
  create index if not exists key_account_id on key (account_id, key_index);
  create table if not exists audit (
    seq integer primary key, at integer not null, account_id text not null, key_id text not null,
    event text not null, digest text not null
  ) strict;
`);
const insertAccount = database.prepare("insert into account values (?, ?, ?)");
const insertSession = database.prepare("insert into session values (?, ?, ?)");
const insertKey = database.prepare("insert into key values (?, ?, ?, ?, ?, ?, ?, ?, ?, null)");
const insertAudit = database.prepare(
  "insert into audit (at, account_id, key_id, event, digest) values (?, ?, ?, ?, ?)",
);
const selectSession = database.prepare("select account_id, expires_at from session where secret_hash = ?");
const selectAccount = database.prepare("select id, email, created_at from account where id = ?");
const selectKey = database.prepare("select address, private_key from key where id = ? and account_id = ?");
const selectKeys = database.prepare(
  `select id, address, public_key, key_index, label, blind_signing, created_at, archived_at from key
    where account_id = ? and archived_at is null order by key_index limit 100`,
);

type Hex = `0x${string}`;
interface Key {
  readonly address: string;
  readonly private_key: Hex;
}

interface ListedKey {
  readonly id: string;
  readonly address: string;
  readonly public_key: string;
  readonly key_index: number;
  readonly label: string;
  readonly blind_signing: string;
  readonly created_at: number;
  readonly archived_at: number | null;
}

/** Formats a key with the members of the service's. */
function toJson(key: ListedKey): object {
  return {
    id: key.id,
    address: key.address,
    publicKey: key.public_key,
    keyIndex: key.key_index,
    label: key.label,
    createdAt: new Date(key.created_at).toISOString(),
    archived: key.archived_at !== null,
    archivedAt: key.archived_at === null ? null : new Date(key.archived_at).toISOString(),
    blindSigning: key.blind_signing,
  };
}

interface Library {
  readonly newKey: () => { readonly privateKey: Hex; readonly publicKey: string; readonly address: string };
  readonly message: (text: string) => Hex;
  readonly typedData: (data: unknown) => Hex;
  readonly sign: (digest: Hex, privateKey: Hex) => Promise<string>;
}

/** Loads only the library that is used. */
const LIBRARIES: Readonly<Record<string, () => Promise<Library>>> = {
  async viem() {
    const { hashMessage, hashTypedData } = await import("viem");
    const { generatePrivateKey, privateKeyToAccount, serializeSignature, sign } = await import(
      "viem/accounts"
    );
    return {
      newKey: () => {
        const privateKey = generatePrivateKey();
        const { publicKey, address } = privateKeyToAccount(privateKey);
        return { privateKey, publicKey, address };
      },
      message: hashMessage,
      typedData: (data) => hashTypedData(data as never),
      sign: async (hash, privateKey) => serializeSignature(await sign({ hash, privateKey })),
    };
  },
  async ethers() {
    const { computeAddress, hashMessage, Signature, SigningKey, TypedDataEncoder, Wallet } = await import(
      "ethers"
    );
    return {
      newKey: () => {
        const { privateKey, publicKey } = Wallet.createRandom().signingKey;
        return { privateKey: privateKey as Hex, publicKey, address: computeAddress(publicKey) };
      },
      message: (text) => hashMessage(text) as Hex,
      typedData: (data) => {
        const { domain, types: { EIP712Domain: _domain, ...types }, message } = data as typeof MAIL;
        return TypedDataEncoder.hash(domain, types as never, message) as Hex;
      },
      sign: (digest, privateKey) =>
        Promise.resolve(Signature.from(new SigningKey(privateKey).sign(digest)).serialized),
    };
  },
};
const library = await LIBRARIES[signer!]!();

function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

const COOKIE = /(?:^|; )session=([\w-]{43})(?:;|$)/;

/** Returns the account of the request's session cookie. */
function accountOf(context: Context): string | undefined {
  const secret = COOKIE.exec(context.req.header("cookie") ?? "")?.[1];
  if (secret === undefined) return undefined;
  const row = selectSession.get(hashSecret(secret)) as { account_id: string; expires_at: number } | null;
  return row !== null && row.expires_at > Date.now() ? row.account_id : undefined;
}

async function signWith(context: Context, event: string, digestOf: (body: never) => Hex): Promise<Response> {
  const accountId = accountOf(context);
  if (accountId === undefined) return context.json({ error: "Sign in first" }, 401);
  const keyId = context.req.param("id")!;
  const key = selectKey.get(keyId, accountId) as Key | null;
  if (key === null) return context.json({ error: "There is no such key" }, 404);
  const digest = digestOf(await context.req.json() as never);
  // One statement is its own transaction, on disk when it returns.
  insertAudit.run(Date.now(), accountId, keyId, event, digest);
  return context.json({
    signature: await library.sign(digest, key.private_key),
    address: key.address,
    digest,
  });
}

const app = new Hono();
app.get("/livez", (context) => context.text("ok"));
app.get("/session", (context) => {
  const accountId = accountOf(context);
  return accountId === undefined
    ? context.json({ error: "Sign in first" }, 401)
    : context.json({ account: selectAccount.get(accountId) });
});
app.get("/keys", (context) => {
  const accountId = accountOf(context);
  return accountId === undefined
    ? context.json({ error: "Sign in first" }, 401)
    : context.json({ keys: (selectKeys.all(accountId) as ListedKey[]).map(toJson), nextCursor: null });
});
app.post(
  "/keys/:id/sign",
  (context) =>
    signWith(context, "message_signed", (body: { message: string }) => library.message(body.message)),
);
app.post(
  "/keys/:id/sign-typed-data",
  (context) => signWith(context, "typed_data_signed", (body: unknown) => library.typedData(body)),
);

/** Creates an account with so many keys, and the cookie of its session. */
function enrol(name: string, keys: number): { readonly cookie: string; readonly keyId: string } {
  const [now, secret] = [Date.now(), randomBytes(32).toString("base64url")];
  insertAccount.run(name, `${name}@example.com`, now);
  insertSession.run(hashSecret(secret), name, now + 86_400_000);
  const keyId = `key_${randomBytes(16).toString("hex")}`;
  for (let index = 0; index < keys; index++) {
    const { privateKey, publicKey, address } = library.newKey();
    const id = index === 0 ? keyId : `key_${randomBytes(16).toString("hex")}`;
    insertKey.run(id, name, index, address, publicKey, `Key ${index + 1}`, "guard", privateKey, now + index);
  }
  return { cookie: `session=${secret}`, keyId };
}

serveWithBun(Number(port), (request) => Promise.resolve(app.fetch(request)));

const run = randomBytes(8).toString("hex");
const { cookie, keyId } = enrol(`one-${run}`, 1);
const hundred = enrol(`hundred-${run}`, 100);
const headers = { cookie, "content-type": "application/json" };
const post = (path: string, body: object) =>
  ({ method: "POST", path: `/keys/${keyId}/${path}`, headers, body: JSON.stringify(body) }) as const;
const listing: Listing = {
  address: `http://127.0.0.1:${port}`,
  health: "/livez",
  requests: {
    livez: { method: "GET", path: "/livez", headers: {} },
    session: { method: "GET", path: "/session", headers },
    list: { method: "GET", path: "/keys", headers: { cookie: hundred.cookie } },
    sign: post("sign", { message: "Hello, world!" }),
    typedData: post("sign-typed-data", MAIL),
  },
};
process.stdout.write(JSON.stringify(listing) + "\n");
