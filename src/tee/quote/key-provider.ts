import type { KeyProvider } from "../tee.ts";
import { CheckFault } from "./fault.ts";
import { readJson, readObject, readText } from "./json.ts";

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

/** Reads what dstack's event log has of a key provider: JSON. Throws `CheckFault`. */
export function parseLoggedProvider(payload: Uint8Array): KeyProvider {
  return readJson(
    new TextDecoder().decode(payload),
    (value) => parseKeyProvider(value, "the key provider"),
    (message) => new CheckFault(`The key provider of the event log cannot be read: ${message}`),
  );
}

/** Whether two name the same, byte for byte. */
export function isSameKeyProvider(a: KeyProvider, b: KeyProvider): boolean {
  return a.name === b.name && a.id === b.id;
}
