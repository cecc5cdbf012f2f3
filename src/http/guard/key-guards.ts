import type { Account } from "../../accounts/account.ts";
import { findApiToken, mayUse, noteTokenUse, toApiToken } from "../../accounts/token/api-token.ts";
import type { ApiToken, TokenAction } from "../../accounts/token/api-token.ts";
import type { Asker, Mandates } from "../../keys/asker.ts";
import { parsePolicy } from "../../policy/canonical.ts";
import type { Db } from "../../db/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DPOP_CHALLENGE } from "../../oauth/dpop/refusal.ts";
import { proveToken, spendTokenProof, spendTokenProofAlone } from "../../oauth/dpop/sent-token.ts";
import type { SentToken } from "../../oauth/dpop/sent-token.ts";
import { giveNonce } from "../answer/dpop.ts";
import { readSentToken } from "../request/sent-token.ts";
import { inspectReceipts } from "../cookie/witness.ts";
import { findRow } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import { findSignedIn } from "./account-guards.ts";
import { bringsToken } from "./guard.ts";
import type { Guard } from "./guard.ts";

/** Who asks: the owner in a browser, who may do everything, or a program with a token of the owner's. */
export type KeyAsker =
  | Extract<Asker, { readonly kind: "owner" }>
  | { readonly kind: "token"; readonly token: ApiToken; readonly spend: (tx: Db) => Promise<void> };

/** Whose keys are used, and who asks. */
export interface KeyUser {
  readonly account: Account;
  readonly asker: KeyAsker;
}

/** What a route does with keys; `ask` is for what was asked to be signed, by whoever may sign. */
type KeyDeed = TokenAction | "ask";

/** Guards of the routes of keys, by what the route does with them. */
export interface KeyGuards extends Readonly<Record<KeyDeed, Guard<KeyUser>>> {
  /** A token, whatever it may do: cookies are not looked at. What it may do is looked at with each act. */
  readonly token: Guard<KeyUser>;
}

type Scheme = SentToken["scheme"];

/** With which scheme to come back, and why not as one came (RFC 6750 section 3, RFC 9449 section 7.1). */
function challenge(scheme: Scheme, error: string): Readonly<Record<string, string>> {
  const own = scheme === "DPoP" ? DPOP_CHALLENGE : 'Bearer realm="keys"';
  return { "WWW-Authenticate": `${own}, error="${error}"` };
}

/** RFC 6750 section 3.1: a token that is unknown, over, mistyped or from the wrong network; which, nobody is told. */
function badToken(scheme: Scheme): ProtocolError {
  const message = "Cannot use this token here: unknown, ended or not from here";
  return new ProtocolError("authentication_required", message, {
    headers: challenge(scheme, "invalid_token"),
  });
}

function notAllowed(action: TokenAction, { jkt }: ApiToken): ProtocolError {
  return new ProtocolError("insufficient_scope", `This token may not ${action}`, {
    headers: challenge(jkt === undefined ? "Bearer" : "DPoP", "insufficient_scope"),
  });
}

/** The refusal of whoever shows nothing at all. */
function signInOrShowToken(): ProtocolError {
  return new ProtocolError("authentication_required", "Sign in first, or send a token", {
    headers: { "WWW-Authenticate": `Bearer realm="keys", ${DPOP_CHALLENGE}` },
  });
}

type KeyGuardServices = Pick<
  Services,
  "db" | "groupCommit" | "vault" | "authority" | "limits" | "witness" | "baseUrl"
>;

/**
 * Makes the guards over the sessions and tokens of a database. A request with a token in its `Authorization` header is
 * judged by that alone, and by the proof of one that is bound to a key; one without, by the session cookie. Which key a
 * token may use is looked at where the key is named (`keyOf`).
 */
export function createKeyGuards(services: KeyGuardServices): KeyGuards {
  const { db, vault, authority } = services;
  /** Requests whose proofs were used up: one whose body comes late is judged twice. */
  const spent = new WeakSet<Request>();

  async function findProgram(context: RequestContext, deed: KeyDeed | "any"): Promise<KeyUser> {
    const action = deed === "ask" ? "sign" : deed;
    const { request, clientAddress, now } = context;
    const sent = readSentToken(context);
    if (sent?.scheme === "DPoP") giveNonce(context, vault);
    const holder = sent && await findApiToken(db, authority, { text: sent.text, clientAddress, now });
    if (sent === undefined || holder === undefined) throw badToken(sent?.scheme ?? "Bearer");
    const { token, account } = holder;
    const proof = await proveToken(vault, sent, { jkt: token.jkt, now });
    if (action !== "any" && !mayUse(token, action)) throw notAllowed(action, token);
    // What signs uses the proof up in its own transaction, which costs less.
    if (deed !== "sign" && !spent.has(request)) {
      await spendTokenProofAlone(services, { proof, accountId: account.id, now });
      spent.add(request);
    }
    await noteTokenUse(db, authority, holder, { clientAddress, now });
    const spend = async (tx: Db): Promise<void> => {
      if (deed === "sign") await spendTokenProof(tx, proof, now);
    };
    return { account, asker: { kind: "token", token, spend } };
  }

  async function findOwner(context: RequestContext): Promise<KeyUser> {
    const signedIn = await findSignedIn(context, services);
    if (signedIn === undefined) throw signInOrShowToken();
    return { account: signedIn.account, asker: { kind: "owner" } };
  }

  const guard = (deed: KeyDeed): Guard<KeyUser> => ({
    name: `session or token to ${deed}`,
    unsafe: "cross-site-json-or-token",
    check: async (context) => {
      if (!bringsToken(context.request)) return await findOwner(context);
      await inspectReceipts(context, services);
      return await findProgram(context, deed);
    },
  });
  const token: Guard<KeyUser> = {
    name: "token",
    unsafe: "none",
    check: async (context) => {
      if (!bringsToken(context.request)) throw signInOrShowToken();
      await inspectReceipts(context, services);
      return await findProgram(context, "any");
    },
  };
  return {
    token,
    read: guard("read"),
    sign: guard("sign"),
    create: guard("create"),
    ask: guard("ask"),
  };
}

/** Whether an asker may do this, with this key if one is named. */
export function isAllowed(asker: KeyAsker, action: TokenAction, keyId?: string): boolean {
  return asker.kind === "owner" || mayUse(asker.token, action, keyId);
}

/** Throws `insufficient_scope` unless whoever asks may do this with some key. */
export function requireAction({ asker }: KeyUser, action: TokenAction): void {
  if (asker.kind === "token" && !mayUse(asker.token, action)) throw notAllowed(action, asker.token);
}

/** What the owner calls whoever asks; undefined for the owner. */
export function askerNameOf(asker: KeyAsker): string | undefined {
  return asker.kind === "owner" ? undefined : asker.token.name;
}

/** Throws `not_found`, as for a key that is not there, unless whoever asks may use this one. */
export function requireKey({ asker }: KeyUser, keyId: string): void {
  if (asker.kind === "owner" || asker.token.keys === "all" || asker.token.keys.includes(keyId)) return;
  throw new ProtocolError("not_found", "There is no such key");
}

/** What each kind of asker holds now, for `sign`. */
export function createMandates(authority: RowAuthority): Mandates {
  return {
    async policyNow(tx, asker, { accountId, keyId, action, now }) {
      if (asker.kind === "owner") return null;
      if (asker.kind === "application") throw badToken("Bearer");
      const row = await findRow(tx, authority, "api_token", "ofAccountById", {
        account_id: accountId,
        id: asker.token.id,
      });
      const token = row && toApiToken(row);
      const isGood = token !== undefined && token.expiresAt > now && mayUse(token, action, keyId);
      if (!isGood) throw badToken("Bearer");
      if (action === "sign") await asker.spend?.(tx);
      return token.policy === null ? null : parsePolicy(token.policy);
    },
  };
}
