/** Only `dstack` and `tdx` are real; `none` is a machine that its operator trusts, for a broker only. */
export type TeeProvider = "dstack" | "tdx" | "simulated" | "none";

export interface Quote {
  /** The raw quote (Intel TDX DCAP quote, version 4 or 5). */
  readonly quote: Uint8Array;
  /** The event log that replays to the quote's RTMRs, if the provider has one. */
  readonly eventLog?: string;
}

/** A provider that knows the sealing key, and so every key. */
export interface KeyProvider {
  /** `kms`, `local-sgx`, `broker`, `file`, `simulated` … */
  readonly name: string;
  /**
   * A KMS's certificate authority key (SubjectPublicKeyInfo in hex, as in dstack's event log) or a broker's Ed25519
   * key (base64url). Empty if the provider has no identity.
   */
  readonly id: string;
}

/** The root and application that the signature chain of a dstack key proves. Both in hex. */
export interface VerifiedIssue {
  /** The compressed secp256k1 key of the KMS's root. */
  readonly root: string;
  readonly appId: string;
}

export interface OwnKeyProvider extends KeyProvider {
  /** Null if no root is pinned or the provider signs nothing: then the agent's claim is unverified. */
  readonly verified: VerifiedIssue | null;
}

/** A source of a sealing key, as the slot of the key names it. Holders of shares give that of `recovery`. */
export interface SealingKeySource {
  readonly source: "dstack" | "file" | "broker" | "recovery" | "simulated";
  /** The version of dstack's guest API. */
  readonly api?: DstackApi;
  /** Returns 32 bytes. The caller wipes them. */
  sealingKey(): Promise<Uint8Array>;
}

/** The versions of dstack's guest API. Each gives another key. */
export type DstackApi = "v0" | "v1";

export interface Tee {
  readonly provider: TeeProvider;
  /** True exactly for `dstack` and `tdx`. */
  readonly inTee: boolean;
  readonly keyProvider: OwnKeyProvider;
  /** The version of dstack's guest API that gives `sealingKey`. */
  readonly keyApi?: DstackApi;
  /** A key that this provider gave before, tried after `sealingKey`. */
  readonly earlierKey?: SealingKeySource;
  /** Returns 32 bytes that only this workload gets, the same after a restart. The caller wipes them. */
  sealingKey(): Promise<Uint8Array>;
  /** Wipes the sealing key after the vault is opened. A simulated TEE keeps it for its certificates. */
  forgetSealingKey(): void;
  /** Returns evidence over exactly 64 bytes. Rejects with `TeeUnavailableError` if none is available. */
  quote(reportData: Uint8Array): Promise<Quote>;
}

/** A missing or wrong reply of the TEE. The caller may try again later. */
export class TeeUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TeeUnavailableError";
  }
}

function sourceOf({ provider, keyProvider }: Tee): SealingKeySource["source"] {
  if (provider === "dstack" || provider === "simulated") return provider;
  return keyProvider.name === "broker" ? "broker" : "file";
}

/** Returns the sources of a TEE: its sealing key first. */
export function sealingKeysOf(tee: Tee): readonly [SealingKeySource, ...SealingKeySource[]] {
  const { keyApi, earlierKey } = tee;
  const own = { source: sourceOf(tee), sealingKey: () => tee.sealingKey() };
  return [
    keyApi === undefined ? own : { ...own, api: keyApi },
    ...(earlierKey === undefined ? [] : [earlierKey]),
  ];
}
