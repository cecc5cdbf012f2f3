import type { Account } from "../../accounts/account.ts";
import { mayUse } from "../../accounts/token/api-token.ts";
import type { ApiToken, TokenAction } from "../../accounts/token/api-token.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { EthereumKey } from "../../keys/key.ts";
import type { Asker } from "../../keys/requester.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DPOP_CHALLENGE } from "../../oauth/dpop/resource-token.ts";
import type { SentToken } from "../../oauth/dpop/resource-token.ts";
import type { RequestContext } from "../request-context.ts";

/** What a program is called, what it may do with which keys, and whether it proves a key of its own. */
interface Held {
  readonly name: string;
  readonly keys: "all" | readonly string[];
  readonly actions: readonly TokenAction[];
  readonly jkt: string | undefined;
}

/** What uses up a request's proof, in the transaction that signs. */
export interface Proven {
  readonly spend: (tx: Db) => Promise<void>;
  /** The name of the row that it is used up by; undefined for no proof. */
  readonly spentAt: string | undefined;
}

/**
 * Who asks: the owner in a browser, who may do everything, a program with a token of the owner's, or an application that
 * the owner let in.
 */
export type KeyAsker =
  | Extract<Asker, { readonly kind: "owner" }>
  | { readonly kind: "token"; readonly token: ApiToken } & Proven
  | Extract<Asker, { readonly kind: "application" }> & Held & Proven;

/** Whose keys are used, and who asks. */
export interface KeyUser {
  readonly account: Account;
  readonly asker: KeyAsker;
}

type Scheme = SentToken["scheme"];

/** With which scheme to come back, and why not as one came (RFC 6750 section 3, RFC 9449 section 7.1). */
function challenge(scheme: Scheme, error: string): Readonly<Record<string, string>> {
  const own = scheme === "DPoP" ? DPOP_CHALLENGE : 'Bearer realm="keys"';
  return { "WWW-Authenticate": `${own}, error="${error}"` };
}

/** RFC 6750 section 3.1: a token that is unknown, over, mistyped or from the wrong network; which, nobody is told. */
export function badToken(scheme: Scheme): ProtocolError {
  const message = "Cannot use this token here: unknown, ended or not from here";
  return new ProtocolError("authentication_required", message, {
    headers: challenge(scheme, "invalid_token"),
  });
}

/** The refusal of whoever shows nothing at all. */
export function signInOrShowToken(): ProtocolError {
  return new ProtocolError("authentication_required", "Sign in first, or send a token", {
    headers: { "WWW-Authenticate": `Bearer realm="keys", ${DPOP_CHALLENGE}` },
  });
}

/** What a program holds; undefined for the owner. */
function heldBy(asker: KeyAsker): Held | undefined {
  switch (asker.kind) {
    case "owner":
      return undefined;
    case "token":
      return asker.token;
    case "application":
      return asker;
  }
}

/** Whether an asker may do this, with this key if one is named. */
export function isAllowed(asker: KeyAsker, action: TokenAction, keyId?: string): boolean {
  const held = heldBy(asker);
  return held === undefined || mayUse(held, action, keyId);
}

/** What the owner calls whoever asks; undefined for the owner. */
export function askerNameOf(asker: KeyAsker): string | undefined {
  return heldBy(asker)?.name;
}

/** Throws `insufficient_scope` unless whoever asks may do this with some key. */
export function requireAction({ asker }: KeyUser, action: TokenAction): void {
  if (isAllowed(asker, action)) return;
  const scheme = heldBy(asker)?.jkt === undefined ? "Bearer" : "DPoP";
  throw new ProtocolError("insufficient_scope", `This token may not ${action}`, {
    headers: challenge(scheme, "insufficient_scope"),
  });
}

/** Throws `not_found`, as for a key that is not there, unless whoever asks may use this one. */
export function requireKey({ asker }: KeyUser, keyId: string): void {
  const keys = heldBy(asker)?.keys ?? "all";
  if (keys === "all" || keys.includes(keyId)) return;
  throw new ProtocolError("not_found", "There is no such key");
}

/** The path parameter and whose it must be. Throws `not_found` for a key that a token does not name. */
export function keyOf(context: RequestContext, user: KeyUser): { accountId: string; keyId: string } {
  const keyId = context.params.keyId!;
  requireKey(user, keyId);
  return { accountId: user.account.id, keyId };
}

/** Of these keys those that the user may use: a token that names some sees no others. */
export function visibleTo({ asker }: KeyUser, keys: readonly EthereumKey[]): readonly EthereumKey[] {
  return keys.filter(({ id }) => isAllowed(asker, "read", id));
}
