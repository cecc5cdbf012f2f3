import type { ProblemCode } from "../lib/error.ts";
import type { Language } from "../lib/language.ts";
import type { KeyPolicy } from "../policy/policy.ts";

/** What every page says of the service itself, and in which language. */
export interface FrameView {
  readonly language: Language;
  /** Whether keys are kept by no hardware: for development alone. */
  readonly tee?: "simulated" | "hardware";
}

/** Who is signed in, as every page shows it. */
export interface AccountView extends FrameView {
  readonly accountId: string;
  readonly email: string;
}

/** A key as pages show it; the API's own shape of a key fits. Times are ISO 8601 in UTC. */
export interface KeyView {
  readonly id: string;
  /** EIP-55. */
  readonly address: string;
  readonly publicKey: string;
  readonly keyIndex: number;
  readonly label: string;
  readonly createdAt: string;
  readonly archived: boolean;
  readonly archivedAt: string | null;
  readonly blindSigning: "allow" | "guard" | "deny";
}

/** A key in a list. */
export interface ListedKeyView extends KeyView {
  /** When it signed last, as far as is known lately; null where it did not. */
  readonly lastUsedAt: string | null;
}

/** A policy as pages and answers show it; all null where there is none. */
export interface PolicyView {
  readonly policy: KeyPolicy | null;
  /** 0x-hex. */
  readonly hash: string | null;
  /** Its rules in sentences. */
  readonly words: readonly string[] | null;
}

/** What a key may sign, and what becomes of that; the API's own shape fits. */
export interface KeyPolicyView extends PolicyView {
  /** What takes the place of the policy, and when: ISO 8601. Null where nothing waits. */
  readonly change: (PolicyView & { readonly takesEffectAt: string }) | null;
}

/** A mail of the development outbox. */
export interface MailView {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly createdAt: string;
}

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
