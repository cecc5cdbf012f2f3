import { createHash } from "node:crypto";
import type { Tee } from "./tee.ts";

/** Where the sealing key of a hardware TEE comes from. For the operator's eyes. */
export interface KeySource {
  /** `kms`, `local-sgx`, `file`, `broker` … */
  readonly name: string;
  /**
   * Whether a new version of the service, or of what it runs on, gets the same key; `if_allowed`: once a broker says
   * so.
   */
  readonly survivesUpgrades: "yes" | "no" | "depends" | "if_allowed";
}

/** A TEE that hardware stands behind. */
export interface HardwareTee extends Tee {
  readonly keySource: KeySource;
}

/** Why a hardware TEE cannot be used at all. */
export type TeeStartFault =
  /** Nobody answers where it should be. */
  | "unreachable"
  /** The operating system does not let this process use it. */
  | "not_permitted"
  /** It answers, but not as it should. */
  | "wrong_answer"
  /** Its key would be lost, or is anybody's. */
  | "key_source"
  /** The key's file cannot be used. */
  | "key_file"
  /** The broker gives no key, or is not the one that was pinned. */
  | "broker"
  /** The trust domain's memory can be read from outside. */
  | "under_debug";

/** The service must not start with this TEE: nothing was changed. The message is for the operator. */
export class TeeStartError extends Error {
  readonly code: TeeStartFault;

  constructor(code: TeeStartFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TeeStartError";
    this.code = code;
  }
}

/** REPORTDATA of the one quote asked for at every start, whose tag keeps it from proving anything of a key. */
export function startReportData(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash("sha512").update("holdfast/start/v1\0", "utf8").digest());
}

/** Throws unless it is the 64 bytes that fill REPORTDATA: what is shorter each platform would pad in its own way. */
export function requireReportData(reportData: Uint8Array): void {
  if (reportData.length !== 64) throw new TypeError("Cannot quote: report data is not 64 bytes");
}

/** Whether all bytes are the same, as in a key that nobody drew. */
export function isConstant(key: Uint8Array): boolean {
  return key.every((byte) => byte === key[0]);
}
