import type { Language } from "../lib/language.ts";
import { type Localizable, localize } from "./format-message.ts";

/** The kinds of intents. The last five are for documents without a known meaning. */
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
  "forward_request",
  "sign_in",
  "delegation",
  "native_transfer",
  "token_call",
  "batch",
  "control",
  "described",
  "contract_call",
  "contract_creation",
  "typed_data",
  "text",
  "bytes",
  "digest",
] as const;
export type IntentKind = (typeof INTENT_KINDS)[number];

export type WarningLevel = "red" | "amber";

/**
 * Every warning code with its lowest level. Red requires a second act. Policies use the codes: never change a meaning.
 */
export const WARNING_LEVELS = {
  /** The spender may take all of a token or collection. */
  unlimited_allowance: "red",
  /** The owner or sender in the document is not the signing key. */
  not_this_key: "red",
  /** A Safe runs foreign code as its own. */
  delegate_call: "red",
  /** A Safe pays much for unmeasured gas, or at an unbounded price. This can cost all that it has. */
  gas_refund: "red",
  /** A Safe enables a module that is not known. */
  unknown_module: "red",
  /** A recognised function with bytes that do not decode exactly. The contract may still run it. */
  unread_arguments: "red",
  /** An order gives something away for nothing or next to nothing. */
  next_to_nothing: "red",
  /** The domain of a sign-in is not the host of its URI. */
  sign_in_host: "red",
  /** The domain of a sign-in is not the site that requested the signature. */
  sign_in_site: "red",
  /** A sign-in also lets the site act for the account (EIP-5573). */
  capabilities: "red",
  /** A text looks like a sign-in to a person, and is none by its grammar. */
  malformed_sign_in: "red",
  /** Everyone can use the allowance, because its spender makes every call that a caller asks for. */
  anyone_may_spend: "red",
  /** The owners, the threshold, the guard or the handler of an account change. */
  control_change: "red",
  /** The account delegates to code that is not known. */
  unknown_delegate: "red",
  /** The delegation applies on every chain. */
  all_chains: "red",
  /** The bytes are valid as a transaction, or as another thing with its own meaning. */
  looks_like_transaction: "red",
  expired: "red",
  /** It is valid for over a year or for ever, or begins only then. */
  far_future: "red",
  /** Typed data without a contract. Any program may decide where it counts. */
  no_contract: "amber",
  /** No standard and no descriptor says what it does. Red where assets can move. */
  not_understood: "amber",
  /** It is valid for over 30 days. */
  long_deadline: "amber",
  /** A contract, or an address that receives a permission, is not known. */
  unknown_contract: "amber",
  unknown_chain: "amber",
  /** The maximum gas cost is more than people usually pay. Red at ten times as much. */
  high_fee: "amber",
} as const satisfies Readonly<Record<string, WarningLevel>>;
export type WarningCode = keyof typeof WARNING_LEVELS;

export interface IntentWarning<Text = Localizable> {
  readonly level: WarningLevel;
  readonly code: WarningCode;
  /** A sentence of checked values. */
  readonly text: Text;
}

export type FieldFormat = "address" | "amount" | "date" | "number" | "bytes" | "text" | "chain";

export interface IntentField<Text = Localizable> {
  readonly label: Text;
  readonly format: FieldFormat;
  /** For people: readable texts (`readable`), amounts with their unit, dates in UTC. */
  readonly value: Text;
  /** The signed value: integers in decimal, addresses with checksum, bytes as 0x-hex, texts unchanged. */
  readonly raw: string;
}

/** An asset that is given, allowed or required. Integers are decimal. */
export interface Asset {
  /** `token` is an ERC-20 or an ERC-721 if the bytes do not show which. */
  readonly standard: "native" | "erc20" | "erc721" | "erc1155" | "token";
  /** Null for the native currency. */
  readonly address: string | null;
  /** The item of a collection. Null for all of its items, and for assets without items. */
  readonly id: string | null;
}

export interface AssetAmount extends Asset {
  readonly amount: string;
}

/** An effect for programs, independent of the document. `until` is in seconds since 1970, or null without an end. */
export type Effect =
  | {
    readonly effect: "allowance";
    readonly owner: string;
    readonly spender: string;
    readonly asset: Asset;
    /** Null without limit. */
    readonly amount: string | null;
    /** True if it adds to the current allowance. */
    readonly adds: boolean;
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
    /** The minimum that the owner receives. */
    readonly receives: readonly AssetAmount[];
    readonly until: string | null;
  }
  /** The call itself gives nothing: its value is a transfer. */
  | {
    readonly effect: "call";
    readonly caller: string;
    readonly to: string;
    readonly operation: "call" | "delegate_call";
    readonly value: string;
    /** The first four bytes as 0x-hex; null if there are fewer. */
    readonly selector: string | null;
  }
  | { readonly effect: "create"; readonly value: string }
  /** The code may then do everything with the account. */
  | { readonly effect: "delegation"; readonly delegate: string }
  /** The owners, modules, guard, handler or threshold of an account change. */
  | { readonly effect: "control"; readonly account: string }
  | { readonly effect: "sign_in"; readonly domain: string; readonly uri: string };

/** The effects of a signature, from the bytes alone. Untranslated, or in one language (`localizeIntent`). */
export interface Intent<Text = Localizable> {
  readonly kind: IntentKind;
  /** The standard, or the file of the descriptor, that matched. */
  readonly recognisedBy: Text;
  /** One or two sentences of checked values only. Texts are readable, and addresses in full. */
  readonly sentence: Text;
  /** The chain in decimal, or null if the document names none. */
  readonly chainId: string | null;
  /** The contract that it is for, or null. */
  readonly contract: string | null;
  readonly fields: readonly IntentField<Text>[];
  readonly effects: readonly Effect[];
  /** True if nothing else moves, is owed or allowed, or changes who controls an account. Gas is no effect. */
  readonly effectsComplete: boolean;
  /** The most that gas costs the key or its account, in wei. Undefined if the document names no gas. */
  readonly gasAtMost?: string;
  readonly warnings: readonly IntentWarning<Text>[];
}

export type LocalizedIntent = Intent<string>;

export function localizeIntent(intent: Intent, language: Language): LocalizedIntent {
  const { recognisedBy, sentence, fields, warnings } = intent;
  return {
    ...intent,
    recognisedBy: localize(recognisedBy, language),
    sentence: localize(sentence, language),
    fields: fields.map((field) => ({
      ...field,
      label: localize(field.label, language),
      value: localize(field.value, language),
    })),
    warnings: warnings.map((warning) => ({ ...warning, text: localize(warning.text, language) })),
  };
}

/** Creates the effect of an allowance. `most` is the amount that means no limit. */
export function allowanceEffect(
  { amount, most, adds = false, ...allowed }:
    & Pick<Extract<Effect, { effect: "allowance" }>, "owner" | "spender" | "asset" | "until">
    & { readonly amount: bigint; readonly most: bigint; readonly adds?: boolean },
): Effect {
  return { effect: "allowance", ...allowed, amount: amount === most ? null : amount.toString(), adds };
}
