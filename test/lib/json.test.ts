import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ProtocolError } from "../../src/lib/error.ts";
import { jsonPointer, MAXIMUM_DEPTH, MAXIMUM_VALUES, parseJson } from "../../src/lib/json.ts";
import { runs } from "../support/share.ts";

function refusal(text: string): ProtocolError {
  try {
    parseJson(text);
  } catch (error) {
    assert.ok(error instanceof ProtocolError);
    assert.equal(error.code, "invalid_json");
    return error;
  }
  throw new assert.AssertionError({ message: `Accepted ${text.slice(0, 80)}` });
}

const DUPLICATES: readonly (readonly [text: string, path: string])[] = [
  [`{"a":1,"a":2}`, "/a"],
  [`{"a":1,"\\u0061":2}`, "/a"],
  [`{"\\u0061":1,"a":2}`, "/a"],
  [`{"\\"":1,"\\u0022":2}`, '/"'],
  [`{"":1,"":2}`, "/"],
  [`{"a" : 1 ,\n\t"a" : 2}`, "/a"],
  [`{"x":{"b":[0,{"c":1,"c":2}]}}`, "/x/b/1/c"],
  [`[[],{},{"a":{},"b":[],"a":0}]`, "/2/a"],
  [`{"a":"}","b":"{\\"a\\":1,","a":1}`, "/a"],
  [`{"a/b~":1,"a/b~":1}`, "/a~1b~0"],
  [`{"a":[1,2,{"a":1}],"a":1}`, "/a"],
];

const ALLOWED: readonly string[] = [
  `{"a":{"a":{"a":1}}}`,
  `[{"a":1},{"a":2}]`,
  `{"a":"a","b":"b"}`,
  `{"a":["a","a","a"]}`,
  `{"a":1,"A":2}`,
  `{"x":"\\\\","y":"\\\\\\""}`,
  `{"constructor":1,"prototype":{},"toString":0}`,
  `"__proto__"`,
  `{"a":"__proto__"}`,
  ` [ ] `,
  `0`,
];

const MALFORMED: readonly string[] = [
  "",
  " ",
  "{",
  "}",
  "]",
  `{"a"`,
  `{"a":1,}`,
  `[1,]`,
  `{'a':1}`,
  `"\\"`,
  `"`,
  `{"\\x":1}`,
  `{"a":1}{"b":2}`,
  `[1]]`,
  `[}`,
  `{]`,
  "\ufeff{}",
  "NaN",
  "01",
  `"\n"`,
  "[1,2",
  `{"a":1 "b":2}`,
];

describe("parseJson()", () => {
  for (const [text, path] of DUPLICATES) {
    test(`parseJson() refuses ${JSON.stringify(text)}, and names ${path}`, () => {
      assert.deepEqual(refusal(text).errors, [{ path, message: "Duplicate member" }]);
    });
  }

  for (const text of [`{"__proto__":1}`, `{"\\u005f_proto__":{}}`, `[{"a":{"__proto__":null}}]`]) {
    test(`parseJson() refuses the member __proto__ in ${text}`, () => {
      assert.equal(refusal(text).errors?.[0]?.message, "Forbidden member");
    });
  }

  for (const text of ALLOWED) {
    test(`parseJson() reads ${text} as JSON.parse does`, () => {
      assert.deepEqual(parseJson(text), JSON.parse(text));
    });
  }

  for (const text of MALFORMED) {
    test(`parseJson() refuses ${JSON.stringify(text)} without repeating it`, () => {
      assert.equal(refusal(text).message, "Cannot read JSON: malformed text");
    });
  }

  for (const [what, one] of [["numbers", "0"], ["names", '"n":0'], ["objects", "{}"]] as const) {
    test(`parseJson() reads ${MAXIMUM_VALUES} values that are ${what}, and rejects more`, () => {
      const text = (count: number): string => {
        const items = Array.from({ length: count }, (_, index) => one.replace("n", String(index))).join();
        return one.includes(":") ? `{${items}}` : `[${items}]`;
      };
      // The root counts as one value, and an empty object counts as if it had a member.
      const most = what === "objects" ? MAXIMUM_VALUES / 2 : MAXIMUM_VALUES - 1;
      assert.deepEqual(parseJson(text(most - 1)), JSON.parse(text(most - 1)));
      assert.equal(refusal(text(most + 1)).message, `Cannot read JSON: more than ${MAXIMUM_VALUES} values`);
    });
  }

  for (const unit of ["1.0,", "1e5,", "true,", '"",', '"\\u0061":0,', "[],"]) {
    test(`parseJson() stops in a megabyte of ${unit} after too many values`, () => {
      const text = `[${unit.repeat((1 << 20) / unit.length)}`;
      assert.equal(refusal(text).message, `Cannot read JSON: more than ${MAXIMUM_VALUES} values`);
    });
  }

  for (
    const text of [
      "1.0000000000000000000001",
      "9007199254740990.6",
      "-0.9999999999999999999999",
      "1e-400",
      "10000000000000000000001e-22",
      "12.50000000000000000000e-1000",
    ]
  ) {
    test(`parseJson() refuses ${text}, whose fraction would be lost, and points at it`, () => {
      assert.deepEqual(refusal(`{"a":[true,${text},false]}`).errors, [
        { path: "/a/1", message: "Number with a fraction that is too small" },
      ]);
    });
  }

  for (
    const text of [
      "1.0",
      "-1.50",
      "1e3",
      "1.5E+1",
      "1500e-2",
      "0e-5",
      "-0.000",
      "0.1",
      "5e-324",
      "1e-323",
      "9007199254740991.000",
      "9007199254740993",
      "123456789.123456789e9",
      "1e400",
    ]
  ) {
    test(`parseJson() reads ${text} as JSON.parse does`, () => {
      for (const wrapped of [text, `[${text}]`, `{"e.":${text} }`, `[true,${text},"1.0e",false]`]) {
        assert.deepEqual(parseJson(wrapped), JSON.parse(wrapped));
      }
    });
  }

  test("parseJson() reads a very long number once", { timeout: 60_000 }, () => {
    const zeros = "0".repeat(1_000_000);
    assert.match(refusal(`[0.${zeros}1]`).message, /fraction/);
    assert.equal(parseJson(`0.${zeros}`), 0);
    assert.equal(parseJson(`0.1${zeros}1`), 0.1);
  });

  test("parseJson() reads 64 levels and refuses 65, of arrays, objects and both", () => {
    const nest = (levels: number, open: string, close: string): string =>
      open.repeat(levels) + "1" + close.repeat(levels);
    for (const [open, close] of [["[", "]"], [`{"a":`, "}"]] as const) {
      parseJson(nest(MAXIMUM_DEPTH, open, close));
      assert.equal(
        refusal(nest(MAXIMUM_DEPTH + 1, open, close)).message,
        "Cannot read JSON: deeper than 64 levels",
      );
    }
    assert.match(refusal(`{"a":[`.repeat(33)).message, /deeper/);
  });

  test("parseJson() refuses a million open brackets before it builds anything", () => {
    assert.match(refusal("[".repeat(1_000_000)).message, /deeper/);
  });

  test("parseJson() finds the end of a string after any run of backslashes", () => {
    for (let count = 0; count < 40; count += 2) {
      const text = `{"a":"${"\\".repeat(count)}","b":1}`;
      assert.deepEqual(parseJson(text), JSON.parse(text));
      refusal(`{"a":"${"\\".repeat(count)}","a":1}`);
    }
  });

  test("parseJson() returns what JSON.parse returns for any JSON value without __proto__", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, isSpaced) => {
        const text = JSON.stringify(value, null, isSpaced ? 2 : 0);
        if (text.includes("__proto__")) return;
        assert.deepEqual(parseJson(text), JSON.parse(text));
      }),
      runs(100, 1),
    );
  });

  test("parseJson() never accepts what JSON.parse refuses, however a text is damaged", () => {
    const pieces = fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', '"b"', '"\\"', "1", "\\", '"', " ");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          refusal(text);
          return;
        }
        try {
          assert.deepEqual(parseJson(text), expected);
        } catch (error) {
          assert.ok(
            error instanceof ProtocolError && error.errors?.[0]?.message === "Duplicate member",
            text,
          );
        }
      }),
      runs(2_000, 2),
    );
  });
});

test("jsonPointer() escapes ~ and / and cuts a long name (RFC 6901 section 3)", () => {
  assert.equal(jsonPointer(["a/b", "m~n", 0, ""]), "/a~1b/m~0n/0/");
  assert.equal(jsonPointer(["x".repeat(1000)]), "/" + "x".repeat(64) + "…");
  assert.equal(jsonPointer([]), "");
});
