import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newToken } from "../../../src/accounts/session/bearer-secret.ts";
import { formatApiToken, readApiToken } from "../../../src/accounts/token/api-token.ts";
import { random } from "../fixture.ts";

describe("readApiToken()", () => {
  const token = newToken("token", random);
  const text = formatApiToken(token);

  test("reads what formatApiToken() wrote", () => {
    assert.match(text, /^hfst_[0-9a-v]{26}_[A-Za-z0-9]{43}[0-9a-f]{6}$/);
    assert.deepEqual(readApiToken(text), token);
  });

  test("has one golden text, which scanners for secrets rely on", () => {
    const golden = { id: "token_00000000000000000000000000", secret: "A".repeat(43) };
    const expected = `hfst_${"0".repeat(26)}_${"A".repeat(43)}`;
    assert.equal(formatApiToken(golden), `${expected}66b2f2`);
  });

  test("refuses a text with any one character changed, added or missing", () => {
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === "0" ? "1" : "0";
      assert.equal(
        readApiToken(text.slice(0, at) + other + text.slice(at + 1)),
        undefined,
        `changed at ${at}`,
      );
      assert.equal(readApiToken(text.slice(0, at) + text.slice(at + 1)), undefined, `missing at ${at}`);
    }
    for (
      const wrong of [
        text + "0",
        ` ${text}`,
        `${text}\n`,
        text.toUpperCase(),
        text.replace("hfst_", "session_"),
      ]
    ) {
      assert.equal(readApiToken(wrong), undefined, wrong);
    }
  });
});
