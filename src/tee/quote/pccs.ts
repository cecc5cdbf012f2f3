import { collect } from "../../lib/bytes.ts";
import { parseAuthentication } from "./authentication.ts";
import { parseChain } from "./certificate.ts";
import { type Collateral, CollateralError } from "./collateral.ts";
import { bytesOfHex, hexOf } from "./encoding.ts";
import { CheckFault } from "./fault.ts";
import { parseQuote, QuoteFormatError } from "./parse.ts";
import { readPlatform } from "./pck.ts";

export interface PlatformName {
  /** In hex, as in the service's URLs. */
  readonly fmspc: string;
  /** The authority of Intel that issued the PCK certificate. */
  readonly authority: "platform" | "processor";
}

/** Returns the platform that a quote names. Throws `CollateralError` if it names none. Verifies nothing. */
export function platformOf(quote: Uint8Array): PlatformName {
  try {
    const [leaf, issuer] = parseChain(parseAuthentication(parseQuote(quote).authentication).chain);
    const { fmspc } = readPlatform(leaf!);
    const isProcessor = issuer?.commonName.endsWith("Processor CA") === true;
    return { fmspc: hexOf(fmspc), authority: isProcessor ? "processor" : "platform" };
  } catch (error) {
    if (!(error instanceof CheckFault || error instanceof QuoteFormatError)) throw error;
    throw new CollateralError(`the quote does not name its platform (${error.message})`);
  }
}

const MOST_ANSWER = 1024 * 1024;
/** Intel's own service has the root's list at another address than a caching service (PCCS). */
const INTEL_API = "https://api.trustedservices.intel.com";
const INTEL_ROOT_LIST = "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der";

interface PccsResponse {
  readonly body: Uint8Array;
  /** The issuer's PEM chain from a header; empty if missing. */
  readonly chain: string;
}

function readBody(chunks: AsyncIterable<Uint8Array>, what: string): Promise<Uint8Array> {
  return collect(chunks, MOST_ANSWER, () => new CollateralError(`the ${what} that was received is too long`));
}

function decodeChain(value: string, what: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new CollateralError(`the chain of the ${what} is malformed`);
  }
}

/** When to give up, and headers of every request. */
interface FetchOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

async function get(url: string, what: string, header: string, options: FetchOptions): Promise<PccsResponse> {
  try {
    const response = await fetch(url, { ...options, redirect: "error" });
    if (response.status !== 200) {
      throw new CollateralError(`the ${what} was answered with ${response.status}`);
    }
    const body = response.body === null ? new Uint8Array() : await readBody(response.body, what);
    return { body, chain: decodeChain(response.headers.get(header) ?? "", what) };
  } catch (error) {
    if (error instanceof CollateralError) throw error;
    throw new CollateralError(`the ${what} cannot be fetched from ${new URL(url).origin}`);
  }
}

/** Leaves the text unchanged, because it was signed. */
function splitDocument(body: Uint8Array, name: string): { text: string; signature: Uint8Array } {
  const text = new TextDecoder().decode(body).trim();
  const parts = /^\{"(\w+)":(\{.*\}),"signature":"([0-9a-fA-F]{128})"\}$/s.exec(text);
  if (parts === null || parts[1] !== name) throw new CollateralError(`no signed ${name} was received`);
  return { text: parts[2]!, signature: bytesOfHex(parts[3]!) };
}

/** Decodes DER, which Intel sends, or hex, which caching services send. */
function readListBody(body: Uint8Array): Uint8Array {
  const isHex = body.length % 2 === 0 && body.every((byte) => /[0-9a-fA-F]/.test(String.fromCharCode(byte)));
  return isHex ? bytesOfHex(new TextDecoder().decode(body)) : body;
}

/**
 * Fetches a platform's collateral from Intel's Provisioning Certification Service (`INTEL_API`) or a compatible
 * caching service, version 4. `base` precedes `/sgx/certification/v4` and `/tdx/certification/v4`. Throws
 * `CollateralError` for any failure, at the latest when the signal aborts. Verifies nothing: the server is not trusted,
 * because all documents are signed.
 */
export async function fetchCollateral(
  base: string,
  { fmspc, authority }: PlatformName,
  options: FetchOptions,
): Promise<Collateral> {
  const sgx = `${base}/sgx/certification/v4`;
  const tdx = `${base}/tdx/certification/v4`;
  const rootList = base === INTEL_API ? INTEL_ROOT_LIST : `${sgx}/rootcacrl`;
  const [info, identity, pckList, rootCrl] = await Promise.all([
    get(`${tdx}/tcb?fmspc=${fmspc}`, "TCB info", "TCB-Info-Issuer-Chain", options),
    get(`${tdx}/qe/identity`, "QE identity", "SGX-Enclave-Identity-Issuer-Chain", options),
    get(`${sgx}/pckcrl?ca=${authority}&encoding=der`, "PCK list", "SGX-PCK-CRL-Issuer-Chain", options),
    get(rootList, "root list", "SGX-PCK-CRL-Issuer-Chain", options),
  ]);
  const tcbInfo = splitDocument(info.body, "tcbInfo");
  const qeIdentity = splitDocument(identity.body, "enclaveIdentity");
  return {
    rootCaCrl: readListBody(rootCrl.body),
    pckCrl: readListBody(pckList.body),
    tcbInfoIssuerChain: info.chain,
    tcbInfo: tcbInfo.text,
    tcbInfoSignature: tcbInfo.signature,
    qeIdentityIssuerChain: identity.chain,
    qeIdentity: qeIdentity.text,
    qeIdentitySignature: qeIdentity.signature,
  };
}
