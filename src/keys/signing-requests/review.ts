import type { GroupCommit } from "../../db/group-commit.ts";
import type { Db } from "../../db/schema/schema.ts";
import { type AuthorizationCheck, withPolicy } from "../requester.ts";
import type { CheckedSignRequest } from "../digest.ts";
import { type JointDecision, policiesInForce, review } from "../enforce.ts";
import { type EthereumKey, getKey } from "../key.ts";
import type { SignedDigest } from "../sign.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import { reason } from "../../policy/reason.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { openDocument } from "./sealed-document.ts";
import { getSigningRequestRow, toSigningRequest } from "./signing-request.ts";
import type { SigningRequest, WhichRequest } from "./signing-request.ts";

export interface ReviewedRequest {
  readonly request: SigningRequest;
  readonly key: EthereumKey;
  /** The request to sign. Undefined if it ended without a signature. */
  readonly document: CheckedSignRequest | undefined;
  /** Undefined unless approved. */
  readonly signed: SignedDigest | undefined;
}

/**
 * Returns a request with its document and, if approved, its signature. The signature is not stored but computed
 * again, with the same bytes (RFC 6979). Later changes of the key or its policies do not matter. Throws `not_found`.
 */
export async function reviewSigningRequest(
  db: Db,
  { vault, authority, groupCommit }: {
    readonly vault: Vault;
    readonly authority: RowAuthority;
    readonly groupCommit: GroupCommit;
  },
  which: WhichRequest,
  now: Instant,
): Promise<ReviewedRequest> {
  const row = await getSigningRequestRow(db, authority, which);
  const request = toSigningRequest(row, now);
  const { accountId, keyId, digest, state } = request;
  const key = await getKey(db, { vault, authority }, { accountId, keyId });
  if (row.document === null) return { request, key, document: undefined, signed: undefined };
  const { request: document, policy } = await openDocument({ vault, groupCommit }, row);
  const bound = { ...request, requester: withPolicy(request.requester, policy) };
  if (state !== "signed") return { request: bound, key, document, signed: undefined };
  const signature = vault.signDigest(accountId, key.keyIndex, digest);
  return { request: bound, key, document, signed: { key, signature, digest } };
}

/** Evaluates the current policies for the requester. Writes nothing. */
export async function decisionOn(
  db: Db,
  { authority, groupCommit, authorizationCheck }: {
    readonly authority: RowAuthority;
    readonly groupCommit: GroupCommit;
    readonly authorizationCheck: AuthorizationCheck;
  },
  { request: { accountId, keyId, requester }, key }: Pick<ReviewedRequest, "request" | "key">,
  { act, now }: { readonly act: CheckedSignRequest; readonly now: Instant },
): Promise<JointDecision> {
  try {
    const requesterPolicy = await authorizationCheck.recheckAuthorization(db, requester, {
      accountId,
      keyId,
      action: "sign",
      now,
    });
    const inForce = policiesInForce(key, requester, requesterPolicy, now);
    return await review(db, { authority, groupCommit }, inForce, { accountId, act, now });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { policy: null, outcome: "deny", rule: null, value: null, reason: reason("requesterSignsNot") };
  }
}
