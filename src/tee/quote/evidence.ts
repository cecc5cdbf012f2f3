import type { Instant } from "../../lib/time.ts";
import type { KeyProvider } from "../tee.ts";
import type { RootCertificate } from "./certificate.ts";
import { type Collateral, TCB_STATUSES } from "./collateral.ts";

/** The checks, in the order of their report. Some of the last ones are made only if the caller requests them. */
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
  | "slots"
  | "event_log"
  | "compose_hash"
  | "app_id"
  | "key_provider";

/** The registers of workload and owner. The last two are checked only if the caller expects a value. */
export type Register =
  | "mrTd"
  | "rtmr0"
  | "rtmr1"
  | "rtmr2"
  | "rtmr3"
  | "mrConfigId"
  | "mrOwner"
  | "mrOwnerConfig";

/** A required value, or an explicit waiver. */
export type Expected<T> = T | "any";

/** A slot of the service's root seed: the holder of its key can have every key of the service. */
export interface SealSlotClaim {
  /** `dstack`, `file`, `broker`, `recovery` or `simulated`. */
  readonly source: string;
  /** 32 bytes in hex, which reveal nothing about the key. */
  readonly keyId: string;
}

/** The caller's requirements on workload and claims. A missing one is `not_checked`, which does not pass. */
export interface Expectations {
  /** 48 bytes each. */
  readonly registers?: Readonly<Partial<Record<Register, Expected<Uint8Array>>>>;
  /**
   * 64 bytes, for quotes over other data than a key's claims; then `nonce` and `address` are not checked. Absent: the
   * report data must commit to `claims`.
   */
  readonly reportData?: Expected<Uint8Array>;
  readonly nonce?: Expected<string>;
  /** The Ethereum address in the claims, in either case. */
  readonly address?: Expected<string>;
  /** SHA-256 of the canonical JSON (RFC 8785) of the key's policy in the claims, 32 bytes. Checked only if given. */
  readonly policyHash?: Uint8Array;
  /** The slots of the seed in the claims, in any order. Checked only if given. */
  readonly slots?: readonly SealSlotClaim[];
  /** dstack's `compose-hash`: 32 bytes, or the length in the event log. */
  readonly composeHash?: Uint8Array;
  /** dstack's `app-id`: 20 bytes. */
  readonly appId?: Uint8Array;
  /** The provider of the sealing key, by the event log or, without one, by the claims. */
  readonly keyProvider?: Expected<KeyProvider>;
}

/** Statuses that a caller can accept. Never `Revoked`. */
export const ACCEPTABLE_STATUSES = TCB_STATUSES.filter((status) => status !== "Revoked");

export interface QuotePolicy {
  readonly statuses: readonly (typeof ACCEPTABLE_STATUSES)[number][];
  /** `any` accepts a trust domain without SEPT_VE_DISABLE, as on some clouds until 2023. */
  readonly septVe: "disabled" | "any";
  /** MRSERVICETD, 48 bytes. With one, the domain may be migratable: that domain's policy decides where to. */
  readonly serviceTd: "none" | Uint8Array;
  /** Minimum `tcbEvaluationDataNumber` of TCB info and QE identity, against collateral that is valid but old. */
  readonly leastEvaluation: number;
}

/** A policy that requires an up-to-date platform without weakening options. */
export const STRICT_POLICY: QuotePolicy = {
  statuses: ["UpToDate"],
  septVe: "disabled",
  serviceTd: "none",
  leastEvaluation: 0,
};

export interface QuoteEvidence {
  readonly quote: Uint8Array;
  readonly collateral: Collateral;
  /** dstack's event log from the guest agent: a JSON array. */
  readonly eventLog?: string;
  /** The exact bytes that were hashed into the report data of a key's quote. */
  readonly claims?: Uint8Array;
  /** The verifier's own clock. */
  readonly now: Instant;
  /** Intel's SGX root if absent. */
  readonly root?: RootCertificate;
  readonly policy: QuotePolicy;
  readonly expectations: Expectations;
}
