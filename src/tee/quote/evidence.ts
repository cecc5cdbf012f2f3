import type { Instant } from "../../lib/time.ts";
import type { KeyProvider } from "../tee.ts";
import type { RootCertificate } from "./certificate.ts";
import type { Collateral } from "./collateral.ts";
import { TCB_STATUSES } from "./collateral.ts";

/** What is checked, in the order in which it is reported. The last ones are there only when somebody asks for them. */
export type CheckName =
  | "quote_format"
  | "pck_chain"
  | "pck_crl"
  | "root_crl"
  | "qe_report"
  | "qe_identity"
  | "quote_signature"
  | "tcb_info"
  | "tdx_module"
  | "tcb_status"
  | "td_attributes"
  | "mrtd"
  | "rtmr0"
  | "rtmr1"
  | "rtmr2"
  | "rtmr3"
  | "mrconfigid"
  | "mrowner"
  | "mrownerconfig"
  | "report_data"
  | "nonce"
  | "address"
  | "policy"
  | "event_log"
  | "compose_hash"
  | "app_id"
  | "key_provider";

/** The registers that say what runs in the trust domain, and for whom: the last two only where somebody asks. */
export type Register =
  | "mrTd"
  | "rtmr0"
  | "rtmr1"
  | "rtmr2"
  | "rtmr3"
  | "mrConfigId"
  | "mrOwner"
  | "mrOwnerConfig";

/** A value that must be found, or the statement that any will do. */
export type Expected<T> = T | "any";

/** What the caller knows of the workload and of the statement. What is absent is `not_checked`, so nothing passes. */
export interface Expectations {
  /** 48 bytes each. */
  readonly registers?: Readonly<Partial<Record<Register, Expected<Uint8Array>>>>;
  /**
   * 64 bytes, for quotes over something else than a key's claims: then `nonce` and `address` are not looked at. Absent:
   * the report data must be those of `claims`.
   */
  readonly reportData?: Expected<Uint8Array>;
  /** The nonce in the claims, as it was sent. */
  readonly nonce?: Expected<string>;
  /** The Ethereum address in the claims, in either case. */
  readonly address?: Expected<string>;
  /**
   * What the key may sign by its policy in the claims: SHA-256 of the policy's canonical JSON (RFC 8785), 32 bytes.
   * Looked at only where it is given.
   */
  readonly policyHash?: Uint8Array;
  /** 32 bytes, or as many as the event log has: dstack's `compose-hash`. */
  readonly composeHash?: Uint8Array;
  /** 20 bytes: dstack's `app-id`. */
  readonly appId?: Uint8Array;
  /** Who gave the sealing key, by the event log or, where there is none, by the claims. */
  readonly keyProvider?: Expected<KeyProvider>;
}

/** Statuses that a caller can accept. `Revoked` is none of them, ever. */
export const ACCEPTABLE_STATUSES = TCB_STATUSES.filter((status) => status !== "Revoked");

/** What the caller accepts of a platform. */
export interface Policy {
  readonly statuses: readonly (typeof ACCEPTABLE_STATUSES)[number][];
  /** Whether a trust domain without SEPT_VE_DISABLE passes, as some clouds had them until 2023. */
  readonly septVe: "disabled" | "any";
  /**
   * Which service trust domains may be bound to it: MRSERVICETD, 48 bytes. With one, the trust domain may be movable,
   * because it is that one's policy whereto.
   */
  readonly serviceTd: "none" | Uint8Array;
  /** Least `tcbEvaluationDataNumber` of TCB info and QE identity, against collateral that is valid but old. */
  readonly leastEvaluation: number;
}

/** Only what is up to date, and nothing that weakens the trust domain. */
export const STRICT_POLICY: Policy = {
  statuses: ["UpToDate"],
  septVe: "disabled",
  serviceTd: "none",
  leastEvaluation: 0,
};

/** What `verifyQuote` looks at. */
export interface QuoteEvidence {
  readonly quote: Uint8Array;
  readonly collateral: Collateral;
  /** dstack's event log, as the guest agent gives it: the text of a JSON array. */
  readonly eventLog?: string;
  /** The exact bytes that were hashed into the report data of a key's quote. */
  readonly claims?: Uint8Array;
  /** The verifier's own clock. */
  readonly now: Instant;
  /** Whose certificates count; Intel's SGX root when absent. */
  readonly root?: RootCertificate;
  readonly policy: Policy;
  readonly expectations: Expectations;
}
