import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { type InputFault, ProtocolError } from "../../lib/error.ts";
import { toHex, utf8 } from "../../lib/bytes.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { isInNetwork, parseIpNetwork } from "../../lib/ip-address.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Instant } from "../../lib/time.ts";
import { closePolicyUse, openPolicyUse } from "../../limits/policy-counters.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { tokenAddedMail } from "../../mail/key-mail.ts";
import { parsePolicy } from "../../policy/canonical.ts";
import { countsAnything } from "../../policy/counts.ts";
import { isStricterOrEqual } from "../../policy/is-stricter-or-equal.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { consumeRow, insertRow, replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { prepareNotification } from "../notification.ts";
import { requireNoCooldown } from "../recovery/recovery-state.ts";
import type { AccountServices, RelyingParty } from "../services.ts";
import { consumeFreshness, requireFreshSession } from "../session/fresh-session.ts";
import type { SignedIn } from "../session/session.ts";
import { hashSecret, newToken } from "../session/bearer-secret.ts";
import {
  type ApiToken,
  formatApiToken,
  LONGEST_TOKEN_LIFETIME,
  toApiToken,
  TOKEN_LIFETIME,
  TOKEN_LIMIT,
} from "./api-token.ts";

/** The requested terms of a token. Validated, except that the keys may not exist. */
export interface TokenSettings {
  readonly name: string;
  readonly keys: ApiToken["keys"];
  readonly actions: ApiToken["actions"];
  readonly networks: ApiToken["networks"];
  readonly policy: ApiToken["policy"];
  readonly jkt: ApiToken["jkt"];
  /** Defaults to 90 days from now. */
  readonly expiresAt: Instant | undefined;
}

export interface TokenRequest {
  readonly signedIn: SignedIn;
  readonly settings: TokenSettings;
  readonly device: string;
  readonly network: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

export interface PreparedToken {
  /** Shown only once: only a hash is stored. */
  readonly text: string;
  /** Notifies the owner by mail. Throws `too_many_tokens`, and `invalid_request` for an unknown key. */
  readonly make: (tx: Db) => Promise<ApiToken>;
  /** Notifies the mailer. Call it after the commit. */
  readonly made: () => void;
}

/**
 * Prepares an API token. Throws `fresh_session_required`, which `make` checks again. Throws `invalid_request` for an
 * expiry in the past or more than a year away.
 */
export function prepareApiToken(
  services: AccountServices & { readonly mailer: Mailer },
  request: TokenRequest,
): PreparedToken {
  const { signedIn: { session, account }, settings, device, network, now } = request;
  requireFreshSession({ session, action: "add_token", now });
  const expiresAt = readEnd(settings.expiresAt, now);
  const notification = prepareNotification(
    services,
    account,
    request,
    (heading) => tokenAddedMail({ ...heading, ...settings, expiresAt, device, network }),
  );
  const drawn = newToken("token", request.random);
  const make = async (tx: Db): Promise<ApiToken> => {
    await consumeFreshness(tx, services.authority, { session, action: "add_token", now });
    await requireNoCooldown(tx, services, { accountId: account.id, now });
    await requireKeys(tx, services.authority, account.id, settings.keys);
    await requireRoom(tx, services.authority, account.id, now);
    await notification.enqueue(tx);
    await appendAudit(tx, services.vault, now, {
      event: "token_created",
      accountId: account.id,
      subject: drawn.id,
      detail: { actions: settings.actions.join(" "), ...policyFact(settings.policy) },
    });
    await countUnder(tx, services.authority, { ...settings, expiresAt, accountId: account.id, id: drawn.id });
    const row = await insertRow(tx, services.authority, "api_token", {
      ...toColumns({ ...settings, expiresAt }),
      id: drawn.id,
      secret_hash: hashSecret(drawn.secret),
      account_id: account.id,
      jkt: settings.jkt ?? null,
      created_at: now,
      last_used_at: null,
      last_used_network: null,
      revision: null,
    });
    return toApiToken(row);
  };
  return { text: formatApiToken(drawn), make, made: notification.queued };
}

type Columns = Pick<
  Authentic<"api_token">,
  "name" | "keys" | "actions" | "networks" | "policy" | "expires_at"
>;

function toColumns(settings: TokenSettings & { readonly expiresAt: Instant }): Columns {
  return {
    name: settings.name,
    keys: JSON.stringify(settings.keys),
    actions: settings.actions.join(" "),
    networks: settings.networks?.join(" ") ?? null,
    policy: settings.policy,
    expires_at: settings.expiresAt,
  };
}

/** Returns the policy's hash for the audit log, which does not store the policy itself. */
function policyFact(policy: ApiToken["policy"]): { policy?: string } {
  return policy === null ? {} : { policy: toHex(sha256(utf8(policy))) };
}

/** Opens the counters of a policy with budgets or rates, unless they are open already. */
async function countUnder(
  tx: Db,
  authority: RowAuthority,
  { id, accountId, expiresAt, policy }: Pick<ApiToken, "id" | "accountId" | "expiresAt" | "policy">,
): Promise<void> {
  if (policy === null || !countsAnything(parsePolicy(policy))) return;
  await openPolicyUse(tx, authority, { holderId: id, accountId, expiresAt });
}

function refuse(path: string, message: string): never {
  const errors: readonly InputFault[] = [{ path, message }];
  throw new ProtocolError("invalid_request", "Cannot read request: some members are wrong", { errors });
}

function readEnd(expiresAt: Instant | undefined, now: Instant): Instant {
  const end = expiresAt ?? now + TOKEN_LIFETIME;
  if (end <= now || end > now + LONGEST_TOKEN_LIFETIME) {
    refuse("/expiresAt", "Expected a time within a year from now");
  }
  return end;
}

async function requireKeys(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
  keys: ApiToken["keys"],
): Promise<void> {
  if (keys === "all") return;
  for (const [index, id] of keys.entries()) {
    const key = await findRow(tx, authority, "ethereum_key", "ofAccountById", { account_id: accountId, id });
    if (key === undefined) refuse(`/keys/${index}`, "There is no such key");
  }
}

async function requireRoom(tx: Db, authority: RowAuthority, accountId: string, now: Instant): Promise<void> {
  const rows = await listRows(tx, authority, "api_token", "ofAccount", { account_id: accountId });
  if (rows.filter((row) => row.expires_at > now).length < TOKEN_LIMIT) return;
  throw new ProtocolError(
    "too_many_tokens",
    `Cannot create token: the account already has ${TOKEN_LIMIT}; revoke one first`,
  );
}

async function getRow(
  db: Db,
  authority: RowAuthority,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<Authentic<"api_token">> {
  const row = await findRow(db, authority, "api_token", "ofAccountById", {
    account_id: accountId,
    id: tokenId,
  });
  if (row === undefined) throw new ProtocolError("not_found", "There is no such token");
  return row;
}

/** The changes to a token. Absent members do not change. */
export type TokenChange = {
  readonly [M in Exclude<keyof TokenSettings, "jkt">]?: Exclude<TokenSettings[M], undefined>;
};

/** The API members in order, with their columns. */
const MEMBERS = [
  ["actions", "actions"],
  ["expiresAt", "expires_at"],
  ["keys", "keys"],
  ["name", "name"],
  ["networks", "networks"],
  ["policy", "policy"],
] as const satisfies readonly (readonly [keyof TokenSettings, keyof Columns])[];

function changedMembers(before: Columns, after: Columns): readonly string[] {
  return MEMBERS.filter(([, column]) => before[column] !== after[column]).map(([member]) => member);
}

/**
 * Changes a token. The name may change freely. Every other change must reduce its permissions; a wider token needs a
 * new token. Does nothing if nothing changes. Throws `not_found` and `invalid_request`.
 */
export async function changeApiToken(
  db: Db,
  { vault, authority }: Pick<AccountServices, "vault" | "authority">,
  { accountId, tokenId, change, now }: {
    accountId: string;
    tokenId: string;
    change: TokenChange;
    now: Instant;
  },
): Promise<ApiToken> {
  return await transaction(db, async (tx) => {
    const row = await getRow(tx, authority, { accountId, tokenId });
    const before = toApiToken(row);
    requireNarrower(before, change);
    if (change.keys !== undefined) await requireKeys(tx, authority, accountId, change.keys);
    const after = toColumns({ ...before, ...change });
    const members = changedMembers(row, after);
    if (members.length === 0) return before;
    const changed = await replaceRow(tx, authority, "api_token", row, {
      ...after,
      revision: (row.revision ?? 0) + 1,
    });
    await countUnder(tx, authority, toApiToken(changed));
    await appendAudit(tx, vault, now, {
      event: "token_changed",
      accountId,
      subject: tokenId,
      detail: { members: members.join(","), ...(members.includes("policy") ? policyFact(after.policy) : {}) },
    });
    return toApiToken(changed);
  });
}

function requireNarrower(before: ApiToken, change: TokenChange): void {
  const { keys, actions, networks, expiresAt, policy } = change;
  const isStricterOrEqual = (inner: readonly string[], outer: readonly string[]): boolean =>
    inner.every((one) => outer.includes(one));
  if (
    keys !== undefined && before.keys !== "all" && (keys === "all" || !isStricterOrEqual(keys, before.keys))
  ) {
    refuse("/keys", "Expected some of the keys that the token has");
  }
  if (actions !== undefined && !isStricterOrEqual(actions, before.actions)) {
    refuse("/actions", "Expected some of the actions that the token has");
  }
  if (
    networks !== undefined && before.networks !== undefined && !areNetworksWithin(networks, before.networks)
  ) {
    refuse("/networks", "Expected networks within those that the token has");
  }
  if (policy !== undefined && before.policy !== null && !isPolicyStricterOrEqual(policy, before.policy)) {
    refuse("/policy", "Expected a policy that allows no more than the current one");
  }
  if (expiresAt !== undefined && expiresAt > before.expiresAt) {
    refuse("/expiresAt", "Expected a time before the token's current end");
  }
}

function isPolicyStricterOrEqual(after: string | null, before: string): boolean {
  return after !== null && isStricterOrEqual(parsePolicy(after), parsePolicy(before));
}

function areNetworksWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.map((text) => parseIpNetwork(text)!).every((network) =>
    outer.map((text) => parseIpNetwork(text)!).some((wide) =>
      wide.bits <= network.bits && isInNetwork(network.address, wide)
    )
  );
}

/** Revokes a token. Throws `not_found`. */
export async function revokeApiToken(
  db: Db,
  { vault, authority }: Pick<AccountServices, "vault" | "authority">,
  { accountId, tokenId, now }: { accountId: string; tokenId: string; now: Instant },
): Promise<void> {
  await transaction(db, async (tx) => {
    const where = { account_id: accountId, id: tokenId };
    if (await consumeRow(tx, authority, "api_token", "ofAccountById", where) === undefined) {
      throw new ProtocolError("not_found", "There is no such token");
    }
    await closePolicyUse(tx, authority, tokenId);
    await appendAudit(tx, vault, now, { event: "token_revoked", accountId, subject: tokenId, detail: {} });
  });
}
