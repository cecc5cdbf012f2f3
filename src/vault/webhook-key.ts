import type { WebhookSignature } from "../db/schema/webhook.ts";
import { utf8 } from "../lib/bytes.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import { openBrokerIdentity, signAsBroker } from "./release-key.ts";

const SALT = utf8("holdfast");

/** The key that verifies deliveries: the shared secret, or the public key. 32 bytes. */
export interface WebhookVerificationKey {
  readonly signature: WebhookSignature;
  readonly key: Uint8Array;
}

type Primitives = Pick<VaultPrimitives, "hkdfSha256" | "storedHmacSha256">;

/** Derives the secret of one webhook, so that none is stored. */
function secretOf({ hkdfSha256 }: Primitives, seed: Uint8Array, signature: WebhookSignature, id: string) {
  return hkdfSha256(seed, SALT, utf8(`webhook/v1/${signature}/${id}`), 32);
}

export async function webhookVerificationKey(
  primitives: Primitives,
  seed: Uint8Array,
  { id, signature }: { readonly id: string; readonly signature: WebhookSignature },
): Promise<WebhookVerificationKey> {
  const secret = secretOf(primitives, seed, signature, id);
  if (signature === "hmac") return { signature, key: secret };
  return { signature, key: (await openBrokerIdentity(secret)).publicKey };
}

/** Returns an HMAC-SHA-256, or an Ed25519 signature (RFC 8032). */
export async function signWebhook(
  primitives: Primitives,
  seed: Uint8Array,
  { id, signature }: { readonly id: string; readonly signature: WebhookSignature },
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const secret = secretOf(primitives, seed, signature, id);
  if (signature === "ed25519") return await signAsBroker(await openBrokerIdentity(secret), message);
  try {
    return primitives.storedHmacSha256(secret, message);
  } finally {
    secret.fill(0);
  }
}
