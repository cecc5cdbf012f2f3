import type { Account } from "../../accounts/account.ts";
import { findApiToken, mayUse, toApiToken } from "../../accounts/token/api-token.ts";
import type { ApiToken, TokenAction } from "../../accounts/token/api-token.ts";
import type { Asker, Mandates } from "../../keys/asker.ts";
import { parsePolicy } from "../../policy/canonical.ts";
import { ProtocolError } from "../../lib/error.ts";
import { inspectReceipts } from "../cookie/witness.ts";
import { findRow } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import { findSignedIn, unauthenticated } from "./account-guards.ts";
import { bringsToken } from "./guard.ts";
import type { Guard } from "./guard.ts";

/** Who asks: the owner in a browser, who may do everything, or a program with a token of the owner's. */
export type KeyAsker =
  | Extract<Asker, { readonly kind: "owner" }>
  | { readonly kind: "token"; readonly token: ApiToken };

/** Whose keys are used, and who asks. */
export interface KeyUser {
  readonly account: Account;
  readonly asker: KeyAsker;
}

/** Guards of the routes of keys, by what the route does with them. */
export type KeyGuards = Readonly<Record<TokenAction, Guard<KeyUser>>>;

/** RFC 6750 section 3.1: a token that is unknown, over, mistyped or from the wrong network; which, nobody is told. */
function badToken(): ProtocolError {
  return new ProtocolError(
    "authentication_required",
    "Cannot use this token here: unknown, ended or not from here",
    {
      headers: { "WWW-Authenticate": 'Bearer realm="keys", error="invalid_token"' },
    },
  );
}

function notAllowed(action: TokenAction): ProtocolError {
  return new ProtocolError("insufficient_scope", `This token may not ${action}`, {
    headers: { "WWW-Authenticate": 'Bearer realm="keys", error="insufficient_scope"' },
  });
}

/**
 * Makes the guards over the sessions and tokens of a database. A request with `Authorization: Bearer` is judged by that
 * alone; one without, by the session cookie. Which key a token may use is looked at where the key is named (`keyOf`).
 */
export function createKeyGuards(
  services: Pick<Services, "db" | "authority" | "witness" | "baseUrl">,
): KeyGuards {
  const { db, authority } = services;

  async function findUser(context: RequestContext): Promise<KeyUser> {
    const { request, clientAddress, now } = context;
    if (!bringsToken(request)) {
      const signedIn = await findSignedIn(context, services);
      if (signedIn === undefined) throw unauthenticated();
      return { account: signedIn.account, asker: { kind: "owner" } };
    }
    await inspectReceipts(context, services);
    const text = /^Bearer ([!-~]+)$/i.exec(request.headers.get("authorization")!)?.[1] ?? "";
    const holder = await findApiToken(db, authority, { text, clientAddress, now });
    if (holder === undefined) throw badToken();
    return { account: holder.account, asker: { kind: "token", token: holder.token } };
  }

  const guard = (action: TokenAction): Guard<KeyUser> => ({
    name: `session or token to ${action}`,
    unsafe: "cross-site-json-or-token",
    check: async (context) => {
      const user = await findUser(context);
      if (!isAllowed(user.asker, action)) throw notAllowed(action);
      return user;
    },
  });
  return { read: guard("read"), sign: guard("sign"), create: guard("create") };
}

/** Whether an asker may do this, with this key if one is named. */
export function isAllowed(asker: KeyAsker, action: TokenAction, keyId?: string): boolean {
  return asker.kind === "owner" || mayUse(asker.token, action, keyId);
}

/** Throws `not_found`, as for a key that is not there, unless whoever asks may use this one. */
export function requireKey({ asker }: KeyUser, keyId: string): void {
  if (asker.kind === "owner" || asker.token.keys === "all" || asker.token.keys.includes(keyId)) return;
  throw new ProtocolError("not_found", "There is no such key");
}

/** What each kind of asker holds now, for `sign`. */
export function createMandates(authority: RowAuthority): Mandates {
  return {
    async policyNow(tx, asker, { accountId, keyId, action }) {
      if (asker.kind === "owner") return null;
      if (asker.kind === "application") throw badToken();
      const row = await findRow(tx, authority, "api_token", "ofAccountById", {
        account_id: accountId,
        id: asker.token.id,
      });
      const token = row && toApiToken(row);
      if (token === undefined || !mayUse(token, action, keyId)) throw badToken();
      return token.policy === null ? null : parsePolicy(token.policy);
    },
  };
}
