import type { ProblemCode } from "../lib/error.ts";

/** A signature that somebody is asked for; the API's own shape of one fits. Times are ISO 8601 in UTC. */
export interface SigningRequestView {
  readonly id: string;
  readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired";
  readonly keyId: string;
  readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization";
  /** 0x-hex. */
  readonly digest: string;
  /** Why the owner is asked. */
  readonly reason: string;
  /** The name is null where the owner asks. */
  readonly asker: { readonly kind: "owner" | "token" | "application"; readonly name: string | null };
  readonly network: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
  readonly refusal: { readonly code: ProblemCode; readonly detail: string } | null;
  /** The owner's, of what was declined. */
  readonly word: string | null;
}
