import { DAY } from "../../src/lib/time.ts";
import type { Instant } from "../../src/lib/time.ts";
import { QUOTE_NOW } from "./quote-certificates.ts";

// The documents that a synthetic Intel signs.

type Json = Record<string, unknown>;

/** The collateral as JSON. */
export interface CollateralDocument {
  pck_crl_issuer_chain: string;
  root_ca_crl: string;
  pck_crl: string;
  tcb_info_issuer_chain: string;
  tcb_info: string;
  tcb_info_signature: string;
  qe_identity_issuer_chain: string;
  qe_identity: string;
  qe_identity_signature: string;
}

interface Level<T> {
  tcb: T;
  tcbDate: string;
  tcbStatus: string;
  advisoryIDs?: string[];
}

/** TCB info before it is signed. */
export interface TcbInfoDocument extends Json {
  issueDate: string;
  nextUpdate: string;
  fmspc: string;
  pceId: string;
  tcbEvaluationDataNumber: number;
  tdxModule: { mrsigner: string; attributes: string; attributesMask: string };
  tdxModuleIdentities: {
    id: string;
    mrsigner: string;
    attributes: string;
    attributesMask: string;
    tcbLevels: Level<{ isvsvn: number }>[];
  }[];
  tcbLevels: Level<
    { sgxtcbcomponents: { svn: number }[]; pcesvn: number; tdxtcbcomponents: { svn: number }[] }
  >[];
}

/** The quoting enclave's identity before it is signed. */
export interface QeIdentityDocument extends Json {
  issueDate: string;
  nextUpdate: string;
  tcbEvaluationDataNumber: number;
  miscselect: string;
  miscselectMask: string;
  attributes: string;
  attributesMask: string;
  mrsigner: string;
  isvprodid: number;
  tcbLevels: Level<{ isvsvn: number }>[];
}

function toIntelTime(instant: Instant): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}

const WINDOW = {
  issueDate: toIntelTime(QUOTE_NOW - 5 * DAY),
  nextUpdate: toIntelTime(QUOTE_NOW + 25 * DAY),
  tcbEvaluationDataNumber: 18,
} as const;

const MODULE = {
  mrsigner: "00".repeat(48),
  attributes: "00".repeat(8),
  attributesMask: "FF".repeat(8),
} as const;

function toComponents(svns: readonly number[]): { svn: number }[] {
  return Array.from({ length: 16 }, (_, index) => ({ svn: svns[index] ?? 0 }));
}

/** Makes TCB info in which the platform is up to date, one step back is `OutOfDate`, and modules 1 and 3 are known. */
export function makeTcbInfo(): TcbInfoDocument {
  const level = (svn: number, status: string): TcbInfoDocument["tcbLevels"][number] => ({
    tcb: {
      sgxtcbcomponents: toComponents([svn, svn, 2, 2, 3, 1, 0, 5]),
      pcesvn: 13,
      tdxtcbcomponents: toComponents([5, 0, 2]),
    },
    tcbDate: "2026-01-01T00:00:00Z",
    tcbStatus: status,
    ...(status === "UpToDate" ? {} : { advisoryIDs: ["INTEL-SA-00001"] }),
  });
  const modules = [["TDX_03", 3], ["TDX_01", 4]] as const;
  return {
    id: "TDX",
    version: 3,
    ...WINDOW,
    fmspc: "90C06F000000",
    pceId: "0000",
    tcbType: 0,
    tdxModule: { ...MODULE },
    tdxModuleIdentities: modules.map(([id, isvsvn]) => ({
      id,
      ...MODULE,
      tcbLevels: [
        { tcb: { isvsvn }, tcbDate: "2026-01-01T00:00:00Z", tcbStatus: "UpToDate" },
        { tcb: { isvsvn: 2 }, tcbDate: "2025-01-01T00:00:00Z", tcbStatus: "OutOfDate" },
      ],
    })),
    tcbLevels: [level(3, "UpToDate"), level(2, "OutOfDate")],
  };
}

/** Makes the identity of a quoting enclave that is up to date in version 4. */
export function makeQeIdentity(): QeIdentityDocument {
  return {
    id: "TD_QE",
    version: 2,
    ...WINDOW,
    miscselect: "00000000",
    miscselectMask: "FFFFFFFF",
    attributes: "11000000000000000000000000000000",
    attributesMask: "FBFFFFFFFFFFFFFF0000000000000000",
    mrsigner: "DC".repeat(32),
    isvprodid: 2,
    tcbLevels: [
      { tcb: { isvsvn: 4 }, tcbDate: "2026-01-01T00:00:00Z", tcbStatus: "UpToDate" },
      { tcb: { isvsvn: 2 }, tcbDate: "2025-01-01T00:00:00Z", tcbStatus: "OutOfDate" },
    ],
  };
}
