/**
 * Which trusted execution environment this is. Only `dstack` and `tdx` are real ones; `none` is a machine that its
 * operator trusts as it is, for a broker alone.
 */
export type TeeProvider = "dstack" | "tdx" | "simulated" | "none";

/** What a quote request answers. */
export interface Quote {
  /** The raw quote (Intel TDX DCAP quote, version 4 or 5). */
  readonly quote: Uint8Array;
  /** The event log that replays to the quote's RTMRs, where the provider has one. */
  readonly eventLog?: string;
}

/** Who gave the sealing key, as claims and verifiers name it: whoever that is knows it, and so every key. */
export interface KeyProvider {
  /** `kms`, `local-sgx`, `broker`, `file`, `simulated` … */
  readonly name: string;
  /**
   * Which one: of a KMS the public key of its certificate authority (SubjectPublicKeyInfo in hex, as dstack's event log
   * has it), of a broker its Ed25519 key (base64url). Empty where there is nothing to tell them apart by.
   */
  readonly id: string;
}

/** What the signature chain of a dstack key proves: a root issued it for an application. Both in hex. */
export interface VerifiedIssue {
  /** The compressed secp256k1 key of the KMS's root. */
  readonly root: string;
  readonly appId: string;
}

/** The key provider of a TEE. */
export interface OwnKeyProvider extends KeyProvider {
  /** Null where no root is pinned, and where the provider signs nothing: then it is the agent's word alone. */
  readonly verified: VerifiedIssue | null;
}

/** The trusted execution environment, as the vault and the attestation see it. */
export interface Tee {
  readonly provider: TeeProvider;
  /** True exactly for `dstack` and `tdx`. */
  readonly inTee: boolean;
  readonly keyProvider: OwnKeyProvider;
  /** 32 bytes that only this workload gets and that are the same after a restart. The caller wipes them. */
  sealingKey(): Promise<Uint8Array>;
  /**
   * Wipes what it holds of the sealing key, and gives it to nobody any more: for whoever has opened the vault. A
   * simulated one, whose key lies in a file, keeps it for its certificates.
   */
  forgetSealingKey(): void;
  /** Evidence over exactly 64 bytes of report data. Rejects with `TeeUnavailableError` when there is none now. */
  quote(reportData: Uint8Array): Promise<Quote>;
}

/** The TEE gave no answer or a wrong one: the caller may try again later. */
export class TeeUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TeeUnavailableError";
  }
}
