import type { Account } from "../../accounts/account.ts";
import { findApiToken, mayUse, toApiToken } from "../../accounts/token/api-token.ts";
import type { ApiToken, TokenAction } from "../../accounts/token/api-token.ts";
import { ProtocolError } from "../../lib/error.ts";
import { inspectReceipts } from "../cookie/witness.ts";
import { findRow } from "../../store/read.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import { findSignedIn, unauthenticated } from "./account-guards.ts";
import { bringsToken } from "./guard.ts";
import type { Guard } from "./guard.ts";

/** Who uses keys: their owner in a browser, or a program with a token of the owner's. */
export interface KeyUser {
  readonly account: Account;
  /** Undefined for the owner, who may do everything. */
  readonly token?: ApiToken;
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
      return { account: signedIn.account };
    }
    await inspectReceipts(context, services);
    const text = /^Bearer ([!-~]+)$/i.exec(request.headers.get("authorization")!)?.[1] ?? "";
    const holder = await findApiToken(db, authority, { text, clientAddress, now });
    if (holder === undefined) throw badToken();
    return holder;
  }

  const guard = (action: TokenAction): Guard<KeyUser> => ({
    name: `session or token to ${action}`,
    unsafe: "cross-site-json-or-token",
    check: async (context) => {
      const user = await findUser(context);
      if (user.token !== undefined && !mayUse(user.token, action)) throw notAllowed(action);
      return user;
    },
  });
  return { read: guard("read"), sign: guard("sign"), create: guard("create") };
}

/** Throws `not_found`, as for a key that is not there, unless whoever asks may use this one. */
export function requireKey({ token }: KeyUser, keyId: string): void {
  if (token === undefined || token.keys === "all" || token.keys.includes(keyId)) return;
  throw new ProtocolError("not_found", "There is no such key");
}

/**
 * Throws as the guard does unless a token may still sign with this key: a body can come long after the guard has looked,
 * and whoever revokes a token must not wait for requests that were held back.
 */
export async function requireStillSigning(
  { db, authority }: Pick<Services, "db" | "authority">,
  { account, token }: KeyUser,
  keyId: string,
): Promise<void> {
  if (token === undefined) return;
  const asked = { account_id: account.id, id: token.id };
  const row = await findRow(db, authority, "api_token", "ofAccountById", asked);
  if (row === undefined || !mayUse(toApiToken(row), "sign", keyId)) throw badToken();
}
