import type { ProblemCode } from "../lib/error.ts";
import type { Language } from "../lib/language.ts";
import type { KeyPolicy, Policy } from "../policy/policy.ts";

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

/** A passkey as pages show it; the API's own shape of one fits. Times are ISO 8601 in UTC. */
export interface PasskeyView {
  readonly id: string;
  /** Base64url, as the WebAuthn Signal API takes it. */
  readonly credentialId: string;
  readonly name: string;
  /** What people call the authenticator; null where its model is not known. */
  readonly provider: string | null;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** Whether the session that looks was opened with it. */
  readonly current: boolean;
}

/** A session as pages show it; the API's own shape of one fits. Times are ISO 8601 in UTC. */
export interface SessionView {
  readonly id: string;
  readonly device: string;
  readonly network: string;
  readonly passkeyId: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Whether it is the one that looks. */
  readonly current: boolean;
}

/** What an application may do with which keys, and until when at the latest. */
export interface KeyGrantView {
  readonly scope: string;
  /** Ids. */
  readonly keys: readonly string[];
  /** What it may sign, and the same in sentences; null for nothing. */
  readonly policy: Policy | null;
  readonly policyWords: readonly string[] | null;
  readonly createdAt: string;
  readonly endsAt: string;
}

/** An application that a person has let in. */
export interface ApplicationView {
  /** What it may do with keys; empty where it may use none. */
  readonly keyGrants: readonly KeyGrantView[];
  readonly clientId: string;
  readonly name: string;
  readonly uri: string;
  /** ISO 8601 in UTC. */
  readonly consentedAt: string;
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
