import { insertAccount } from "../../src/accounts/account.ts";
import type { Account } from "../../src/accounts/account.ts";
import { insertPasskey } from "../../src/accounts/passkey/passkey.ts";
import { findSession, issueSession } from "../../src/accounts/session/session.ts";
import type { SignedIn } from "../../src/accounts/session/session.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { newId } from "../../src/lib/id.ts";
import type { RandomBytes } from "../../src/lib/id.ts";
import type { Instant } from "../../src/lib/time.ts";
import { UNLIMITED } from "../../src/limits/rate-limit.ts";
import { newClientSecret, registerClient } from "../../src/oauth/client/client-administration.ts";
import type { IssuedClient } from "../../src/oauth/client/client-administration.ts";
import { createClientDocuments } from "../../src/oauth/client/client-documents.ts";
import type { ClientMetadata } from "../../src/oauth/client/client-metadata.ts";
import { OAuthError } from "../../src/oauth/error.ts";
import type { OAuthErrorCode } from "../../src/oauth/error.ts";
import type { OAuthServices } from "../../src/oauth/services.ts";
import { importVerifier } from "../../src/runtime/crypto.ts";
import { forgetAccount } from "../../src/store/delete-account-rows.ts";
import { someCredential } from "../accounts/people.ts";
import { NO_PROVIDERS } from "../support/app.ts";
import { openTestDatabase } from "../support/database.ts";
import { openSecondHandle } from "../support/state.ts";
import { createTestAuthority, createTestVault, withSharedRsaKeys } from "../support/vault.ts";

export const NOW: Instant = Date.UTC(2026, 0, 2, 3, 4, 5);
export const ISSUER = "https://example.org";
export const NETWORK = "192.0.2.1";
export const BROWSER = "browser-hash";

/** RFC 7636 appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export const random: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A fresh database with the services of the authorization server. Records taken limits and rejected rows. */
export interface Fixture extends AsyncDisposable {
  readonly db: Db;
  readonly services: OAuthServices;
  readonly taken: { name: string; subject: string }[];
  readonly rejected: { kind: string }[];
}

export async function openFixture(): Promise<Fixture> {
  const vault = createTestVault(7, withSharedRsaKeys());
  const authority = createTestAuthority(vault);
  const taken: Fixture["taken"] = [];
  const limits: OAuthServices["limits"] = {
    ...UNLIMITED,
    // deno-lint-ignore require-await -- the real one waits for the database
    take: async (_tx, name, subject) => void taken.push({ name, subject }),
  };
  const db = await openTestDatabase();
  const groupCommit = createGroupCommit(db);
  const services = {
    vault,
    authority,
    limits,
    groupCommit,
    issuer: ISSUER,
    logoutHosts: "public",
    clientDocuments: createClientDocuments(NO_PROVIDERS, { hosts: "off", allowed: "public" }),
    importVerifier,
  } as const;
  const close = (): Promise<void> => db.destroy();
  return { db, services, taken, rejected: authority.rejected, [Symbol.asyncDispose]: close };
}

/** Returns the same services over another handle on the database, which has no rows in memory, as after a start. */
export function afterStart<F extends Fixture>(fixture: F): F {
  const db = openSecondHandle(fixture.db);
  return { ...fixture, db, services: { ...fixture.services, groupCommit: createGroupCommit(db) } };
}

/** Deletes an account with all its rows. */
export async function deleteAccount({ db, services }: Fixture, accountId: string): Promise<void> {
  await transaction(db, (tx) => forgetAccount(tx, services.authority, accountId));
}

export const WEB: ClientMetadata = {
  name: "Books",
  uri: "https://books.example",
  type: "web",
  redirectUris: ["https://books.example/cb", "https://books.example/other?a=1"],
  postLogoutRedirectUris: ["https://books.example/bye"],
};

/** Registers `WEB` with these changes. */
export async function register(
  { db, services }: Fixture,
  change: Partial<ClientMetadata> = {},
  now = NOW,
): Promise<IssuedClient> {
  const metadata = { ...WEB, ...change };
  const clientSecret = newClientSecret(metadata, random);
  return await transaction(db, (tx) => registerClient(tx, services, { metadata, clientSecret, now, random }));
}

/** Creates an account with a new session. */
export async function signInPerson(
  { db, services: { authority } }: Fixture,
  email = "alice@example.com",
  now = NOW,
): Promise<SignedIn> {
  const account = await insertAccount(db, authority, {
    id: newId("account", random),
    email,
    emailProvedBy: "code",
    language: "en",
    now,
  });
  return await signInAgain({ db, services: { authority } }, account!, now);
}

/** Creates a further session of the account with another passkey. */
export async function signInAgain(
  { db, services: { authority } }: { db: Db; services: Pick<OAuthServices, "authority"> },
  account: Account,
  now = NOW,
): Promise<SignedIn> {
  const passkey = await insertPasskey(db, authority, {
    accountId: account.id,
    credential: someCredential(),
    name: "Passkey",
    now,
    random,
  });
  const from = { device: "Firefox on Linux", network: "192.0.2.1", deviceHash: "device-hash" };
  const value = { accountId: account.id, passkeyId: passkey!.id, from, now, random };
  const { token } = await issueSession(db, authority, value);
  return (await findSession(db, authority, { token, now }))!;
}

/** Returns a matcher of this OAuthError and its destination for `assert.rejects`. */
export function oauthError(code: OAuthErrorCode, where?: "redirect" | "page"): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof OAuthError) || error.code !== code) throw error;
    return where === undefined || (error.redirectTo !== undefined) === (where === "redirect");
  };
}

/** Lists the names of the audit log's events, oldest first, without those that only name a new state. */
export async function auditOf({ db }: Fixture): Promise<string[]> {
  const rows = await db.selectFrom("audit_event").select("event").where("event", "!=", "state_changed")
    .orderBy("seq").execute();
  return rows.map(({ event }) => event);
}
