import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashTypedData, parseTypedData, TypedDataError } from "../../src/ethereum/typed-data/typed-data.ts";
import { MAIL } from "./mail.ts";

export type Json = Record<string, unknown>;
/** A fault, a document with it, the pointer to it and its message. */
export type Refusal = readonly [what: string, input: unknown, path: string, message: RegExp];

/** Returns the Mail example with the value at a path replaced. */
export function mail(path: string, value: unknown): Json {
  const { parent, last, copy } = descend(path);
  parent[last] = value;
  return copy;
}

/** Returns the Mail example without the member at a path. */
export function mailWithout(path: string): Json {
  const { parent, last, copy } = descend(path);
  delete parent[last];
  return copy;
}

function descend(path: string): { copy: Json; parent: Json; last: string } {
  const copy = structuredClone(MAIL) as unknown as Json;
  const keys = path.split("/");
  const last = keys.pop()!;
  const parent = keys.reduce((object, key) => object[key] as Json, copy);
  return { copy, parent, last };
}

/** Returns a document whose message is one member `x` of the given type. */
export function single(type: string, x: unknown): Json {
  return { types: { T: [{ name: "x", type }] }, primaryType: "T", domain: {}, message: { x } };
}

function assertRefused(input: unknown, path: string, message: RegExp): void {
  assert.throws(() => hashTypedData(parseTypedData(input)), (error) => {
    assert.ok(error instanceof TypedDataError, String(error));
    assert.equal(error.code, "invalid_typed_data");
    assert.equal(error.path, path);
    assert.match(error.message, message);
    return true;
  });
}

export function refuses(group: string, refusals: readonly Refusal[]): void {
  describe(`parseTypedData() refuses ${group}`, () => {
    for (const [what, input, path, message] of refusals) {
      test(`parseTypedData() points to ${path || "the root"} when ${what}`, () =>
        assertRefused(input, path, message));
    }
  });
}
