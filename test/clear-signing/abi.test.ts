import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decodeFunctionData, encodeFunctionData, parseAbi } from "viem";
import { decodeArguments, decodeCall, readAbiFunction } from "../../src/clear-signing/abi.ts";
import type { Plain } from "../../src/clear-signing/abi.ts";
import { understoodFunctions } from "../../src/clear-signing/known-calls.ts";
import { runs, runsOf } from "../support/share.ts";

const SIGNATURE =
  "f(address to,(uint8 kind,bytes data,int64[2] pair)[] list,string note,bytes4 tag,bool flag,uint256[] ids,(bytes32 hash,uint16 size) fixed)";

/** The function in viem's form, which begins with `function`. */
const ABI = parseAbi(
  [`function ${SIGNATURE.replace("f(", "f(").replace(" fixed)", " last)")}`] as readonly string[],
) as never;

const bytes = (least: number, most: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: least, maxLength: most }).map((one) => "0x" + one.toHex());

const ARGUMENTS = fc.tuple(
  bytes(20, 20),
  fc.array(
    fc.record({
      kind: fc.nat(255),
      data: bytes(0, 70),
      pair: fc.tuple(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
    }),
    { maxLength: 3 },
  ),
  fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => text.isWellFormed()),
  bytes(4, 4),
  fc.boolean(),
  fc.array(fc.bigInt(0n, 2n ** 256n - 1n), { maxLength: 4 }),
  fc.record({ hash: bytes(32, 32), size: fc.nat(65_535) }),
);

/** Converts viem's values to ours: hex in lower case, integers in decimal. */
function plainOf(value: unknown): Plain {
  if (typeof value === "bigint" || typeof value === "number") return value.toString();
  if (typeof value === "string") return value.startsWith("0x") ? value.toLowerCase() : value;
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(plainOf);
  return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, plainOf(one)]));
}

describe("decodeCall()", () => {
  const called = readAbiFunction(SIGNATURE)!;

  test("decodeCall() reads what viem writes, and as viem reads it", () => {
    fc.assert(
      fc.property(ARGUMENTS, (values) => {
        const data = encodeFunctionData({ abi: ABI, args: values } as never);
        const { args } = decodeFunctionData({ abi: ABI, data } as never) as { args: readonly unknown[] };
        const given = decodeCall(called, data);
        assert.ok(given !== undefined);
        assert.deepEqual(Object.values(given).map(plainOf), args.map(plainOf));
      }),
      runs(500, 1),
    );
  });

  test("decodeCall() accepts only calls in canonical encoding: viem encodes each accepted one to the same bytes", () => {
    let taken = 0;
    fc.assert(
      fc.property(
        ARGUMENTS,
        fc.nat(),
        fc.nat(255),
        fc.constantFrom("change", "cut", "add"),
        (values, place, byte, how) => {
          const data = encodeFunctionData({ abi: ABI, args: values } as never) as string;
          const at = 10 + 2 * (place % (data.length / 2 - 5));
          const one = byte.toString(16).padStart(2, "0");
          const mutant = how === "change"
            ? data.slice(0, at) + one + data.slice(at + 2)
            : how === "cut"
            ? data.slice(0, at)
            : data + one.repeat(32);
          const given = decodeCall(called, mutant);
          if (given === undefined) return;
          taken++;
          const { args } = decodeFunctionData({ abi: ABI, data: mutant } as never) as {
            args: readonly unknown[];
          };
          assert.deepEqual(Object.values(given).map(plainOf), args.map(plainOf));
          assert.equal(encodeFunctionData({ abi: ABI, args } as never), mutant);
        },
      ),
      runs(3_000, 2),
    );
    assert.ok(taken > runsOf(100), String(taken));
  });

  test("decodeArguments() returns the bytes behind the arguments, which decodeCall() refuses", () => {
    fc.assert(
      fc.property(ARGUMENTS, bytes(1, 70), (values, rest) => {
        const data = encodeFunctionData({ abi: ABI, args: values } as never) as string;
        assert.deepEqual(decodeArguments(called, data + rest.slice(2)), {
          given: decodeCall(called, data),
          rest,
        });
        assert.equal(decodeCall(called, data + rest.slice(2)), undefined);
      }),
      runs(100, 1),
    );
  });

  test("decodeCall() does not decode more than the bytes contain", () => {
    const many = readAbiFunction("f(uint8[9999][9999] a)")!;
    assert.equal(decodeCall(many, many.selector + "00".repeat(64)), undefined);
    const list = readAbiFunction("f(uint8[0x] a)");
    assert.equal(list, undefined);
    const empty = readAbiFunction("f(()[] a)")!;
    assert.equal(decodeCall(empty, empty.selector + "20".padStart(64, "0") + "f".repeat(64)), undefined);
  });
});

describe("readAbiFunction()", () => {
  const wrong = [
    ...[
      "",
      "f",
      "f()x",
      "f(uint256)",
      "f(uint a)",
      "f(uint7 a)",
      "f(uint264 a)",
      "f(bytes33 a)",
      "f(bytes0 a)",
      "f(byte a)",
    ],
    ...[
      "f(uint256 a,)",
      "f(uint256  a)",
      "f( uint256 a",
      "f(uint256 a,uint8 a)",
      "f(function a)",
      "f(uint256[0] a)",
    ],
    ...[
      "f(uint256[-1] a)",
      "f(tuple(uint8 a) b)",
      "f((uint8 a))",
      "f((uint8) a)",
      "1f(uint8 a)",
      "f(" + "(".repeat(20),
    ],
  ];
  for (const text of wrong) {
    test(`readAbiFunction() refuses ${text}`, () => assert.equal(readAbiFunction(text), undefined));
  }

  test("readAbiFunction() returns the selectors that viem gives", () => {
    const selectors = understoodFunctions().map(({ signature, selector }) => [signature, selector]);
    assert.deepEqual(Object.fromEntries(selectors)["transfer(address,uint256)"], "0xa9059cbb");
    assert.deepEqual(Object.fromEntries(selectors)["setApprovalForAll(address,bool)"], "0xa22cb465");
    assert.deepEqual(Object.fromEntries(selectors)["enableModule(address)"], "0x610b5925");
    assert.equal(
      readAbiFunction(SIGNATURE)?.signature,
      "f(address,(uint8,bytes,int64[2])[],string,bytes4,bool,uint256[],(bytes32,uint16))",
    );
  });
});
