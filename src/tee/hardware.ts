import { createHash } from "node:crypto";
import type { Tee } from "./tee.ts";

/** The source of a hardware TEE's sealing key, shown to the operator. */
export interface KeySource {
  /** `kms`, `local-sgx`, `file`, `broker` … */
  readonly name: string;
  /** Survival of the key in a new version of the service or its platform. `if_allowed`: once the broker lists it. */
  readonly survivesUpgrades: "yes" | "no" | "depends" | "if_allowed";
}

export interface HardwareTee extends Tee {
  readonly keySource: KeySource;
}

export type TeeStartFault =
  /** No process or interface at the address. */
  | "unreachable"
  | "not_permitted"
  | "wrong_answer"
  /** The key would be lost, or may be known to others. */
  | "key_source"
  | "key_file"
  /** The broker gives no key, or is not the pinned one. */
  | "broker"
  /** The trust domain's memory can be read from outside. */
  | "under_debug";

/** A fault that forbids the start. Nothing was changed. The message is for the operator. */
export class TeeStartError extends Error {
  readonly code: TeeStartFault;

  constructor(code: TeeStartFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TeeStartError";
    this.code = code;
  }
}

/** Returns the report data of the quote at each start. The tag keeps it from being evidence of a key. */
export function startReportData(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash("sha512").update("holdfast/start/v1\0", "utf8").digest());
}

/** Throws `TypeError` unless it is 64 bytes: platforms pad shorter values differently. */
export function requireReportData(reportData: Uint8Array): void {
  if (reportData.length !== 64) throw new TypeError("Cannot quote: report data is not 64 bytes");
}

/** Returns true if all bytes are equal, as in a placeholder. */
export function isConstant(key: Uint8Array): boolean {
  return key.every((byte) => byte === key[0]);
}
