/**
 * Fills a data folder with accounts as sign-up creates them, but without its ceremonies: passkey, key, browser,
 * session and log, with the vault's MAC on every row. `scale.ts` and `processes.ts` call it for an empty folder.
 */
import { createHash, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CompiledQuery } from "kysely";
import { insertAccount } from "../src/accounts/account.ts";
import { insertPasskey } from "../src/accounts/passkey/passkey.ts";
import { issueSession } from "../src/accounts/session/session.ts";
import { appendAudit } from "../src/audit/log.ts";
import { verifyLogFromCheckpoint } from "../src/audit/log-scrubber.ts";
import { checkpoint } from "../src/db/integrity-check.ts";
import { closeDatabase } from "../src/db/database.ts";
import { runCompiled } from "../src/db/port.ts";
import type { Db } from "../src/db/schema/schema.ts";
import { transaction } from "../src/db/transaction.ts";
import { readServingConfig } from "../src/config/config.ts";
import { random } from "../src/commands/process/random.ts";
import { openConfiguredVault } from "../src/commands/open/vault.ts";
import { createKey } from "../src/keys/key.ts";
import { concat, toBase64url } from "../src/lib/bytes.ts";
import { newId } from "../src/lib/id.ts";
import { redirectTargetOf } from "../src/oauth/client/redirect-uri.ts";
import { recordConsent } from "../src/oauth/authorize/consent.ts";
import { newClientSecret, registerClient } from "../src/oauth/client/client-administration.ts";
import { REDIRECT_URI } from "./peers/listing.ts";
import { HOUR } from "../src/lib/time.ts";
import type { Instant } from "../src/lib/time.ts";
import { createRowAuthority } from "../src/audit/row-authority.ts";
import type { RowAuthority } from "../src/vault/authority.ts";
import type { Vault } from "../src/vault/vault.ts";

/** A user of the population who takes part in the load. */
export interface Inhabitant {
  readonly accountId: string;
  readonly keyId: string;
  readonly session: string;
  /** Base64url. */
  readonly credentialId: string;
}

/** The facts about a population that are not in its database. */
export interface Population {
  readonly accounts: number;
  /** A random part of it, or all users of a small one. */
  readonly sample: readonly Inhabitant[];
  /** The private key of every user's passkey: a JWK. */
  readonly passkey: JsonWebKey;
  /** An application that every user in the sample has authorized. */
  readonly client: ApplicationAccess;
}

export interface ApplicationAccess {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

const SAMPLE = 5000;
/** Accounts in a transaction. */
const BATCH = 1000;
/** Signatures in the log for each account. */
const SIGNATURES = 4;
/** The loader's page cache in KiB, large because rows are spread over the indexes. */
const CACHE_KIBIBYTES = 2 * 1024 * 1024;

interface Means {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  /** The public key of every user's passkey, as COSE_Key. */
  readonly publicKey: Uint8Array;
  readonly now: Instant;
}

/** Encodes a public key: kty EC2, alg ES256, crv P-256, x and y (RFC 9053 section 7.1.1). */
function coseKey(publicKey: KeyObject): Uint8Array {
  const { x, y } = publicKey.export({ format: "jwk" }) as { x: string; y: string };
  const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "base64url"));
  const head = Uint8Array.fromHex("a5010203262001215820");
  return concat(head, bytes(x), Uint8Array.fromHex("225820"), bytes(y));
}

async function enrol(
  tx: Db,
  { vault, authority, publicKey, now }: Means,
  index: number,
): Promise<Inhabitant> {
  const accountId = newId("account", random);
  await insertAccount(tx, authority, {
    id: accountId,
    email: `person-${index}@example.com`,
    emailProvedBy: "code",
    language: "en",
    now,
  });
  await appendAudit(tx, vault, now, { event: "account_created", accountId, subject: accountId, detail: {} });
  const credential = {
    credentialId: random(32),
    publicKey,
    algorithm: -7,
    aaguid: "00000000-0000-0000-0000-000000000000",
    backupEligible: true,
    backedUp: true,
    signCount: 0,
    transports: ["internal", "hybrid"],
  } as const;
  const passkey = await insertPasskey(tx, authority, { accountId, credential, name: "Passkey", now, random });
  const passkeyId = passkey!.id;
  await appendAudit(tx, vault, now, { event: "passkey_added", accountId, subject: passkeyId, detail: {} });
  const key = await createKey(tx, { vault, authority }, { accountId, label: undefined, now, random });
  // In the future, so that no use is recorded and the measured work is the same for each.
  const from = { device: "Chrome on Linux", network: "192.0.2.0/24", deviceHash: toBase64url(random(32)) };
  const { token, session } = await issueSession(tx, authority, {
    accountId,
    passkeyId,
    from,
    now: now + 12 * HOUR,
    random,
  });
  await appendAudit(tx, vault, now, {
    event: "signed_in",
    accountId,
    subject: session.id,
    detail: { passkeyId },
  });
  return { accountId, keyId: key.id, session: token, credentialId: toBase64url(credential.credentialId) };
}

async function logSignature(tx: Db, { vault, now }: Means, { accountId, keyId }: Inhabitant): Promise<void> {
  const detail = {
    digest: createHash("sha256").update(keyId).digest("hex"),
    format: "personal_sign",
  } as const;
  await appendAudit(tx, vault, now, { event: "message_signed", accountId, subject: keyId, detail });
}

async function fill(db: Db, means: Means, accounts: number): Promise<readonly Inhabitant[]> {
  const sample: Inhabitant[] = [];
  const latest: Inhabitant[] = [];
  const every = Math.max(1, Math.floor(accounts / SAMPLE));
  for (let index = 0; index < accounts;) {
    await transaction(db, async (tx) => {
      for (const end = Math.min(index + BATCH, accounts); index < end; index++) {
        const inhabitant = await enrol(tx, means, index);
        latest[index % BATCH] = inhabitant;
        if (index % every === 0 && sample.length < SAMPLE) sample.push(inhabitant);
        // Events of other accounts, so that an account's entries are spread over the log.
        for (let count = 0; count < SIGNATURES; count++) {
          await logSignature(tx, means, latest[(index * 7 + count * 311) % latest.length]!);
        }
      }
    });
    if (index % 50_000 === 0) await checkpoint(db);
  }
  return sample;
}

/** Registers an application, and authorizes it for all of these. */
async function letIn(db: Db, means: Means, sample: readonly Inhabitant[]): Promise<ApplicationAccess> {
  const { now } = means;
  return await transaction(db, async (tx) => {
    const metadata = {
      name: "Books",
      uri: "https://books.example",
      type: "web",
      redirectUris: [REDIRECT_URI],
    } as const;
    const clientSecret = newClientSecret(metadata, random);
    const registration = { metadata, clientSecret, now, random };
    const { client: { clientId } } = await registerClient(
      tx,
      { ...means, logoutHosts: "public" },
      registration,
    );
    const redirectTarget = redirectTargetOf(REDIRECT_URI).text;
    for (const { accountId } of sample) {
      const subject = { accountId, clientId, redirectTarget, scope: "openid", claims: null };
      await recordConsent(tx, means, subject, now);
    }
    return { clientId, clientSecret: clientSecret!, redirectUri: REDIRECT_URI };
  });
}

/**
 * Returns the population of a folder. Creates it if there is none: in a file there, or in the PostgreSQL database at
 * that URL.
 */
export async function populate(
  folder: string,
  accounts: number,
  databaseUrl?: string,
): Promise<Population> {
  const listing = join(folder, "population.json");
  if (existsSync(listing)) return JSON.parse(readFileSync(listing, "utf8")) as Population;
  const { config } = readServingConfig({ DATA_DIR: folder, DATABASE_URL: databaseUrl });
  const { db, vault } = await openConfiguredVault(config, { now: Date.now(), random });
  if (databaseUrl === undefined) {
    await runCompiled(db, CompiledQuery.raw(`pragma cache_size = -${CACHE_KIBIBYTES}`));
  }
  const authority = createRowAuthority(vault, Date.now);
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const means = { vault, authority, publicKey: coseKey(pair.publicKey), now: Date.now() };
  const sample = await fill(db, means, accounts);
  const client = await letIn(db, means, sample);
  // Like a service that has run for long: its log was verified to the end.
  await verifyLogFromCheckpoint(db, vault);
  await checkpoint(db);
  await closeDatabase(db);
  const passkey = pair.privateKey.export({ format: "jwk" }) as JsonWebKey;
  const population: Population = { accounts, sample, passkey, client };
  writeFileSync(listing, JSON.stringify(population));
  return population;
}
