import type { Db } from "../../db/schema/schema.ts";
import type { Mandates } from "../requester.ts";
import type { CheckedSignRequest } from "../digest.ts";
import { policiesInForce, review } from "../enforce.ts";
import type { JointDecision } from "../enforce.ts";
import { getKey } from "../key.ts";
import type { EthereumKey } from "../key.ts";
import type { SignedDigest } from "../sign.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import { reason } from "../../policy/reason.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { openDocument } from "./sealed-document.ts";
import { getSigningRequestRow, toSigningRequest } from "./signing-request.ts";
import type { SigningRequest, WhichRequest } from "./signing-request.ts";

/** A request with all that belongs to it. */
export interface ReviewedRequest {
  readonly request: SigningRequest;
  readonly key: EthereumKey;
  /** What is to be signed, or was; undefined where it is over without a signature. */
  readonly document: CheckedSignRequest | undefined;
  /** Undefined unless it was approved. */
  readonly signed: SignedDigest | undefined;
}

/**
 * A request with what it is to sign and, where it was approved, the signature. Nothing keeps that: it is made anew, the
 * same bytes each time (RFC 6979), of what was approved and recorded; what became of the key or of policies since does
 * not matter, it was given. Throws `not_found`.
 */
export async function reviewSigningRequest(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  which: WhichRequest,
  now: Instant,
): Promise<ReviewedRequest> {
  const row = await getSigningRequestRow(db, authority, which);
  const request = toSigningRequest(row, now);
  const { accountId, keyId, digest, state } = request;
  const key = await getKey(db, { vault, authority }, { accountId, keyId });
  if (row.document === null) return { request, key, document: undefined, signed: undefined };
  const document = openDocument(vault, row);
  if (state !== "signed") return { request, key, document, signed: undefined };
  const signature = vault.signDigest(accountId, key.keyIndex, digest);
  return { request, key, document, signed: { key, signature, digest } };
}

/** What the policies say now of what is to be signed, to whoever asked for it. Writes nothing. */
export async function decisionOn(
  db: Db,
  { authority, mandates }: { readonly authority: RowAuthority; readonly mandates: Mandates },
  { request: { accountId, keyId, asker }, key }: Pick<ReviewedRequest, "request" | "key">,
  { act, now }: { readonly act: CheckedSignRequest; readonly now: Instant },
): Promise<JointDecision> {
  try {
    const held = await mandates.policyNow(db, asker, { accountId, keyId, action: "sign", now });
    return await review(db, authority, policiesInForce(key, asker, held, now), { act, now });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { policy: null, outcome: "deny", rule: null, value: null, reason: reason("askerSignsNot") };
  }
}
