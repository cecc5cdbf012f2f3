import type { AbiType, Plain } from "../abi.ts";
import { readAddress, toChecksumAddress } from "../../ethereum/address.ts";
import { fromHex, toHex, utf8 } from "../../lib/bytes.ts";

/** A signed value, or a constant of a descriptor, with its type. */
export interface Value {
  readonly value: Plain;
  readonly type: AbiType;
}

const UINT256: AbiType = { kind: "uint", size: 256, text: "uint256" };

/**
 * Returns a constant of a descriptor, with the type that its form has. Undefined for anything but a text, a count or a
 * boolean.
 */
export function constantOf(constant: unknown): Value | undefined {
  if (typeof constant === "boolean") {
    return { value: constant, type: { kind: "bool", size: 0, text: "bool" } };
  }
  if (Number.isSafeInteger(constant)) return { value: String(constant), type: UINT256 };
  if (typeof constant !== "string" || !constant.isWellFormed()) return undefined;
  const address = readAddress(constant);
  if (address !== undefined) {
    return { value: toChecksumAddress(address), type: { kind: "address", size: 0, text: "address" } };
  }
  if (/^\d{1,78}$/.test(constant)) return { value: BigInt(constant).toString(), type: UINT256 };
  if (fromHex(constant) !== undefined) {
    return { value: constant.toLowerCase(), type: { kind: "bytes", size: 0, text: "bytes" } };
  }
  return { value: constant, type: { kind: "string", size: 0, text: "string" } };
}

/** Returns the bytes of a value that is no struct and no array: integers in their full size. */
export function bytesOf({ value, type }: Value): Uint8Array {
  switch (type.kind) {
    case "uint":
    case "int": {
      const digits = BigInt.asUintN(type.size, BigInt(value as string)).toString(16);
      return fromHex("0x" + digits.padStart(type.size / 4, "0"))!;
    }
    case "bool":
      return new Uint8Array([value === true ? 1 : 0]);
    case "string":
      return utf8(value as string);
    default:
      return fromHex((value as string).toLowerCase())!;
  }
}

/** Returns the number that a value is. Bytes are big-endian. Undefined for a text, and for no or more than 32 bytes. */
export function integerOf(one: Value): bigint | undefined {
  const { value, type } = one;
  if (type.kind === "uint" || type.kind === "int") return BigInt(value as string);
  if (type.kind === "string" || type.kind === "array" || type.kind === "tuple") return undefined;
  const bytes = bytesOf(one);
  return bytes.length === 0 || bytes.length > 32 ? undefined : BigInt(toHex(bytes));
}

/**
 * Returns the address that a value is: the address itself, 20 bytes, or 32 bytes or an integer with zeros before it.
 * Undefined for all else, such as an address of another system.
 */
export function addressOf(one: Value): string | undefined {
  const { value, type } = one;
  if (type.kind === "address") return value as string;
  if (!["uint", "fixed-bytes", "bytes"].includes(type.kind)) return undefined;
  const bytes = bytesOf(one);
  if (bytes.length !== 20 && bytes.length !== 32) return undefined;
  const isPadded = bytes.subarray(0, -20).every((byte) => byte === 0);
  return isPadded ? toChecksumAddress(bytes.subarray(-20)) : undefined;
}

/** Returns true if the value is one of the constants ("visible"). A null means no bytes and no text. */
export function isOneOf(one: Value, constants: readonly unknown[]): boolean {
  return constants.some((constant) => {
    if (constant === null) return one.value === "" || one.value === "0x";
    if (constant === one.value) return true;
    const other = constantOf(constant);
    if (other === undefined || one.type.kind === "string") return false;
    if (String(other.value).toLowerCase() === String(one.value).toLowerCase()) return true;
    const [left, right] = [integerOf(one), integerOf(other)];
    return left !== undefined && left === right;
  });
}
