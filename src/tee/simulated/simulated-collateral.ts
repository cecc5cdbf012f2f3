import { utf8 } from "../../lib/bytes.ts";
import { der, derText } from "../der-writer.ts";
import {
  encodeName,
  encodeSigned,
  SIGNATURE_ALGORITHM,
  signP256,
  SIMULATED_PLATFORM,
} from "./simulated-pki.ts";
import type { Certified, SimulatedPki } from "./simulated-pki.ts";
import { SIMULATED_QE } from "./simulated-quote.ts";

const WINDOW = { issueDate: "2020-01-01T00:00:00Z", nextUpdate: "2049-12-31T23:59:59Z" } as const;
const LEVEL = { tcbDate: "2020-01-01T00:00:00Z", tcbStatus: "UpToDate" } as const;

/** Encodes an empty revocation list (RFC 5280 section 5.1). */
function encodeRevocationList(issuer: Certified): Uint8Array {
  const content = der(
    "sequence",
    der("integer", Uint8Array.of(1)),
    SIGNATURE_ALGORITHM,
    encodeName(issuer.name),
    derText("utcTime", "200101000000Z"),
    derText("utcTime", "491231235959Z"),
  );
  return encodeSigned(content, issuer);
}

function makeTcbInfo(): string {
  const { fmspc, pceId, svn } = SIMULATED_PLATFORM;
  const components = Array.from({ length: 16 }, () => ({ svn }));
  const tcb = { sgxtcbcomponents: components, pcesvn: svn, tdxtcbcomponents: components };
  return JSON.stringify({
    id: "TDX",
    version: 3,
    ...WINDOW,
    fmspc,
    pceId,
    tcbType: 0,
    tcbEvaluationDataNumber: 1,
    tdxModule: { mrsigner: "00".repeat(48), attributes: "00".repeat(8), attributesMask: "FF".repeat(8) },
    tdxModuleIdentities: [],
    tcbLevels: [{ tcb, ...LEVEL }],
  });
}

function makeQeIdentity(): string {
  const { attributes, mrSigner, isvProdId } = SIMULATED_QE;
  return JSON.stringify({
    id: "TD_QE",
    version: 2,
    ...WINDOW,
    tcbEvaluationDataNumber: 1,
    miscselect: "00000000",
    miscselectMask: "FFFFFFFF",
    attributes,
    attributesMask: "FF".repeat(16),
    mrsigner: mrSigner,
    isvprodid: isvProdId,
    tcbLevels: [{ tcb: { isvsvn: 0 }, ...LEVEL }],
  });
}

/** Creates collateral in the form that `parseCollateral` reads. It verifies with the simulated root. */
export function makeSimulatedCollateral(pki: SimulatedPki): string {
  const sign = (text: string): string => signP256(pki.tcbSigning.key, utf8(text)).toHex();
  const [tcbInfo, qeIdentity] = [makeTcbInfo(), makeQeIdentity()];
  return JSON.stringify({
    root_ca_crl: encodeRevocationList(pki.root).toHex(),
    pck_crl: encodeRevocationList(pki.platform).toHex(),
    tcb_info_issuer_chain: pki.signingChain,
    tcb_info: tcbInfo,
    tcb_info_signature: sign(tcbInfo),
    qe_identity_issuer_chain: pki.signingChain,
    qe_identity: qeIdentity,
    qe_identity_signature: sign(qeIdentity),
  });
}
