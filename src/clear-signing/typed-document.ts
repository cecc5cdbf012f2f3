import type { ExplainedValue, TypedDataExplanation } from "../ethereum/typed-data/typed-data-explain.ts";
import type { Party } from "./party.ts";
import type { Localizable } from "./format-message.ts";
import type { Intent } from "./intent.ts";
import type { Plain, PlainStruct } from "./abi.ts";
import { type Member, readMembers } from "./roles.ts";
import { chainText, type IntentContext, partyAt } from "./parties.ts";

export interface PlainDomain {
  readonly name?: string;
  readonly version?: string;
  readonly chainId?: string;
  readonly verifyingContract?: string;
  readonly salt?: string;
}

/** Typed data in the form that standards read. The signature covers all of it. */
export interface TypedDocument {
  readonly primaryType: string;
  readonly encodeType: string;
  readonly domainSeparator: string;
  readonly domain: PlainDomain;
  /** Its members are those of `encodeType`. */
  readonly message: PlainStruct;
}

/** A kind of typed data, recognised by the full text of its type, which fixes the names and types of its members. */
export interface TypedDataKind {
  readonly encodeTypes: readonly string[];
  /** Returns undefined unless everything besides the type also matches exactly. */
  readonly read: (document: TypedDocument, context: IntentContext) => Intent | undefined;
}

interface MessageContext extends DomainContract {
  readonly context: IntentContext;
  readonly chain: Localizable;
  readonly partyOf: (address: string) => Party;
  readonly encodeType: string;
}

/** A standard of typed data. The role of each member decides its field and warnings. */
interface Standard<Message> extends Pick<Intent, "kind" | "recognisedBy"> {
  readonly encodeTypes: readonly string[];
  /** Finds the contract of a standard with only one address. Undefined if any contract is allowed. */
  readonly domainContract?: (domain: PlainDomain) => DomainContract | undefined;
  /** Returns undefined if a value does not match exactly. Members are in the order of the fields; the chain is last. */
  readonly read: (
    message: Message,
    at: MessageContext,
  ) => (Pick<Intent, "sentence" | "effects"> & { readonly members: readonly Member[] }) | undefined;
}

/** Creates the kind of typed data of a standard. Its messages must have the members of its types. */
export function typedDataKind<Message>(standard: Standard<Message>): TypedDataKind {
  const { kind, recognisedBy, encodeTypes } = standard;
  const findDomainContract = standard.domainContract ?? domainContract;
  return {
    encodeTypes,
    read({ domain, message, encodeType }, context) {
      const found = findDomainContract(domain);
      if (found === undefined) return undefined;
      const { chainId, contract } = found;
      const read = standard.read(message as Message, {
        context,
        chainId,
        contract,
        chain: chainText(chainId),
        partyOf: (address) => partyAt(context, chainId, address),
        encodeType,
      });
      if (read === undefined) return undefined;
      const { sentence, members, effects } = read;
      const { fields, warnings } = readMembers(context, chainId, [...members, ["chain", chainId]]);
      return { kind, recognisedBy, sentence, chainId, contract, fields, effects, warnings };
    },
  };
}

/** Returns undefined for a signature over the domain alone, and for an absent struct, which no standard defines. */
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

export function plainDomain(explained: TypedDataExplanation): PlainDomain {
  return plainOf(explained.domain) as PlainDomain;
}

function hasAbsent(explained: ExplainedValue): boolean {
  if ("value" in explained) return explained.value === null;
  return ("members" in explained ? explained.members : explained.items).some(hasAbsent);
}

function plainOf(explained: ExplainedValue): Plain {
  // `hasAbsent` has ruled out null.
  if ("value" in explained) return explained.value!;
  if ("items" in explained) return explained.items.map(plainOf);
  return Object.fromEntries(explained.members.map((member) => [member.name, plainOf(member)]));
}

/** The chain and address of the domain's contract. */
export interface DomainContract {
  readonly chainId: string;
  readonly contract: string;
}

/** Returns undefined without a chain or contract, and with a salt, which could mean another chain. */
export function domainContract(
  { chainId, verifyingContract, salt }: PlainDomain,
): DomainContract | undefined {
  return chainId === undefined || verifyingContract === undefined || salt !== undefined
    ? undefined
    : { chainId, contract: verifyingContract };
}
