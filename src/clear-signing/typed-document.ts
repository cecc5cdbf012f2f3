import type { ExplainedValue, TypedDataExplanation } from "../ethereum/typed-data/typed-data-explain.ts";
import type { Party } from "./party.ts";
import type { Localizable } from "./format-message.ts";
import type { Intent } from "./intent.ts";
import type { Plain, PlainStruct } from "./abi.ts";
import { type Member, readMembers } from "./roles.ts";
import { findToken } from "./directory.ts";
import { chainText, holderOf, type IntentContext, partyAt } from "./parties.ts";

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
  /** Its members are those of `encodeType`. An absent struct has no members. */
  readonly message: PlainStruct;
  /** The members that are absent structs, or have one inside. No standard defines one. */
  readonly absent: ReadonlySet<string>;
}

/** A kind of typed data, recognised by the full text of its type, which fixes the names and types of its members. */
export interface TypedDataKind {
  readonly encodeTypes: readonly string[];
  /** The beginnings of further types. What follows is the application's, and need not be understood. */
  readonly heads: readonly string[];
  /** Returns undefined unless everything besides the type also matches exactly. */
  readonly read: (document: TypedDocument, context: IntentContext) => Intent | undefined;
}

export interface MessageContext extends DomainContract {
  readonly context: IntentContext;
  readonly chain: Localizable;
  readonly partyOf: (address: string) => Party;
  /** The account that the signature is for: the key's own, or one that the key signs for. */
  readonly holder: string;
  /** True if the contract is a known token. */
  readonly isToken: boolean;
  readonly encodeType: string;
}

/** Members are in the order of the fields. */
export interface DescribedMessage
  extends Pick<Intent, "sentence" | "effects" | "effectsComplete" | "gasAtMost"> {
  readonly members: readonly Member[];
}

/** A standard of typed data. The role of each member decides its field and warnings. */
interface Standard<Message> extends Pick<Intent, "kind" | "recognisedBy"> {
  readonly encodeTypes: readonly string[];
  /** The heads of `TypedDataKind`, and the members that the contract reads by themselves. */
  readonly heads?: { readonly types: readonly string[]; readonly members: readonly string[] };
  /** Finds the contract of a standard with only one address. Undefined if any contract is allowed. */
  readonly domainContract?: (domain: PlainDomain, encodeType: string) => DomainContract | undefined;
  /** Returns undefined if a value does not match exactly. The chain follows the members. */
  readonly read: (message: Message, at: MessageContext) => DescribedMessage | undefined;
}

/** Creates the kind of typed data of a standard. Its messages must have the members of its types. */
export function typedDataKind<Message>(standard: Standard<Message>): TypedDataKind {
  const { kind, recognisedBy, encodeTypes } = standard;
  const findDomainContract = standard.domainContract ?? domainContract;
  return {
    encodeTypes,
    heads: standard.heads?.types ?? [],
    read({ domain, message, encodeType, absent }, context) {
      const found = findDomainContract(domain, encodeType);
      const needed = encodeTypes.includes(encodeType) ? Object.keys(message) : standard.heads?.members ?? [];
      if (found === undefined || needed.some((name) => absent.has(name))) return undefined;
      const { chainId, contract } = found;
      const read = standard.read(message as Message, {
        context,
        chainId,
        contract,
        chain: chainText(chainId),
        partyOf: (address) => partyAt(context, chainId, address),
        holder: holderOf(context),
        isToken: findToken(context.directory, chainId, contract) !== undefined,
        encodeType,
      });
      if (read === undefined) return undefined;
      const { members, ...said } = read;
      const { fields, warnings } = readMembers(context, chainId, [...members, ["chain", chainId]]);
      return { kind, recognisedBy, chainId, contract, ...said, fields, warnings };
    },
  };
}

/** Returns undefined for a signature over the domain alone. */
export function readDocument(explained: TypedDataExplanation): TypedDocument | undefined {
  const { primaryType, encodeType, domainSeparator, message } = explained;
  if (message === null || !("members" in message)) return undefined;
  return {
    primaryType,
    encodeType,
    domainSeparator,
    domain: plainOf(explained.domain) as PlainDomain,
    message: plainOf(message) as PlainStruct,
    absent: new Set(message.members.filter(hasAbsent).map(({ name }) => name)),
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
  if ("value" in explained) return explained.value ?? {};
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
