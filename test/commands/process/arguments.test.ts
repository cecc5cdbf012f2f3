import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getValue, readArguments, readNumber } from "../../../src/commands/process/arguments.ts";
import { UsageError } from "../../../src/commands/process/refusal.ts";

const SYNTAX = { flags: ["json"], values: ["index"], operands: ["FILE"] } as const;

describe("readArguments()", () => {
  test("reads flags, both forms of values, and operands in any order", () => {
    for (const list of [["--json", "--index", "3", "a"], ["a", "--index=3", "--json"]]) {
      const read = readArguments(list, SYNTAX);
      assert.deepEqual([[...read.flags], [...read.values], read.operands], [["json"], [["index", "3"]], [
        "a",
      ]]);
    }
  });

  test("treats everything after -- as operands, and a lone dash", () => {
    assert.deepEqual(readArguments(["--", "--json"], SYNTAX).operands, ["--json"]);
    assert.deepEqual(readArguments(["-"], SYNTAX).operands, ["-"]);
  });

  test("keeps everything after the first equals sign", () => {
    assert.equal(readArguments(["--index=a=b", "x"], SYNTAX).values.get("index"), "a=b");
  });

  const REFUSED: readonly (readonly [list: readonly string[], message: RegExp])[] = [
    [[], /FILE is missing/],
    [[""], /FILE is missing/],
    [["a", "b"], /too many/],
    [["a", "--nope"], /no option --nope/],
    [["a", "--nope=secret"], /no option --nope$/],
    [["a", "-j"], /no option -j/],
    [["a", "--constructor"], /no option/],
    [["a", "--json", "--json"], /--json is given twice/],
    [["a", "--index", "1", "--index=1"], /--index is given twice/],
    [["a", "--json=yes"], /--json takes no value/],
    [["a", "--index"], /--index needs a value/],
    [["a", "--index="], /--index needs a value/],
    [["a", "--index", "--json"], /--index needs a value/],
  ];
  for (const [list, message] of REFUSED) {
    test(`refuses ${JSON.stringify(list)}`, () => {
      assert.throws(() => readArguments(list, SYNTAX), (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

test("getValue() returns an option's value and refuses a missing one", () => {
  const given = readArguments(["--index", "3", "a"], SYNTAX);
  assert.equal(getValue(given, "index"), "3");
  assert.throws(() => getValue(given, "account"), /--account is missing/);
});

test("readNumber() accepts plain decimal numbers within the bounds and nothing else", () => {
  const bounds = { option: "index", least: 1, most: 4294967295 };
  assert.equal(readNumber("1", bounds), 1);
  assert.equal(readNumber("4294967295", bounds), 4294967295);
  for (
    const text of ["0", "4294967296", "99999999999", "-1", "+1", "01", "1.0", "1e3", "0x1", " 1", "", "１"]
  ) {
    assert.throws(() => readNumber(text, bounds), UsageError, text);
  }
});
