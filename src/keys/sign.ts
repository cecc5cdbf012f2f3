import { appendAudit } from "../audit/log.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { BlindSigning } from "../db/schema/key.ts";
import type { Db } from "../db/schema/schema.ts";
import { blindPayloadReason } from "../clear-signing/blind-payload.ts";
import { mayBeHash } from "../ethereum/personal-message.ts";
import { localizable, localize } from "../clear-signing/format-message.ts";
import { runSync } from "../lib/cooperative.ts";
import { ProtocolError } from "../lib/error.ts";
import { API_LANGUAGE } from "../lib/language.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Instant } from "../lib/time.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import { canonicalPolicy } from "../policy/canonical.ts";
import { matchTask } from "../policy/decide.ts";
import type { MatchResult } from "../policy/match.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { DigestSignature } from "../vault/ethereum-key.ts";
import type { Vault } from "../vault/vault.ts";
import { runInAccountQueue } from "./account-queue.ts";
import { type AuthorizationCheck, holderOf, type Requester } from "./requester.ts";
import type { CheckedSignRequest } from "./digest.ts";
import { enforce, type FindMatch, LongDecisionError, matchInOnePart } from "./enforce.ts";
import { type JointDecision, policiesInForce, type PolicyInForce } from "./enforce.ts";
import { type EthereumKey, getKey } from "./key.ts";
import { signedEvent } from "./signed-event.ts";
import type { Work } from "./work.ts";

/** The services for signing. Requests share a group commit, because a commit costs more than a signature. */
export interface Signing {
  readonly groupCommit: GroupCommit;
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly authorizationCheck: AuthorizationCheck;
  readonly metrics: Metrics;
}

export interface SignedDigest {
  readonly key: EthereumKey;
  readonly signature: DigestSignature;
  readonly digest: Uint8Array;
}

/** Returns why a blind-signing setting refuses `personal_sign` bytes, or undefined if it does not. */
function refusedBytes(blindSigning: BlindSigning, payload: Uint8Array): string | undefined {
  if (blindSigning === "deny") {
    return "This key signs only text with personal_sign, not bytes: its blindSigning setting is deny";
  }
  return blindSigning === "guard" && payload.length === 32
    ? "This key does not sign 32 bytes with personal_sign: they may be the hash of a user operation or of a Safe's " +
      "transaction, and its blindSigning setting is guard"
    : undefined;
}

/** Returns why a setting other than `allow` refuses a `personal_sign` text, or undefined if it does not. */
function refusedText(payload: Uint8Array): string | undefined {
  return mayBeHash(payload)
    ? "This key does not sign a text of exactly 32 bytes with other characters than plain letters, digits and " +
      "punctuation: it may be the hash of a user operation or of a Safe's transaction"
    : undefined;
}

/** Parsed requests and text that cannot be a hash are never blind. */
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
      `This key refuses these raw bytes: ${localize(localizable(reason), API_LANGUAGE)}`,
    );
  }
}

/** Throws `key_archived`. */
export function checkNotArchived({ archivedAt }: EthereumKey): void {
  if (archivedAt === null) return;
  throw new ProtocolError("key_archived", "This key is archived; unarchive it to sign with it");
}

/** Throws `key_archived`, or the errors of the key's blind-signing setting. */
export function checkSignable(key: EthereumKey, request: CheckedSignRequest): void {
  checkNotArchived(key);
  checkBlindSigning(key, request);
}

export interface SignValue {
  readonly accountId: string;
  readonly keyId: string;
  readonly requester: Requester;
  readonly now: Instant;
}

/** A signature, or the decision why the owner must approve it first. */
export type SignOutcome =
  | { readonly outcome: "signed"; readonly signed: SignedDigest }
  | { readonly outcome: "ask"; readonly key: EthereumKey; readonly decision: JointDecision };

/** The passkey with which the owner approved the signature. Undefined without an approval. */
type ApprovedBy = string | undefined;

/** A signature that was recorded, or the decision to ask the owner, with which nothing was. */
interface RecordedSignature {
  readonly key: EthereumKey;
  readonly decision: JointDecision;
}

/** Returns the key, and the policies in force for the requester. Throws for a requester whose rights ended. */
async function findRights(
  db: Db,
  { vault, authority, authorizationCheck }: Signing,
  value: SignValue,
): Promise<{ readonly key: EthereumKey; readonly inForce: readonly PolicyInForce[] }> {
  const { requester, now } = value;
  const requesterPolicy = await authorizationCheck.recheckAuthorization(db, requester, {
    ...value,
    action: "sign",
  });
  const key = await getKey(db, { vault, authority }, value);
  return { key, inForce: policiesInForce(key, requester, requesterPolicy, now) };
}

/** Records a signature unless the owner must approve it first. Throws the errors of `sign`. */
async function record(
  tx: Db,
  services: Signing,
  value: SignValue & { readonly approvedBy: ApprovedBy; readonly findMatch: FindMatch },
  request: CheckedSignRequest,
): Promise<RecordedSignature> {
  const { vault, authority, limits } = services;
  const { accountId, requester, now, approvedBy, findMatch } = value;
  const { key, inForce } = await findRights(tx, services, value);
  checkSignable(key, request);
  // Taken first, so that an account without requests left has nothing decided. A refusal rolls it back.
  // An approved signature counts as the owner's, even if a program requested it.
  await limits.take(tx, "sign", accountId, now, approvedBy === undefined ? holderOf(requester) : undefined);
  const consent = approvedBy === undefined ? "none" : "given";
  const decision = await enforce(tx, authority, inForce, { findMatch, now, consent });
  if (decision.outcome === "ask") return { key, decision };
  await appendAudit(
    tx,
    vault,
    now,
    signedEvent({ accountId, subject: key.id }, { requester, approvedBy }, request),
  );
  return { key, decision };
}

/** Makes long decisions before the transaction that signs, because all other signatures wait for that. */
async function recordCooperatively(
  services: Signing,
  value: SignValue & { readonly work: Work },
  request: CheckedSignRequest,
): Promise<RecordedSignature> {
  const { accountId, requester, now, work } = value;
  /** The long decisions that were made, by canonical policy. */
  const decided = new Map<string, MatchResult>();
  const findMatch: FindMatch = (policy, signer) =>
    (decided.size > 0 ? decided.get(canonicalPolicy(policy)) : undefined) ??
      matchInOnePart(policy, request, { signer, now });
  for (;;) {
    try {
      return await services.groupCommit.run(
        (tx) => record(tx, services, { ...value, approvedBy: undefined, findMatch }, request),
        { accountId, extraKeys: proofKeysOf(requester) },
      );
    } catch (error) {
      if (!(error instanceof LongDecisionError)) throw error;
      const decision = matchTask(error.policy, request, error.context);
      const match = await runInAccountQueue(services.groupCommit, accountId, decision, work);
      decided.set(canonicalPolicy(error.policy), match);
    }
  }
}

/**
 * Makes the decisions for `signApproved` before its transaction. Makes none if the requester's rights ended, which
 * `signApproved` refuses. A policy that has changed since is decided there.
 */
export async function decideApproved(
  db: Db,
  services: Signing,
  value: SignValue,
  request: CheckedSignRequest,
): Promise<FindMatch> {
  const { accountId, now } = value;
  const decided = new Map<string, MatchResult>();
  try {
    const { inForce } = await findRights(db, services, value);
    for (const { policy, signer } of inForce) {
      const decision = matchTask(policy, request, { signer, now });
      const match = await runInAccountQueue(services.groupCommit, accountId, decision);
      decided.set(canonicalPolicy(policy), match);
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
  }
  return (policy, signer) =>
    decided.get(canonicalPolicy(policy)) ?? runSync(matchTask(policy, request, { signer, now }));
}

/** Returns the unscoped rows that a request uses: a client may use the same proof id for two users. */
function proofKeysOf(requester: Requester): readonly string[] {
  return requester.kind === "owner" || requester.proofKey === undefined ? [] : [requester.proofKey];
}

/**
 * Signs a validated request with a key of the account. Checks the requester's authorization and all policies in the
 * transaction that signs. Returns `ask`, without signing, if the owner must approve first. The audit entry is
 * committed before the signature exists. The same request yields the same bytes (RFC 6979).
 *
 * Throws `policy_denied`, `key_archived`, the errors of the blind-signing setting, and `not_found` for another
 * account's key. Adds to the work that `chargeUnlessSigned` charges.
 */
export async function sign(
  services: Signing,
  value: SignValue & { readonly work: Work },
  request: CheckedSignRequest,
): Promise<SignOutcome> {
  const { key, decision } = await recordCooperatively(services, value, request);
  if (decision.outcome === "ask") return { outcome: "ask", key, decision };
  value.work.parts = 0;
  const { digest, kind } = request;
  const { vault, metrics } = services;
  metrics.count("holdfast_signatures_total", kind);
  const begun = metrics.stopwatch();
  const signature = vault.signDigest(value.accountId, key.keyIndex, digest);
  metrics.observeSince("signing_secp256k1_signing_duration", begun, kind);
  return { outcome: "signed", signed: { key, signature, digest } };
}

/**
 * Records a signature that the key's owner approved with a passkey, in the caller's transaction. Checks everything
 * again except the approval. Throws the errors of `sign`.
 */
export async function signApproved(
  tx: Db,
  services: Signing,
  value: SignValue & { readonly approvedBy: string; readonly findMatch: FindMatch },
  request: CheckedSignRequest,
): Promise<void> {
  await record(tx, services, value, request);
}
