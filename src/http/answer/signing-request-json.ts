import type { SigningRequest } from "../../approval/signing-request.ts";
import { toHex } from "../../lib/bytes.ts";
import { toIso } from "../../lib/time.ts";
import type { SigningRequestView } from "../../ui/view.ts";

/** An asked signature as answers and pages show it; the signature is no part of it. */
export function toSigningRequestJson(request: SigningRequest): SigningRequestView {
  const { asker, askerName = null, endedAt, refusal, word } = request;
  return {
    id: request.id,
    status: request.state,
    keyId: request.keyId,
    kind: request.kind,
    digest: toHex(request.digest),
    reason: request.reason,
    asker: { kind: asker.kind, name: askerName },
    network: request.network,
    createdAt: toIso(request.createdAt),
    expiresAt: toIso(request.expiresAt),
    endedAt: endedAt === undefined ? null : toIso(endedAt),
    refusal: refusal ?? null,
    word: word ?? null,
  };
}
