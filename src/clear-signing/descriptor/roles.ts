import { asObject } from "../../lib/object.ts";
import { DescriptorError } from "./path.ts";
import { type Json, readAddresses, type Reading, readReference, type Source } from "./source.ts";

/** An asset that a described function or type gives or requires, by paths of its data. */
export interface MovedRole {
  readonly amount: Source;
  /** Undefined for the native currency. */
  readonly token: Source | undefined;
}

/** The meaning of values for effects and warnings. Data of the service, never of an operator's descriptor. */
export interface Roles {
  /** Undefined for the caller or signer. */
  readonly owner: Source | undefined;
  /** The party with the benefit or the debt of a call. Undefined for the caller. */
  readonly account: Source | undefined;
  /** The party that may take the assets in `gives`. */
  readonly spender: Source | undefined;
  /** Given, or allowed if there is a spender. The value of a call is not among them. */
  readonly gives: readonly MovedRole[];
  /** The minimum that comes back. */
  readonly receives: readonly MovedRole[];
  /** The recipient of what comes back, or else of what is given. Undefined for the owner, or else the contract. */
  readonly to: Source | undefined;
  /** Addresses that mean the owner. */
  readonly self: readonly string[];
  /** Token addresses that mean the native currency. */
  readonly native: readonly string[];
  readonly until: Source | undefined;
  /** True if the signature also gives, owes or moves something that no effect shows. */
  readonly isPartial: boolean;
  /** Bytes that must be a list of hops (`isHops`). */
  readonly hops: Source | undefined;
  /** A number, and its bit that leaves open how much comes back. */
  readonly openBit: readonly [number: Source, bit: number] | undefined;
}

/** Reads roles: `gives` and `receives` are pairs of an amount and a token ("" for the native currency). */
export function readRoles(reading: Reading, given: unknown): Roles | undefined {
  const roles = asObject(given);
  if (roles === undefined) return undefined;
  const at = (name: string): Source | undefined =>
    roles[name] === undefined ? undefined : readReference(reading, String(roles[name]));
  return {
    owner: at("owner"),
    account: at("account"),
    spender: at("spender"),
    gives: readMoved(reading, roles, "gives"),
    receives: readMoved(reading, roles, "receives"),
    to: at("to"),
    self: readAddresses(reading, roles.self),
    native: readAddresses(reading, roles.native),
    until: at("until"),
    hops: at("hops"),
    isPartial: roles.isPartial === true,
    openBit: readOpenBit(reading, roles.openBit),
  };
}

function readMoved(reading: Reading, roles: Json, name: string): readonly MovedRole[] {
  const pairs = roles[name] ?? [];
  if (!Array.isArray(pairs)) throw new DescriptorError(`${name} is not a list`);
  return (pairs as readonly (readonly [amount: string, token: string])[]).map(([amount, token]) => ({
    amount: readReference(reading, amount),
    token: token === "" ? undefined : readReference(reading, token),
  }));
}

function readOpenBit(reading: Reading, given: unknown): Roles["openBit"] {
  if (given === undefined) return undefined;
  const [path, bit] = given as readonly [path: string, bit: number];
  return [readReference(reading, path), bit];
}
