import type { Language } from "../../lib/language.ts";
import type { AbiFunction, AbiParameter } from "../abi.ts";
import type { DescribedField } from "./field.ts";
import type { Roles } from "./roles.ts";
import type { DescriptorText } from "./text.ts";

export interface Deployment {
  /** Decimal. */
  readonly chainId: string;
  /** With its checksum. */
  readonly address: string;
}

/** A sentence of the author: texts, and fields by their index. */
export type Template = readonly (string | number)[];

/** The description of one struct or function: an entry of `display.formats`. */
export interface DescribedFormat {
  /** The function of a contract; undefined for typed data. */
  readonly called: AbiFunction | undefined;
  /** The arguments of the function, or the members of the type. */
  readonly parameters: readonly AbiParameter[];
  /** The general purpose, in the author's words. */
  readonly intent: DescriptorText;
  /** The sentence in each language, if the author wrote one. */
  readonly template: Readonly<Record<Language, Template>> | undefined;
  readonly fields: readonly DescribedField[];
  /** Undefined for an operator's descriptor. */
  readonly roles: Roles | undefined;
}

/** A checked descriptor (ERC-7730) for typed data or calls. */
export interface Descriptor {
  readonly name: DescriptorText;
  readonly context: "eip712" | "contract";
  readonly deployments: readonly Deployment[];
  /** The name of the contract and of its owner. */
  readonly owner: string | undefined;
  /** The token that the contract is. */
  readonly token: { readonly symbol: string; readonly decimals: number } | undefined;
  /** The required members of the domain, as text. For typed data. */
  readonly domain: Readonly<Record<string, string>>;
  /** The required hash of the domain, if given. */
  readonly domainSeparator: string | undefined;
  /** The formats by the type's full text, or by selector. */
  readonly formats: ReadonlyMap<string, DescribedFormat>;
}
