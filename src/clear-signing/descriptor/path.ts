import type { AbiParameter, AbiType, Plain, PlainStruct } from "../abi.ts";
import { bytesOf, type Value } from "./value.ts";
import { toHex } from "../../lib/bytes.ts";

/** A part of an array, or of the bytes of a value. `to` is exclusive. Negative numbers count from the end. */
export interface Slice {
  readonly from: number;
  readonly to: number | undefined;
}

/** A step of a path: a member, an item by index (negative from the end), or several items. */
export type Step = string | number | Slice;

/** A path of ERC-7730 ("Path references"). */
export interface Path {
  /** `#` for the signed data, `@` for the transaction, `$` for the descriptor. */
  readonly root: "#" | "@" | "$";
  readonly steps: readonly Step[];
}

const STEP = /^(?:([A-Za-z_$][A-Za-z0-9_$]*)|\[(-?\d{1,4})\]|\[(-?\d{1,4})?(:?)(-?\d{1,4})?\])$/;

/** All items of an array. */
const ALL: Slice = { from: 0, to: undefined };

/** Reads a path. Returns undefined for an invalid one. */
export function readPath(text: string): Path | undefined {
  const [, root = "#", rest] = /^(?:([#@$])\.)?(.+)$/.exec(text) ?? [];
  const steps = rest?.split(".").map(readStep) ?? [undefined];
  if (steps.some((step) => step === undefined)) return undefined;
  return { root: root as Path["root"], steps: steps as readonly Step[] };
}

function readStep(step: string): Step | undefined {
  const [whole, name, index, from, colon, to] = STEP.exec(step) ?? [];
  if (name !== undefined) return name;
  if (index !== undefined) return Number(index);
  if (whole === "[]") return ALL;
  return colon === ":"
    ? { from: Number(from ?? 0), to: to === undefined ? undefined : Number(to) }
    : undefined;
}

/** Returns a text that is equal for equal paths. */
export function pathText({ root, steps }: Path): string {
  return JSON.stringify([root, ...steps]);
}

const BYTES: AbiType = { kind: "bytes", size: 0, text: "bytes" };

function structType(components: readonly AbiParameter[]): AbiType {
  return { kind: "tuple", components, text: "" };
}

/** Returns the type at the end of a path, or undefined if the path does not fit. */
export function typeAt(parameters: readonly AbiParameter[], steps: readonly Step[]): AbiType | undefined {
  let type: AbiType | undefined = structType(parameters);
  for (const [index, step] of steps.entries()) {
    if (type?.kind === "tuple") type = type.components.find(({ name }) => name === step)?.type;
    else if (typeof step === "string") return undefined;
    else if (type?.kind === "array") type = type.item;
    // A slice of a value's bytes ends a path.
    else if (type === undefined || typeof step === "number" || index < steps.length - 1) return undefined;
    else type = BYTES;
  }
  return type;
}

/** A value, and the index taken at each array of its path. */
export interface Found extends Value {
  readonly indexes: readonly number[];
}

/** Returns all values at a path that `typeAt` has accepted. Undefined if an index or a slice is beyond the value. */
export function valuesAt(
  parameters: readonly AbiParameter[],
  struct: PlainStruct,
  steps: readonly Step[],
): readonly Found[] | undefined {
  let found: readonly Found[] = [{ value: struct, type: structType(parameters), indexes: [] }];
  for (const step of steps) {
    const next = found.map((one) => stepInto(one, step));
    if (next.includes(undefined)) return undefined;
    found = next.flatMap((one) => one!);
  }
  return found;
}

function stepInto(found: Found, step: Step): readonly Found[] | undefined {
  const { value, type, indexes } = found;
  if (type.kind === "tuple") {
    const member = type.components.find(({ name }) => name === step)!;
    return [{ value: (value as PlainStruct)[member.name]!, type: member.type, indexes }];
  }
  if (type.kind !== "array") return sliceOf(found, step as Slice);
  const items = itemsOf(found);
  if (typeof step === "number") {
    const item = items.at(step);
    return item && [{ ...item, indexes }];
  }
  const { from, to } = step as Slice;
  return items.slice(from, to);
}

/** Returns the items of an array, or the value itself. */
export function itemsOf(found: Found): readonly Found[] {
  const { value, type, indexes } = found;
  return type.kind === "array"
    ? (value as readonly Plain[]).map((item, index) => ({
      value: item,
      type: type.item,
      indexes: [...indexes, index],
    }))
    : [found];
}

/** Returns the bytes. Undefined if the value has fewer than the slice names. */
function sliceOf({ value, type, indexes }: Found, { from, to }: Slice): readonly Found[] | undefined {
  const bytes = bytesOf({ value, type });
  const isWithin = [from, to ?? 0].every((end) => Math.abs(end) <= bytes.length);
  return isWithin ? [{ value: toHex(bytes.slice(from, to)), type: BYTES, indexes }] : undefined;
}

/**
 * Returns the value at a parameter's path. Its arrays take the indexes of the field, in order ("Array references in
 * parameters").
 */
export function valueBeside(
  parameters: readonly AbiParameter[],
  struct: PlainStruct,
  steps: readonly Step[],
  indexes: readonly number[],
): Value | undefined {
  let next = 0;
  const settled: Step[] = [];
  for (const step of steps) {
    const isAll = typeof step === "object" && step.from === 0 && step.to === undefined;
    const index = isAll ? indexes[next++] : step;
    if (index === undefined) return undefined;
    settled.push(index);
  }
  const found = valuesAt(parameters, struct, settled)?.[0];
  return found?.type.kind === "array" ? itemsOf(found)[indexes[next] ?? -1] : found;
}

/** Thrown for a descriptor that cannot be used. */
export class DescriptorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DescriptorError";
  }
}
