import type { Account } from "../../accounts/account.ts";
import { groupsOf } from "../../accounts/group.ts";
import type { Db } from "../../db/schema/schema.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { findKey } from "../../keys/key.ts";
import { type Claim, CLAIMS, claimsAt, type ClaimsRequest, registeredClaims } from "../claims.ts";
import type { Client } from "../client/client.ts";
import type { Grant } from "../grant.ts";
import type { OAuthServices } from "../services.ts";
import { numericDate } from "./access-token.ts";

/** A key whose address the user shows. Gives no right on it. */
export interface Wallet {
  readonly address: string;
  readonly keyId: string;
}

/** The claims about the user (OpenID Connect Core section 5.1). */
export interface UserClaims {
  /** The account's id. Never an address, and never reused. */
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: true;
  readonly name?: string;
  readonly preferred_username?: string;
  /** BCP 47. */
  readonly locale?: string;
  /** Seconds since 1970. */
  readonly updated_at?: number;
  /** The names of the account's groups, sorted. */
  readonly groups?: readonly string[];
  readonly wallets?: readonly Wallet[];
}

export const USER_CLAIMS = ["sub", ...CLAIMS] as const;

interface ClaimsContext {
  readonly account: Account;
  readonly grant: Grant;
  readonly client: Client;
  /** The scope of the access token, which may have fewer scopes than its grant. */
  readonly scope: string;
  readonly place: keyof ClaimsRequest;
}

/**
 * Returns `sub` and the granted claims for which the client is still registered. Leaves out what the account does not
 * have. A claim has the same value in both places.
 */
export async function userClaims(
  db: Db,
  services: Pick<OAuthServices, "authority">,
  { account, grant, client, scope, place }: ClaimsContext,
): Promise<UserClaims> {
  const registered = registeredClaims(client);
  const granted = claimsAt({ scope, claims: grant.claims }, place).filter((claim) =>
    registered.includes(claim)
  );
  const values: { [C in Claim]?: UserClaims[C] } = {};
  for (const claim of granted) Object.assign(values, await VALUES[claim]({ db, services, account, grant }));
  return { sub: account.id, ...values };
}

interface Subject {
  readonly db: Db;
  readonly services: Pick<OAuthServices, "authority">;
  readonly account: Account;
  readonly grant: Grant;
}

type Value = Omit<UserClaims, "sub"> | Promise<Omit<UserClaims, "sub">>;

const VALUES: Readonly<Record<Claim, (subject: Subject) => Value>> = {
  email: ({ account: { email } }) => email === null ? {} : { email },
  // Every address was verified, by a code or by a provider when the account was created.
  email_verified: ({ account: { email } }) => email === null ? {} : { email_verified: true },
  name: ({ account: { name } }) => name === null ? {} : { name },
  preferred_username: ({ account: { name } }) => name === null ? {} : { preferred_username: name },
  locale: ({ account: { language } }) => ({ locale: language }),
  updated_at: ({ account: { updatedAt } }) => ({ updated_at: numericDate(updatedAt) }),
  groups: async ({ db, services, account }) => ({
    groups: (await groupsOf(db, services.authority, account.id)).map(({ name }) => name),
  }),
  wallets: async (subject) => ({ wallets: await listWallets(subject) }),
};

/** Lists the chosen keys that are not archived. */
async function listWallets({ db, services, account, grant }: Subject): Promise<readonly Wallet[]> {
  const chosen = grant.wallets === null ? [] : JSON.parse(grant.wallets) as readonly string[];
  const keys = await Promise.all(
    chosen.map((keyId) => findKey(db, services.authority, { accountId: account.id, keyId })),
  );
  return keys.flatMap((key) =>
    key?.archivedAt === null ? [{ address: toChecksumAddress(key.address), keyId: key.id }] : []
  );
}
