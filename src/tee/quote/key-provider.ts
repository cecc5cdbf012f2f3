import type { KeyProvider } from "../tee.ts";
import { CheckFault } from "./fault.ts";
import { readJson, readObject, readText } from "./json.ts";

/** Formats a key provider as `NAME:ID`, or as its name if the id is empty. The inverse of `readKeyProvider`. */
export function formatKeyProvider({ name, id }: KeyProvider): string {
  return id === "" ? name : `${name}:${id}`;
}

export function readKeyProvider(text: string): KeyProvider {
  const colon = text.indexOf(":");
  return colon < 0 ? { name: text, id: "" } : { name: text.slice(0, colon), id: text.slice(colon + 1) };
}

/** Throws `TypeError`. Ignores other members. */
export function parseKeyProvider(value: unknown, at: string): KeyProvider {
  const provider = readObject(value, at);
  const name = readText(provider["name"], `${at}.name`);
  // A colon would make the formatted text ambiguous.
  if (!/^[^:]+$/.test(name)) throw new TypeError(`${at}.name is not a valid name`);
  return { name, id: readText(provider["id"], `${at}.id`) };
}

export function parseLoggedProvider(payload: Uint8Array): KeyProvider {
  return readJson(
    new TextDecoder().decode(payload),
    (value) => parseKeyProvider(value, "the key provider"),
    (message) => new CheckFault(`The key provider of the event log cannot be read: ${message}`),
  );
}

export function isSameKeyProvider(a: KeyProvider, b: KeyProvider): boolean {
  return a.name === b.name && a.id === b.id;
}
