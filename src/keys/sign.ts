import { appendAudit } from "../audit/log.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { BlindSigning, Db } from "../db/schema/schema.ts";
import { blindPayloadReason } from "../clear-signing/blind-payload.ts";
import { mayBeHash } from "../ethereum/personal-message.ts";
import { say, tell } from "../clear-signing/format-message.ts";
import { ProtocolError } from "../lib/error.ts";
import { API_LANGUAGE } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { DigestSignature } from "../vault/ethereum-key.ts";
import type { Vault } from "../vault/vault.ts";
import type { Asker, Mandates } from "./requester.ts";
import type { CheckedSignRequest } from "./digest.ts";
import { enforce, policiesInForce } from "./enforce.ts";
import type { JointDecision } from "./enforce.ts";
import { getKey } from "./key.ts";
import type { EthereumKey } from "./key.ts";
import { signedEvent } from "./signed-event.ts";

/** What signing needs. The commit is shared between requests: it costs more than the signature. */
export interface Signing {
  readonly groupCommit: GroupCommit;
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly mandates: Mandates;
}

/** A signature and what it is over. */
export interface SignedDigest {
  readonly key: EthereumKey;
  readonly signature: DigestSignature;
  readonly digest: Uint8Array;
}

/** Why a key with each setting refuses bytes of `personal_sign`; undefined where it signs them. */
function refusedBytes(blindSigning: BlindSigning, payload: Uint8Array): string | undefined {
  if (blindSigning === "deny") {
    return "This key signs text with personal_sign, and no bytes: its blindSigning setting is deny";
  }
  return blindSigning === "guard" && payload.length === 32
    ? "This key does not sign 32 bytes with personal_sign: they may be the hash of a user operation or of a Safe's " +
      "transaction, and its blindSigning setting is guard"
    : undefined;
}

/** Why a key that is not set to allow refuses a text of `personal_sign`; undefined where it signs it. */
function refusedText(payload: Uint8Array): string | undefined {
  return mayBeHash(payload)
    ? "This key does not sign a text of exactly 32 bytes with other characters than plain letters, digits and " +
      "punctuation: it may be the hash of a user operation or of a Safe's transaction"
    : undefined;
}

/**
 * Refuses what the key's blind-signing setting forbids. Whatever has been understood is never blind, nor is text that
 * is no hash.
 */
function checkBlindSigning({ blindSigning }: EthereumKey, request: CheckedSignRequest): void {
  if (request.kind !== "message" || blindSigning === "allow") return;
  if (request.format === "personal_sign") {
    const refused = request.encoding === "hex"
      ? refusedBytes(blindSigning, request.payload)
      : refusedText(request.payload);
    if (refused !== undefined) throw new ProtocolError("blind_signing_denied", refused);
    return;
  }
  if (blindSigning === "deny") {
    throw new ProtocolError(
      "blind_signing_denied",
      "This key does not sign the formats raw and digest: its blindSigning setting is deny",
    );
  }
  if (request.format === "digest") {
    throw new ProtocolError(
      "blind_signing_denied",
      "This key does not sign the format digest: its blindSigning setting is guard",
    );
  }
  const reason = blindPayloadReason(request.payload);
  if (reason !== undefined) {
    throw new ProtocolError(
      "looks_like_transaction",
      `This key refuses these raw bytes: ${tell(say(reason), API_LANGUAGE)}`,
    );
  }
}

/** Throws unless the key may sign this: `key_archived`, or what its blind-signing setting says. */
export function checkSignable(key: EthereumKey, request: CheckedSignRequest): void {
  if (key.archivedAt !== null) {
    throw new ProtocolError("key_archived", "This key is archived; unarchive it to sign with it");
  }
  checkBlindSigning(key, request);
}

/** Which key is to sign, who asks for it, and when. */
export interface SignValue {
  readonly accountId: string;
  readonly keyId: string;
  readonly asker: Asker;
  readonly now: Instant;
}

/** What comes of a wish for a signature: it, or why the owner of the key has to be asked first. */
export type SignOutcome =
  | { readonly outcome: "signed"; readonly signed: SignedDigest }
  | { readonly outcome: "ask"; readonly key: EthereumKey; readonly decision: JointDecision };

/** The passkey with which the owner approved a signature; undefined where nobody was asked. */
type ApprovedBy = string | undefined;

/** Records a signature, unless the owner of its key has to be asked first and was not. Throws as `sign` does. */
async function record(
  tx: Db,
  { vault, authority, limits, mandates }: Signing,
  value: SignValue & { readonly approvedBy: ApprovedBy },
  request: CheckedSignRequest,
): Promise<{ readonly key: EthereumKey; readonly decision: JointDecision }> {
  const { accountId, asker, now, approvedBy } = value;
  const held = await mandates.policyNow(tx, asker, { ...value, action: "sign" });
  const key = await getKey(tx, { vault, authority }, value);
  checkSignable(key, request);
  const consent = approvedBy === undefined ? "none" : "given";
  const inForce = policiesInForce(key, asker, held, now);
  const decision = await enforce(tx, authority, inForce, { act: request, now, consent });
  if (decision.outcome === "ask") return { key, decision };
  await limits.take(tx, "sign", accountId, now);
  await appendAudit(
    tx,
    vault,
    now,
    signedEvent({ accountId, subject: key.id }, { asker, approvedBy }, request),
  );
  return { key, decision };
}

/** Rows that a request uses up which are no account's: an application may name two people's proofs alike. */
function spentBy(asker: Asker): readonly string[] {
  return asker.kind === "owner" || asker.spentAt === undefined ? [] : [asker.spentAt];
}

/**
 * Signs a checked request with a key of the account. What the asker may do, and what the policies of the key and of what
 * the asker holds say, is looked at in the transaction that signs: a refusal is `policy_denied` and counts nowhere, and
 * so does what the owner has to be asked about first, of which nothing is signed. The audit entry is durable before the
 * signature exists; the same request gives the same bytes (RFC 6979). An archived key is `key_archived`, somebody else's
 * `not_found`.
 */
export async function sign(
  services: Signing,
  value: SignValue,
  request: CheckedSignRequest,
): Promise<SignOutcome> {
  const { key, decision } = await services.groupCommit.run(
    (tx) => record(tx, services, { ...value, approvedBy: undefined }, request),
    { accountId: value.accountId, also: spentBy(value.asker) },
  );
  if (decision.outcome === "ask") return { outcome: "ask", key, decision };
  const { digest } = request;
  const signature = services.vault.signDigest(value.accountId, key.keyIndex, digest);
  return { outcome: "signed", signed: { key, signature, digest } };
}

/**
 * Records a signature that the owner of the key approved with a passkey, in the caller's transaction: everything is
 * looked at as if it were asked for now, but nobody is asked again. Throws as `sign` does.
 */
export async function signApproved(
  tx: Db,
  services: Signing,
  value: SignValue & { readonly approvedBy: string },
  request: CheckedSignRequest,
): Promise<void> {
  await record(tx, services, value, request);
}
