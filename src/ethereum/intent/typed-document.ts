import type { ExplainedValue, TypedDataExplanation } from "../typed-data/typed-data-explain.ts";
import type { Intent } from "./intent.ts";
import type { Plain, PlainStruct } from "./plain.ts";
import type { IntentContext } from "./words.ts";

/** The domain, of which every member may be missing. */
export interface PlainDomain {
  readonly name?: string;
  readonly version?: string;
  readonly chainId?: string;
  readonly verifyingContract?: string;
  readonly salt?: string;
}

/** Typed data as recognisers look at it. Everything in it is signed. */
export interface TypedDocument {
  readonly primaryType: string;
  readonly encodeType: string;
  readonly domainSeparator: string;
  readonly domain: PlainDomain;
  /** Its members are those of `encodeType`. */
  readonly message: PlainStruct;
}

/** Something that is recognised by the whole text of its type, which fixes the names and types of its members. */
export interface TypedDataKind {
  readonly encodeTypes: readonly string[];
  /** Undefined where anything else than the type does not fit exactly. */
  readonly read: (document: TypedDocument, context: IntentContext) => Intent | undefined;
}

/** Undefined where the domain alone is signed, and where a struct is absent: no standard gives that a meaning. */
export function readDocument(explained: TypedDataExplanation): TypedDocument | undefined {
  const { primaryType, encodeType, domainSeparator } = explained;
  if (explained.message === null || hasAbsent(explained.message)) return undefined;
  return {
    primaryType,
    encodeType,
    domainSeparator,
    domain: plainOf(explained.domain) as PlainDomain,
    message: plainOf(explained.message) as PlainStruct,
  };
}

/** Just the domain's members. */
export function plainDomain(explained: TypedDataExplanation): PlainDomain {
  return plainOf(explained.domain) as PlainDomain;
}

function hasAbsent(explained: ExplainedValue): boolean {
  if ("value" in explained) return explained.value === null;
  return ("members" in explained ? explained.members : explained.items).some(hasAbsent);
}

function plainOf(explained: ExplainedValue): Plain {
  // Absent structs were looked for before.
  if ("value" in explained) return explained.value!;
  if ("items" in explained) return explained.items.map(plainOf);
  return Object.fromEntries(explained.members.map((member) => [member.name, plainOf(member)]));
}

/** Where a contract that the domain names stands. */
export interface Place {
  readonly chainId: string;
  readonly contract: string;
}

/** The chain and contract of a domain that names both, and has no salt that could mean another chain. */
export function placeOf({ chainId, verifyingContract, salt }: PlainDomain): Place | undefined {
  return chainId === undefined || verifyingContract === undefined || salt !== undefined
    ? undefined
    : { chainId, contract: verifyingContract };
}
