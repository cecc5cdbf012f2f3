import type { KeyProvider } from "../tee.ts";
import { readObject, readText } from "./json.ts";

/** A key provider as `NAME:ID`, or its name alone where it has no id: what `readKeyProvider` reads. */
export function formatKeyProvider({ name, id }: KeyProvider): string {
  return id === "" ? name : `${name}:${id}`;
}

/** Reads a key provider as it is named on a command line: `kms:3059…`, `file`. */
export function readKeyProvider(text: string): KeyProvider {
  const colon = text.indexOf(":");
  return colon < 0 ? { name: text, id: "" } : { name: text.slice(0, colon), id: text.slice(colon + 1) };
}

/** Reads a key provider as event log and claims have it. Throws `TypeError`; members besides are left alone. */
export function parseKeyProvider(value: unknown, at: string): KeyProvider {
  const provider = readObject(value, at);
  const name = readText(provider["name"], `${at}.name`);
  // Otherwise two of them could be written alike.
  if (!/^[^:]+$/.test(name)) throw new TypeError(`${at}.name is no name`);
  return { name, id: readText(provider["id"], `${at}.id`) };
}

/** Whether two name the same, byte for byte. */
export function isSameKeyProvider(a: KeyProvider, b: KeyProvider): boolean {
  return a.name === b.name && a.id === b.id;
}
