import { sha256 } from "@noble/hashes/sha2.js";
import type { Instant } from "../../lib/time.ts";
import type { RootCertificate } from "./certificate.ts";
import { type Collateral, parseQeIdentity, parseTcbInfo } from "./collateral.ts";
import { hexOf } from "./encoding.ts";
import { intelRoot } from "./intel-root.ts";
import { readNextUpdate } from "./revocation.ts";

export interface RootSummary {
  readonly name: string;
  /** SHA-256 of its SubjectPublicKeyInfo, in hex. */
  readonly publicKeyHash: string;
  /** False for any root other than Intel's: everything below it is simulated. */
  readonly isIntels: boolean;
}

export interface CollateralSummary {
  readonly evaluation: { readonly tcbInfo: number; readonly qeIdentity: number };
  /** The earliest next update of the two documents and the two revocation lists. */
  readonly expiresAt: Instant;
}

export function summarizeRoot({ commonName, spki }: RootCertificate): RootSummary {
  return {
    name: commonName,
    publicKeyHash: hexOf(sha256(spki)),
    isIntels: hexOf(spki) === hexOf(intelRoot().spki),
  };
}

/** Throws `CheckFault`. Verifies nothing. */
export function summarizeCollateral(collateral: Collateral): CollateralSummary {
  const [tcbInfo, qeIdentity] = [parseTcbInfo(collateral.tcbInfo), parseQeIdentity(collateral.qeIdentity)];
  const due = [tcbInfo, qeIdentity].map(({ nextUpdate }) => nextUpdate);
  const listsDue = [collateral.pckCrl, collateral.rootCaCrl].map(readNextUpdate);
  return {
    evaluation: { tcbInfo: tcbInfo.evaluation, qeIdentity: qeIdentity.evaluation },
    expiresAt: Math.min(...due, ...listsDue),
  };
}
