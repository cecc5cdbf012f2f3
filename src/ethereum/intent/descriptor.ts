import type { AbiFunction } from "./abi.ts";
import type { DescribedField } from "./descriptor-field.ts";

/** A contract on a chain that a descriptor is for. */
export interface Deployment {
  /** Decimal. */
  readonly chainId: string;
  /** With its checksum. */
  readonly address: string;
}

/** How one struct or one function is to be said: an entry of `display.formats`. */
export interface DescribedFormat {
  /** The function, for a contract; undefined for typed data. */
  readonly called: AbiFunction | undefined;
  /** What it does in general, in the author's words. */
  readonly intent: string;
  /** Words of the author and, as numbers, fields by their index; undefined where there is no such sentence. */
  readonly template: readonly (string | number)[] | undefined;
  readonly fields: readonly DescribedField[];
}

/** A descriptor of ERC-7730 for typed data or for calls, read and checked. */
export interface Descriptor {
  /** The name of its file. */
  readonly name: string;
  readonly context: "eip712" | "contract";
  readonly deployments: readonly Deployment[];
  /** What members of the domain must be, as they are written out; for typed data. */
  readonly domain: Readonly<Record<string, string>>;
  /** What the domain must hash to, where that is given. */
  readonly domainSeparator: string | undefined;
  /** By the whole text of the type, or by selector. */
  readonly formats: ReadonlyMap<string, DescribedFormat>;
}
