import type { SignInOrigin } from "../../src/accounts/session/known-browser.ts";
import type { RelyingParty } from "../../src/accounts/services.ts";
import type { SignInServices } from "../../src/accounts/sign-in.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import type { ProblemCode } from "../../src/lib/error.ts";
import type { RandomBytes } from "../../src/lib/id.ts";
import type { Instant } from "../../src/lib/time.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { UNLIMITED } from "../../src/limits/rate-limit.ts";
import type { Mail, Mailer } from "../../src/mail/mailer.ts";
import { importVerifier } from "../../src/runtime/crypto.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestAuthority, createTestVault } from "../support/vault.ts";

export const NOW: Instant = Date.UTC(2026, 0, 2, 3, 4, 5);
export const NETWORK = "192.0.2.1";
export const RELYING_PARTY: RelyingParty = {
  id: "example.org",
  name: "Holdfast",
  origin: "https://example.org",
  importVerifier,
};

/** A browser that the account does not know. */
export const FROM: SignInOrigin = { device: "Firefox on Linux", network: NETWORK, deviceHash: "device-hash" };

export const random: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A fresh database with the services of accounts. Records taken limits, rejected rows and mails. */
export interface Fixture extends AsyncDisposable {
  readonly db: Db;
  readonly services: SignInServices;
  readonly taken: { name: string; subject: string }[];
  readonly rejected: { kind: string }[];
  readonly mails: Mail[];
}

export async function openFixture(givenDb?: Db): Promise<Fixture> {
  const vault = createTestVault();
  const authority = createTestAuthority(vault);
  const taken: Fixture["taken"] = [];
  const mails: Mail[] = [];
  const limits: SignInServices["limits"] = {
    ...UNLIMITED,
    // deno-lint-ignore require-await -- the real one waits for the database
    take: async (_tx, name, subject) => void taken.push({ name, subject }),
  };
  const mailer: Mailer = { queued: (mail) => void mails.push(mail) };
  const db = givenDb ?? await openTestDatabase();
  const services = { vault, authority, limits, mailer, groupCommit: createGroupCommit(db) };
  const close = (): Promise<void> => db.destroy();
  return { db, services, taken, rejected: authority.rejected, mails, [Symbol.asyncDispose]: close };
}

/** Returns a matcher of this ProtocolError for `assert.rejects`. */
export function problem(code: ProblemCode): (error: unknown) => boolean {
  return (error) => error instanceof ProtocolError && error.code === code;
}
