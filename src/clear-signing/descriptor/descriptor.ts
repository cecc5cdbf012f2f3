import type { Language } from "../../lib/language.ts";
import type { AbiFunction } from "../abi.ts";
import type { DescribedField } from "./field.ts";
import type { DescriptorText } from "./text.ts";

/** A contract on a chain that a descriptor is for. */
export interface Deployment {
  /** Decimal. */
  readonly chainId: string;
  /** With its checksum. */
  readonly address: string;
}

/** A sentence of an author: words, and fields by their index. */
export type Template = readonly (string | number)[];

/** How one struct or one function is to be said: an entry of `display.formats`. */
export interface DescribedFormat {
  /** The function, for a contract; undefined for typed data. */
  readonly called: AbiFunction | undefined;
  /** What it does in general, in the author's words. */
  readonly intent: DescriptorText;
  /** In each language; undefined where there is no such sentence. */
  readonly template: Readonly<Record<Language, Template>> | undefined;
  readonly fields: readonly DescribedField[];
}

/** A descriptor of ERC-7730 for typed data or for calls, read and checked. */
export interface Descriptor {
  /** The name of its file, or of what it is for. */
  readonly name: DescriptorText;
  readonly context: "eip712" | "contract";
  readonly deployments: readonly Deployment[];
  /** What members of the domain must be, as they are written out; for typed data. */
  readonly domain: Readonly<Record<string, string>>;
  /** What the domain must hash to, where that is given. */
  readonly domainSeparator: string | undefined;
  /** By the whole text of the type, or by selector. */
  readonly formats: ReadonlyMap<string, DescribedFormat>;
}
