import type { ModuleSigner, QeIdentity, TcbInfo, TcbLevel, TcbStatus } from "./collateral.ts";
import { TCB_STATUSES } from "./collateral.ts";
import { hexOf } from "./encoding.ts";
import { CheckFault } from "./fault.ts";
import type { TdReport } from "./parse.ts";
import type { Platform } from "./pck.ts";

export interface PlatformTcb {
  readonly status: TcbStatus;
  readonly platform: TcbStatus;
  readonly module: TcbStatus;
  readonly quotingEnclave: TcbStatus;
  readonly advisories: readonly string[];
}

export interface QeReport {
  readonly miscSelect: Uint8Array;
  readonly attributes: Uint8Array;
  readonly mrSigner: Uint8Array;
  readonly isvProdId: number;
  readonly isvSvn: number;
  readonly reportData: Uint8Array;
}

/** Reads an SGX report body (Intel SDM volume 3D, table 37-21). */
export function readQeReport(bytes: Uint8Array): QeReport {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    miscSelect: bytes.slice(16, 20),
    attributes: bytes.slice(48, 64),
    mrSigner: bytes.slice(128, 160),
    isvProdId: view.getUint16(256, true),
    isvSvn: view.getUint16(258, true),
    reportData: bytes.slice(320, 384),
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return hexOf(a) === hexOf(b);
}

function isSameUnder(mask: Uint8Array, found: Uint8Array, expected: Uint8Array): boolean {
  return mask.every((bits, index) => (found[index]! & bits) === (expected[index]! & bits));
}

/** Throws `CheckFault` unless Intel names the enclave. Does not check its version: `findQeLevel` does. */
export function expectQe(report: QeReport, identity: QeIdentity): void {
  if (!isSame(report.mrSigner, identity.mrSigner)) {
    throw new CheckFault("The quoting enclave has another signer");
  }
  if (report.isvProdId !== identity.isvProdId) throw new CheckFault("The quoting enclave is another product");
  if (!isSameUnder(identity.miscSelectMask, report.miscSelect, identity.miscSelect)) {
    throw new CheckFault("The quoting enclave has another MISCSELECT");
  }
  if (!isSameUnder(identity.attributesMask, report.attributes, identity.attributes)) {
    throw new CheckFault("The quoting enclave has other attributes");
  }
}

/** Returns the first level whose version is at most `svn`. Intel lists them in descending order. */
function findEnclaveLevel(levels: readonly TcbLevel<number>[], svn: number, what: string): TcbLevel<number> {
  const level = levels.find(({ tcb }) => tcb <= svn);
  if (level === undefined) {
    throw new CheckFault(`No TCB level applies to the ${what}, whose version is ${svn}`);
  }
  return level;
}

/** Returns the major version of the TDX module. From 1 on its own identity has its levels. */
function moduleVersion({ teeTcbSvn }: TdReport): number {
  return teeTcbSvn[1]!;
}

function expectSigner(report: TdReport, { mrSigner, attributes, attributesMask }: ModuleSigner): void {
  // Zero means Intel's own signature. No other value is accepted, even if the collateral lists it.
  if (report.mrSignerSeam.some((byte) => byte !== 0) || !isSame(report.mrSignerSeam, mrSigner)) {
    throw new CheckFault("The TDX module has another signer");
  }
  if (
    report.seamAttributes.some((byte) => byte !== 0) ||
    !isSameUnder(attributesMask, report.seamAttributes, attributes)
  ) throw new CheckFault("The TDX module has other attributes");
}

/**
 * Returns the TDX module's level: of `TDX_NN` for major version NN, by its minor version. Major version 0 has no
 * level of its own and counts as up to date: the platform's level covers it. Throws `CheckFault` if signer or
 * attributes are wrong or no level matches.
 */
export function findModuleLevel(report: TdReport, info: TcbInfo): TcbLevel<number> {
  const version = moduleVersion(report);
  if (version === 0) {
    expectSigner(report, info.module);
    return { tcb: 0, status: "UpToDate", advisories: [] };
  }
  const id = `TDX_${version.toString(16).padStart(2, "0")}`.toUpperCase();
  const identity = info.moduleIdentities.find((known) => known.id.toUpperCase() === id);
  if (identity === undefined) throw new CheckFault(`TCB info does not know the TDX module ${id}`);
  expectSigner(report, identity);
  return findEnclaveLevel(identity.levels, report.teeTcbSvn[0]!, `TDX module ${id}`);
}

/** Returns the quoting enclave's level. Throws `CheckFault` if none matches. */
export function findQeLevel({ isvSvn }: QeReport, { levels }: QeIdentity): TcbLevel<number> {
  return findEnclaveLevel(levels, isvSvn, "quoting enclave");
}

function isAtLeast(found: ArrayLike<number>, least: readonly number[], from: number): boolean {
  return least.every((svn, index) => index < from || found[index]! >= svn);
}

/**
 * Returns the first level that all SGX and TDX components and the PCE reach. For a TDX module of major version 1 or
 * more, skips the first two TDX components. They are the module's versions, which its own identity covers. Throws
 * `CheckFault` if none matches.
 */
export function findPlatformLevel(platform: Platform, report: TdReport, info: TcbInfo): TcbLevel<unknown> {
  const from = moduleVersion(report) > 0 ? 2 : 0;
  const level = info.levels.find(({ tcb }) =>
    isAtLeast(platform.components, tcb.sgx, 0) && platform.pceSvn >= tcb.pceSvn &&
    isAtLeast(report.teeTcbSvn, tcb.tdx, from)
  );
  if (level === undefined) {
    throw new CheckFault("No TCB level applies to the platform: it is older than all of them");
  }
  return level;
}

const OUTDATED: Readonly<Partial<Record<TcbStatus, TcbStatus>>> = {
  ConfigurationNeeded: "OutOfDateConfigurationNeeded",
  ConfigurationAndSWHardeningNeeded: "OutOfDateConfigurationNeeded",
};

function worseStatus(a: TcbStatus, b: TcbStatus): TcbStatus {
  const both = [a, b];
  if (both.includes("ConfigurationNeeded") && both.includes("SWHardeningNeeded")) {
    return "ConfigurationAndSWHardeningNeeded";
  }
  const worst = TCB_STATUSES.indexOf(a) < TCB_STATUSES.indexOf(b) ? b : a;
  return worst === "OutOfDate" ? OUTDATED[a] ?? OUTDATED[b] ?? worst : worst;
}

/** Returns the worst of the three statuses. Combines an outdated part with one that needs configuration. */
export function combineLevels(levels: {
  readonly platform: TcbLevel<unknown>;
  readonly module: TcbLevel<unknown>;
  readonly quotingEnclave: TcbLevel<unknown>;
}): PlatformTcb {
  const { platform, module, quotingEnclave } = levels;
  return {
    status: worseStatus(worseStatus(platform.status, module.status), quotingEnclave.status),
    platform: platform.status,
    module: module.status,
    quotingEnclave: quotingEnclave.status,
    advisories: [
      ...new Set([platform, module, quotingEnclave].flatMap(({ advisories }) => advisories)),
    ].sort(),
  };
}
