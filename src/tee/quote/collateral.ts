import type { Instant } from "../../lib/time.ts";
import { CheckFault } from "./fault.ts";
import {
  readHex,
  readInstant,
  readJson,
  readList,
  readObject,
  readOneOf,
  readOptional,
  readSmall,
  readText,
} from "./json.ts";

/** Statuses of a TCB level (Intel SGX and TDX Provisioning Certification Service API, version 4), best first. */
export const TCB_STATUSES = [
  "UpToDate",
  "SWHardeningNeeded",
  "ConfigurationNeeded",
  "ConfigurationAndSWHardeningNeeded",
  "OutOfDate",
  "OutOfDateConfigurationNeeded",
  "Revoked",
] as const;

export type TcbStatus = typeof TCB_STATUSES[number];

/** Unverified documents that Intel publishes about a platform. */
export interface Collateral {
  readonly rootCaCrl: Uint8Array;
  readonly pckCrl: Uint8Array;
  /** PEM certificates, leaf first. */
  readonly tcbInfoIssuerChain: string;
  /** The exact text that was signed. */
  readonly tcbInfo: string;
  readonly tcbInfoSignature: Uint8Array;
  readonly qeIdentityIssuerChain: string;
  readonly qeIdentity: string;
  readonly qeIdentitySignature: Uint8Array;
}

/**
 * Reads the current collateral for the platform that a quote names. Sends the headers with requests that it causes.
 * Rejects if it is unavailable.
 */
export type ReadCollateral = (
  quote: Uint8Array,
  headers?: Readonly<Record<string, string>>,
) => Promise<Collateral>;

export class CollateralError extends Error {
  constructor(message: string) {
    super(`Cannot read collateral: ${message}`);
    this.name = "CollateralError";
  }
}

/** Real collateral has about 20,000 characters. */
const MOST_COLLATERAL = 4 * 1024 * 1024;
const MOST_DOCUMENT = 1024 * 1024;

function readCollateral(value: unknown): Collateral {
  const member = readObject(value, "the collateral");
  return {
    rootCaCrl: readHex(member["root_ca_crl"], "root_ca_crl"),
    pckCrl: readHex(member["pck_crl"], "pck_crl"),
    tcbInfoIssuerChain: readText(member["tcb_info_issuer_chain"], "tcb_info_issuer_chain"),
    tcbInfo: readText(member["tcb_info"], "tcb_info"),
    tcbInfoSignature: readHex(member["tcb_info_signature"], "tcb_info_signature"),
    qeIdentityIssuerChain: readText(member["qe_identity_issuer_chain"], "qe_identity_issuer_chain"),
    qeIdentity: readText(member["qe_identity"], "qe_identity"),
    qeIdentitySignature: readHex(member["qe_identity_signature"], "qe_identity_signature"),
  };
}

/**
 * Parses collateral in the form common to libraries: a JSON object with the signed documents as texts, and lists and
 * signatures in hex. Throws `CollateralError`. Ignores other members: the chain of the PCK list's issuer is in the
 * quote. Verifies nothing.
 */
export function parseCollateral(text: string): Collateral {
  if (text.length > MOST_COLLATERAL) throw new CollateralError("too long");
  return readJson(text, readCollateral, (message) => new CollateralError(message));
}

/** A TCB level: minimum versions, and Intel's status for them. */
export interface TcbLevel<T> {
  readonly tcb: T;
  readonly status: TcbStatus;
  readonly advisories: readonly string[];
}

export interface PlatformSvns {
  /** 16 numbers each. */
  readonly sgx: readonly number[];
  readonly tdx: readonly number[];
  readonly pceSvn: number;
}

export interface ModuleSigner {
  readonly mrSigner: Uint8Array;
  readonly attributes: Uint8Array;
  readonly attributesMask: Uint8Array;
}

export interface ModuleIdentity extends ModuleSigner {
  readonly id: string;
  readonly levels: readonly TcbLevel<number>[];
}

export interface SignedDocument {
  readonly issueDate: Instant;
  readonly nextUpdate: Instant;
  readonly evaluation: number;
}

export interface TcbInfo extends SignedDocument {
  readonly fmspc: Uint8Array;
  readonly pceId: Uint8Array;
  readonly module: ModuleSigner;
  readonly moduleIdentities: readonly ModuleIdentity[];
  readonly levels: readonly TcbLevel<PlatformSvns>[];
}

export interface QeIdentity extends SignedDocument {
  readonly miscSelect: Uint8Array;
  readonly miscSelectMask: Uint8Array;
  readonly attributes: Uint8Array;
  readonly attributesMask: Uint8Array;
  readonly mrSigner: Uint8Array;
  readonly isvProdId: number;
  readonly levels: readonly TcbLevel<number>[];
}

type Members = Readonly<Record<string, unknown>>;

function expectValue(member: Members, name: string, expected: string | number): void {
  if (member[name] !== expected) throw new TypeError(`${name} is not ${expected}`);
}

function readSigned(member: Members): SignedDocument {
  return {
    issueDate: readInstant(member["issueDate"], "issueDate"),
    nextUpdate: readInstant(member["nextUpdate"], "nextUpdate"),
    evaluation: readSmall(member["tcbEvaluationDataNumber"], "tcbEvaluationDataNumber"),
  };
}

function readLevel<T>(value: unknown, at: string, readTcb: (tcb: Members, at: string) => T): TcbLevel<T> {
  const level = readObject(value, at);
  const advisories = readOptional(
    (list, where) => readList(readText, list, where),
    level["advisoryIDs"],
    `${at}.advisoryIDs`,
  );
  return {
    tcb: readTcb(readObject(level["tcb"], `${at}.tcb`), `${at}.tcb`),
    status: readOneOf(TCB_STATUSES, level["tcbStatus"], `${at}.tcbStatus`),
    advisories: advisories ?? [],
  };
}

function readEnclaveLevels(value: unknown, at: string): readonly TcbLevel<number>[] {
  const readTcb = (tcb: Members, where: string): number => readSmall(tcb["isvsvn"], `${where}.isvsvn`);
  return readList((level, where) => readLevel(level, where, readTcb), value, at);
}

function readComponents(value: unknown, at: string): readonly number[] {
  const read = (component: unknown, where: string): number =>
    readSmall(readObject(component, where)["svn"], `${where}.svn`);
  const components = readList(read, value, at);
  if (components.length !== 16) throw new TypeError(`${at} is not 16 components`);
  return components;
}

function readPlatformSvns(tcb: Members, at: string): PlatformSvns {
  return {
    sgx: readComponents(tcb["sgxtcbcomponents"], `${at}.sgxtcbcomponents`),
    tdx: readComponents(tcb["tdxtcbcomponents"], `${at}.tdxtcbcomponents`),
    pceSvn: readSmall(tcb["pcesvn"], `${at}.pcesvn`),
  };
}

function readModuleSigner(value: unknown, at: string): ModuleSigner {
  const module = readObject(value, at);
  return {
    mrSigner: readHex(module["mrsigner"], `${at}.mrsigner`, 48),
    attributes: readHex(module["attributes"], `${at}.attributes`, 8),
    attributesMask: readHex(module["attributesMask"], `${at}.attributesMask`, 8),
  };
}

function readModuleIdentity(value: unknown, at: string): ModuleIdentity {
  const identity = readObject(value, at);
  return {
    ...readModuleSigner(identity, at),
    id: readText(identity["id"], `${at}.id`),
    levels: readEnclaveLevels(identity["tcbLevels"], `${at}.tcbLevels`),
  };
}

function readTcbInfo(value: unknown): TcbInfo {
  const info = readObject(value, "the document");
  expectValue(info, "id", "TDX");
  expectValue(info, "version", 3);
  // The only defined comparison of components.
  expectValue(info, "tcbType", 0);
  const identities = readOptional(
    (list, at) => readList(readModuleIdentity, list, at),
    info["tdxModuleIdentities"],
    "tdxModuleIdentities",
  );
  return {
    ...readSigned(info),
    fmspc: readHex(info["fmspc"], "fmspc", 6),
    pceId: readHex(info["pceId"], "pceId", 2),
    module: readModuleSigner(info["tdxModule"], "tdxModule"),
    moduleIdentities: identities ?? [],
    levels: readList((level, at) => readLevel(level, at, readPlatformSvns), info["tcbLevels"], "tcbLevels"),
  };
}

function readQeIdentity(value: unknown): QeIdentity {
  const identity = readObject(value, "the document");
  expectValue(identity, "id", "TD_QE");
  expectValue(identity, "version", 2);
  return {
    ...readSigned(identity),
    miscSelect: readHex(identity["miscselect"], "miscselect", 4),
    miscSelectMask: readHex(identity["miscselectMask"], "miscselectMask", 4),
    attributes: readHex(identity["attributes"], "attributes", 16),
    attributesMask: readHex(identity["attributesMask"], "attributesMask", 16),
    mrSigner: readHex(identity["mrsigner"], "mrsigner", 32),
    isvProdId: readSmall(identity["isvprodid"], "isvprodid"),
    levels: readEnclaveLevels(identity["tcbLevels"], "tcbLevels"),
  };
}

function parseDocument<T>(text: string, what: string, read: (value: unknown) => T): T {
  if (text.length > MOST_DOCUMENT) throw new CheckFault(`${what} is too long`);
  return readJson(text, read, (message) => new CheckFault(`${what} cannot be read: ${message}`));
}

/** Throws `CheckFault`. Verifies nothing: the signature is over the text. */
export function parseTcbInfo(text: string): TcbInfo {
  return parseDocument(text, "TCB info", readTcbInfo);
}

/** Throws `CheckFault`. Verifies nothing. */
export function parseQeIdentity(text: string): QeIdentity {
  return parseDocument(text, "QE identity", readQeIdentity);
}
