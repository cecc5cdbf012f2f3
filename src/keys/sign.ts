import { appendAudit } from "../audit/log.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import { blindPayloadReason } from "../ethereum/blind.ts";
import { encodeSignature } from "../ethereum/signature.ts";
import { toHex } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import type { CheckedSignRequest } from "./digest.ts";
import { getKey } from "./key.ts";
import type { EthereumKey } from "./key.ts";

/** What signing needs. The commit is shared between requests: it costs more than the signature. */
export interface Signing {
  readonly groupCommit: GroupCommit;
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
}

/** A signature and what it is over. */
export interface SignedDigest {
  readonly key: EthereumKey;
  /** 65 bytes r, s, v as 0x-hex; v is 27 or 28. */
  readonly signature: string;
  readonly digest: Uint8Array;
}

/** Refuses what the key's blind-signing setting forbids. Text and typed data are never blind. */
function checkBlindSigning(key: EthereumKey, request: CheckedSignRequest): void {
  if (request.kind !== "message" || request.format === "personal_sign" || key.blindSigning === "allow") {
    return;
  }
  if (key.blindSigning === "deny") {
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
    throw new ProtocolError("looks_like_transaction", `This key refuses these raw bytes: ${reason}`);
  }
}

/** Throws unless the key may sign this: `key_archived`, or what its blind-signing setting says. */
export function checkSignable(key: EthereumKey, request: CheckedSignRequest): void {
  if (key.archivedAt !== null) {
    throw new ProtocolError("key_archived", "This key is archived; unarchive it to sign with it");
  }
  checkBlindSigning(key, request);
}

/**
 * Signs a checked request with a key of the account. The audit entry is durable before the signature exists; the
 * same request gives the same bytes (RFC 6979). An archived key is `key_archived`, somebody else's `not_found`.
 */
export async function sign(
  { groupCommit, vault, authority, limits }: Signing,
  value: { accountId: string; keyId: string; now: Instant },
  request: CheckedSignRequest,
): Promise<SignedDigest> {
  const key = await groupCommit.run(async (tx) => {
    const key = await getKey(tx, authority, value);
    checkSignable(key, request);
    await limits.take(tx, "sign", value.accountId, value.now);
    const whose = { accountId: value.accountId, subject: key.id };
    const digest = toHex(request.digest);
    await appendAudit(
      tx,
      vault,
      value.now,
      request.kind === "typed_data"
        ? { ...whose, event: "typed_data_signed", detail: { digest } }
        : { ...whose, event: "message_signed", detail: { format: request.format, digest } },
    );
    return key;
  });
  const signed = vault.signDigest(value.accountId, key.keyIndex, request.digest);
  return { key, signature: encodeSignature(signed), digest: request.digest };
}
