import { type Certificate, reading } from "./certificate.ts";
import {
  DerError,
  expectDer,
  readDer,
  readDerChildren,
  readDerObjectId,
  readDerSmall,
} from "./der-reader.ts";
import type { DerValue } from "./der-reader.ts";
import { CheckFault } from "./fault.ts";

export interface Platform {
  /** Family, model, stepping and more: 6 bytes. */
  readonly fmspc: Uint8Array;
  /** 2 bytes. */
  readonly pceId: Uint8Array;
  /** 16 numbers. */
  readonly components: readonly number[];
  readonly pceSvn: number;
}

const SGX = "2a864886f84d010d01";
const TCB = `${SGX}02`;
const PCE_SVN = `${TCB}11`;
const COMPONENTS = Array.from(
  { length: 16 },
  (_, index) => `${TCB}${(index + 1).toString(16).padStart(2, "0")}`,
);

function readPairs(list: DerValue | undefined): ReadonlyMap<string, DerValue> {
  const pairs = new Map<string, DerValue>();
  for (const pair of readDerChildren(list, "sequence")) {
    const [id, value, ...rest] = readDerChildren(pair, "sequence");
    const key = readDerObjectId(id);
    if (value === undefined || rest.length > 0 || pairs.has(key)) throw new DerError("no pair of its own");
    pairs.set(key, value);
  }
  return pairs;
}

function readOctets(value: DerValue | undefined, length: number): Uint8Array {
  const octets = expectDer(value, "octetString");
  if (octets.length !== length) throw new DerError(`octet string is not ${length} bytes`);
  return octets.slice();
}

function readExtension(bytes: Uint8Array): Platform {
  const pairs = readPairs(readDer(bytes));
  const tcb = readPairs(pairs.get(TCB));
  return {
    fmspc: readOctets(pairs.get(`${SGX}04`), 6),
    pceId: readOctets(pairs.get(`${SGX}03`), 2),
    components: COMPONENTS.map((id) => readDerSmall(tcb.get(id))),
    pceSvn: readDerSmall(tcb.get(PCE_SVN)),
  };
}

/** Parses the SGX extension (Intel SGX PCK Certificate and CRL Profile, section 1.3.5). Throws `CheckFault`. */
export function readPlatform({ commonName, sgxExtension }: Certificate): Platform {
  if (sgxExtension === undefined) throw new CheckFault(`${commonName} has no SGX extension`);
  return reading(`The SGX extension of ${commonName}`, () => readExtension(sgxExtension));
}
