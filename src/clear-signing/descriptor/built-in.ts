import { BRIDGES } from "./built-in/bridges.ts";
import { INTERFACES } from "./built-in/interfaces.ts";
import { LENDING } from "./built-in/lending.ts";
import { NAMES } from "./built-in/names.ts";
import { ORDERS } from "./built-in/orders.ts";
import { SWAPS } from "./built-in/swaps.ts";
import { OF_TOKENS } from "./built-in/tokens.ts";
import { asObject } from "../../lib/object.ts";
import type { DescribedFormat, Descriptor } from "./descriptor.ts";
import { readDescriptor, readOwnFormat } from "./read.ts";

/** Returns the functions of the interfaces, by selector, with their roles alone. */
export function readInterfaces(): ReadonlyMap<string, DescribedFormat> {
  return new Map(
    Object.entries(INTERFACES).map(([key, roles]) => readOwnFormat(key, { fields: [], roles })),
  );
}

/** Returns the descriptors that the service has without configuration. Throws TypeError if one is invalid. */
export function builtInDescriptors(): readonly Descriptor[] {
  return [...ORDERS, ...SWAPS, ...LENDING, ...OF_TOKENS, ...BRIDGES, ...NAMES].map(([name, json]) => {
    const metadata = { owner: name.replace(/^=/, ""), ...asObject(json.metadata) };
    const { descriptor, refused } = readDescriptor(name, { ...json, metadata }, "service");
    if (refused.length > 0) throw new TypeError(`Cannot read descriptor: ${name}: ${refused[0]}`);
    return descriptor;
  });
}
