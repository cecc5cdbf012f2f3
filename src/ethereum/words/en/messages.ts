import type { Party } from "../party.ts";
import { partyWords } from "./party.ts";

interface MayBeHash {
  /** Whether they are 32 bytes that can be a hash. */
  readonly mayBeHash: boolean;
}

function hint({ mayBeHash }: MayBeHash): string {
  return mayBeHash ? " 32 bytes may be the hash of a user operation or of a Safe's transaction." : "";
}

/** What signing texts and bytes does. */
export const messageWords = {
  textMessage: ({ text, ...what }: MayBeHash & { readonly text: string }) =>
    `Sign the text ${text}.${hint(what)}`,
  bytesMessage: ({ count, ...what }: MayBeHash & { readonly count: number }) =>
    count === 0
      ? "Sign an empty message. It says nothing."
      : `Sign ${count} bytes as a personal message. Nobody can tell what they stand for.${hint(what)}`,
  rawBytes: ({ count }: { readonly count: number }) =>
    `Sign the hash of ${count} bytes. Nobody can tell what they stand for.`,
  bareDigest: "Sign 32 bytes as they are. Nobody can tell what they stand for.",
  signIn: (
    { domain, account, until }: {
      readonly domain: string;
      /** Undefined where it is the key that signs. */
      readonly account: Party | undefined;
      readonly until: string | undefined;
    },
  ) =>
    `Sign in to ${domain} as ${account === undefined ? "this key" : partyWords(account)}${
      until === undefined ? "" : `, until ${until}`
    }.`,
  /** `abilities` and `resource` as they are. */
  abilitiesAt: ({ abilities, resource }: { readonly abilities: string; readonly resource: string }) =>
    `${abilities} at ${resource}`,

  /** Why bytes may be something else, as the rest of a sentence about "these bytes". */
  rlpList: "they are an RLP list, as a legacy transaction is",
  typedEnvelope:
    "they are a byte up to 0x7f and an RLP list, as a typed transaction or an authorization is (EIP-2718, EIP-7702)",
  typedPrefix:
    "they begin with 0x01 to 0x05, as a typed transaction or an authorization does (EIP-2718, EIP-3074, EIP-7702)",
  validatorData: "they begin with 0x1900, as data for a validator does (EIP-191)",
  typedDataPrefix: "they begin with 0x1901, as typed data does (EIP-712)",
  personalMessagePrefix: "they begin with 0x19, as a personal message does (EIP-191)",
  userOperationHash: "they are laid out as what a user operation's hash is made of (ERC-4337)",
  conflux: 'they are "cfx", a byte and an RLP list, as a transaction of Conflux is (CIP-1559)',
  cosmosSignDoc: "they begin as the protobuf of a transaction of Cosmos does (SignDoc)",
  cosmosJson: "they begin as the JSON of a transaction of Cosmos does (StdSignDoc)",
};
