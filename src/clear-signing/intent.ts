import type { Language } from "../lib/language.ts";
import { tell } from "./format-message.ts";
import type { Said } from "./format-message.ts";

/** What can be recognised, one file each. The last five stand for what is not understood, or not to be. */
export const INTENT_KINDS = [
  "erc20_permit",
  "dai_permit",
  "permit2_allowance",
  "permit2_transfer",
  "transfer_authorization",
  "authorization_cancellation",
  "seaport_order",
  "safe_transaction",
  "user_operation",
  "sign_in",
  "delegation",
  "native_transfer",
  "token_call",
  "described",
  "contract_call",
  "contract_creation",
  "typed_data",
  "text",
  "bytes",
  "digest",
] as const;
export type IntentKind = (typeof INTENT_KINDS)[number];

/**
 * Every warning there is, with its level. Red asks for a second, deliberate act before the signature; amber is to be
 * read. Policies name these codes: one is never given another meaning.
 */
export const WARNING_LEVELS = {
  /** Whoever is allowed may take everything there is of a token, or of a collection. */
  unlimited_allowance: "red",
  /** The owner or sender named inside is not the key that signs. */
  not_this_key: "red",
  /** A Safe runs foreign code as its own. */
  delegate_call: "red",
  /** A Safe pays much for gas that nobody measures, or at a price that nothing bounds: it can be all that it has. */
  gas_refund: "red",
  /** A Safe is to obey a module that is not among the known ones. */
  unknown_module: "red",
  /** A function that is understood, called with bytes that are not its arguments to the letter: it may run all the same. */
  unread_arguments: "red",
  /** An order gives something away for nothing or next to nothing. */
  next_to_nothing: "red",
  /** The domain of a sign-in is not the host of its URI. */
  sign_in_host: "red",
  /** The domain of a sign-in is not the site that asked for the signature. */
  sign_in_site: "red",
  /** A sign-in that lets somebody act in the account's name besides (EIP-5573). */
  capabilities: "red",
  /** The account is to run code that is not among the known delegates. */
  unknown_delegate: "red",
  /** The account is to run that code on every chain. */
  all_chains: "red",
  /** Bytes that would be valid as a transaction, or as another thing with a meaning of its own. */
  looks_like_transaction: "red",
  /** It has no effect any more. */
  expired: "red",
  /** It stays good for over a year, for ever, or begins only then. */
  far_future: "red",
  /** Typed data that is bound to no contract: somebody else's program decides where it counts. */
  no_contract: "red",
  /** It stays good for over 30 days. */
  long_deadline: "amber",
  /** A contract, or an address that is given power, which is not among the known ones. */
  unknown_contract: "amber",
  /** A chain that is not among the known ones. */
  unknown_chain: "amber",
  /** Gas times its price is more than people pay. */
  high_fee: "amber",
} as const;
export type WarningCode = keyof typeof WARNING_LEVELS;

export interface IntentWarning<Words = Said> {
  readonly level: (typeof WARNING_LEVELS)[WarningCode];
  readonly code: WarningCode;
  /** A sentence of checked values. */
  readonly text: Words;
}

/** How a field was written. */
export type FieldFormat = "address" | "amount" | "date" | "number" | "bytes" | "text" | "chain";

/** One value of what is signed, for people beside the words for programs. */
export interface IntentField<Words = Said> {
  readonly label: Words;
  readonly format: FieldFormat;
  /** For people: texts readable (`readable`), amounts with their unit, dates in UTC. */
  readonly value: Words;
  /** As it is signed: integers in decimal, addresses with checksum, bytes as 0x-hex, texts as they are. */
  readonly raw: string;
}

/** What is given, allowed or called for. Integers are decimal. */
export interface Asset {
  /** `token` is an ERC-20 or an ERC-721, where the bytes do not tell which. */
  readonly standard: "native" | "erc20" | "erc721" | "erc1155" | "token";
  /** Null for the chain's own currency. */
  readonly address: string | null;
  /** The item of a collection; null for everything in it, and where there are no items. */
  readonly id: string | null;
}

export interface AssetAmount extends Asset {
  readonly amount: string;
}

/**
 * What comes of the signature, in the same words whatever the document, for programs to decide on. Addresses have
 * their checksum; `until` is in seconds since 1970, null where nothing ends it.
 */
export type Effect =
  | {
    readonly effect: "allowance";
    readonly owner: string;
    readonly spender: string;
    readonly asset: Asset;
    /** Null without limit. */
    readonly amount: string | null;
    readonly until: string | null;
  }
  | {
    readonly effect: "transfer";
    readonly from: string;
    readonly to: string;
    readonly asset: AssetAmount;
    readonly until: string | null;
  }
  | {
    readonly effect: "exchange";
    readonly owner: string;
    readonly gives: readonly AssetAmount[];
    /** What comes back to the owner at least. */
    readonly receives: readonly AssetAmount[];
    readonly until: string | null;
  }
  | {
    readonly effect: "call";
    readonly caller: string;
    readonly to: string;
    readonly operation: "call" | "delegate_call";
    readonly value: string;
    /** The first four bytes as 0x-hex; null where there are fewer. */
    readonly selector: string | null;
  }
  | { readonly effect: "create"; readonly value: string }
  | { readonly effect: "delegation"; readonly delegate: string }
  | { readonly effect: "sign_in"; readonly domain: string; readonly uri: string };

/** What a signature does, from the bytes alone: in no language yet, or in one (`tellIntent`). */
export interface Intent<Words = Said> {
  readonly kind: IntentKind;
  /** By what it was recognised: the standard, or the file of the descriptor. */
  readonly recognisedBy: Words;
  /** One sentence or two, of checked values only. Texts in it are readable, and addresses whole. */
  readonly sentence: Words;
  /** The chain it counts on, decimal; null where it says none. */
  readonly chainId: string | null;
  /** The contract that it is for; null where there is none. */
  readonly contract: string | null;
  readonly fields: readonly IntentField<Words>[];
  readonly effects: readonly Effect[];
  readonly warnings: readonly IntentWarning<Words>[];
}

/** An intent in a language. */
export type ToldIntent = Intent<string>;

/** Says an intent in a language. Nothing is looked at again: what it does and warns of was found before. */
export function tellIntent(intent: Intent, language: Language): ToldIntent {
  const { recognisedBy, sentence, fields, warnings } = intent;
  return {
    ...intent,
    recognisedBy: tell(recognisedBy, language),
    sentence: tell(sentence, language),
    fields: fields.map((field) => ({
      ...field,
      label: tell(field.label, language),
      value: tell(field.value, language),
    })),
    warnings: warnings.map((warning) => ({ ...warning, text: tell(warning.text, language) })),
  };
}
