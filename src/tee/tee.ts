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

/** The trusted execution environment, as the vault and the attestation see it. */
export interface Tee {
  readonly provider: TeeProvider;
  /** True exactly for `dstack` and `tdx`. */
  readonly inTee: boolean;
  /** 32 bytes that only this workload gets and that are the same after a restart. The caller wipes them. */
  sealingKey(): Promise<Uint8Array>;
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
