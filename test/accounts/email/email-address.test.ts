import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { normaliseEmail } from "../../../src/accounts/email/email-address.ts";
import { problem } from "../fixture.ts";

const LABEL_63 = "d".repeat(63);

describe("normaliseEmail() keeps plain addresses", () => {
  const accepted: Record<string, string> = {
    "alice@example.com": "alice@example.com",
    "Alice.B+Tag@Example.COM": "alice.b+tag@example.com",
    "o'neil_1-2@sub.example.co.uk": "o'neil_1-2@sub.example.co.uk",
    "a@xn--bcher-kva.example": "a@xn--bcher-kva.example",
    "1@1.example": "1@1.example",
    [`${"l".repeat(64)}@example.com`]: `${"l".repeat(64)}@example.com`,
    [`a@${LABEL_63}.com`]: `a@${LABEL_63}.com`,
    [`a@${LABEL_63}.${LABEL_63}.${LABEL_63}.${"d".repeat(60)}`]: `a@${LABEL_63}.${LABEL_63}.${LABEL_63}.${
      "d".repeat(60)
    }`, // 254 characters
  };
  for (const [given, expected] of Object.entries(accepted)) {
    test(`normaliseEmail() returns ${expected.slice(0, 40)} for ${given.slice(0, 40)}`, () => {
      assert.equal(normaliseEmail(given), expected);
      assert.equal(normaliseEmail(expected), expected, "and is idempotent");
    });
  }
  test("normaliseEmail() folds neither dots nor tags", () => {
    assert.notEqual(normaliseEmail("a.b@gmail.com"), normaliseEmail("ab@gmail.com"));
    assert.notEqual(normaliseEmail("ab+c@gmail.com"), normaliseEmail("ab@gmail.com"));
  });
});

describe("normaliseEmail() refuses everything else (T166)", () => {
  const refused: Record<string, string> = {
    "empty text": "",
    "no at sign": "alice.example.com",
    "an empty local part": "@example.com",
    "an empty domain": "alice@",
    "two at signs": "alice@evil.example@example.com",
    "a full-width at sign": "alice\uff20example.com",
    "a small at sign": "alice\ufe6bexample.com",
    "a full-width at sign beside a plain one": "alice\uff20evil.example@example.com",
    "a comma list": "alice@example.com,mallory@evil.example",
    "a semicolon list": "alice@example.com;mallory@evil.example",
    "a list with white space": "alice@example.com mallory@evil.example",
    "leading white space": " alice@example.com",
    "trailing white space": "alice@example.com ",
    "a line feed at the end": "alice@example.com\n",
    "a header after CR LF": "alice@example.com\r\nBcc: mallory@evil.example",
    "a carriage return in the local part": "al\rice@example.com",
    "NUL": "alice@example.com\0",
    "an encoded line feed": "alice%0abcc:mallory@example.com",
    "a percent route": "mallory%evil.example@example.com",
    "a bang route": "evil.example!mallory@example.com",
    "a quoted local part": '"alice"@example.com',
    "a quoted at sign": '"mallory@evil.example"@example.com',
    "a comment": "alice(comment)@example.com",
    "a display name": "Alice <alice@example.com>",
    "angle brackets": "<alice@example.com>",
    "a backslash": "al\\ice@example.com",
    "a colon": "mailto:alice@example.com",
    "a leading dot": ".alice@example.com",
    "a trailing dot in the local part": "alice.@example.com",
    "two dots": "al..ice@example.com",
    "a local part of 65 characters": `${"l".repeat(65)}@example.com`,
    "a label of 64 characters": `a@${"d".repeat(64)}.com`,
    "255 characters": `a@${LABEL_63}.${LABEL_63}.${LABEL_63}.${"d".repeat(61)}`,
    "a megabyte": `${"a.".repeat(500_000)}@example.com`,
    "a bare host": "alice@localhost",
    "an IPv4 address": "alice@192.0.2.1",
    "an address literal": "alice@[192.0.2.1]",
    "an IPv6 literal": "alice@[IPv6:2001:db8::1]",
    "an empty label": "alice@example..com",
    "a final dot": "alice@example.com.",
    "a label that begins with a hyphen": "alice@-example.com",
    "a label that ends with a hyphen": "alice@example-.com",
    "an underscore in the domain": "alice@ex_ample.com",
    "a letter beyond ASCII in the local part": "\u00e4lice@example.com",
    "a Cyrillic homograph in the domain": "alice@ex\u0430mple.com",
    "the Kelvin sign, whose lower case is k": "\u212aate@example.com",
    "the Kelvin sign in the domain": "kate@\u212aexample.com",
    "a dotless i": "al\u0131ce@example.com",
    "an emoji": "\u{1f600}@example.com",
    "a lone surrogate": "\ud800@example.com",
  };
  for (const [what, text] of Object.entries(refused)) {
    test(`normaliseEmail() throws invalid_request for ${what}`, () => {
      assert.throws(() => normaliseEmail(text), problem("invalid_request"));
    });
  }
  test("normaliseEmail() does not echo its input", () => {
    assert.throws(
      () => normaliseEmail("<script>@example.com"),
      (error) => !JSON.stringify(error).includes("script"),
    );
  });
});
