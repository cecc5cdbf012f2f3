import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { newBrowserSecret, readBrowserHash } from "../../../src/accounts/session/browser-secret.ts";
import {
  formatSessionToken,
  formatToken,
  hashSecret,
  newSessionToken,
  newToken,
  readSessionToken,
  readToken,
  secretMatches,
} from "../../../src/accounts/session/bearer-secret.ts";
import { random } from "../fixture.ts";

describe("token", () => {
  test("newToken() returns 26 characters of id and 43 of secret, new each time", () => {
    const tokens = Array.from({ length: 200 }, () => formatToken(newToken("ticket", random)));
    for (const token of tokens) assert.match(token, /^ticket_[0-9a-v]{26}\.[A-Za-z0-9]{43}$/);
    assert.equal(new Set(tokens).size, 200);
  });

  test("newSessionToken() returns unique ids that sort by their time, with the account", () => {
    const accountId = `account_${"a".repeat(26)}`;
    const tokenAt = (now: number) => newSessionToken({ accountId, now, random });
    const tokens = Array.from({ length: 200 }, (_, n) => tokenAt(1000 * n));
    const again = tokenAt(0);
    for (const token of tokens) assert.deepEqual(readSessionToken(formatSessionToken(token)), token);
    const text = formatSessionToken(again);
    for (
      const other of [text.slice(0, -1), `${text}a`, text.slice(0, 76), text.replace("session", "ticket")]
    ) {
      assert.equal(readSessionToken(other), undefined, other);
    }
    assert.deepEqual(tokens.map(({ id }) => id).toSorted(), tokens.map(({ id }) => id));
    assert.notEqual(again.id, tokens[0]!.id);
    assert.equal(again.id.slice(0, 17), tokens[0]!.id.slice(0, 17));
    assert.equal(new Set(tokens.map(({ secret }) => secret)).size, 200);
  });

  test("readToken() returns the input of formatToken()", () => {
    const token = newToken("ticket", random);
    assert.deepEqual(readToken(formatToken(token), "ticket"), token);
  });

  test("readToken() returns undefined for a token of another kind and for other text", () => {
    const { id, secret } = newToken("ticket", random);
    assert.equal(readToken(`${id}.${secret}`, "change"), undefined, "another kind");
    const notTokens = [
      "",
      ".",
      id,
      secret,
      `${id}.`,
      `${id}.${secret}x`,
      `${id}.${secret.slice(1)}`,
      `${id}.${secret} `,
      `${id}.${secret}\n`,
      ` ${id}.${secret}`,
      `${id}..${secret}`,
      `${id}:${secret}`,
      `ticket_.${secret}`,
      `ticket_${"z".repeat(26)}.${secret}`,
      `${id.toUpperCase()}.${secret}`,
      `${id}.${secret.slice(1)}-`,
      `${id}.${secret.slice(1)}\u00e4`,
    ];
    for (const text of notTokens) assert.equal(readToken(text, "ticket"), undefined, JSON.stringify(text));
  });

  test("hashSecret() is base64url SHA-256 without padding", () => {
    assert.equal(hashSecret("abc"), createHash("sha256").update("abc").digest("base64url"));
  });

  test("secretMatches() is true for the one secret and false for any other hash", () => {
    const { secret } = newToken("ticket", random);
    assert.equal(secretMatches(secret, hashSecret(secret)), true);
    assert.equal(secretMatches(newToken("ticket", random).secret, hashSecret(secret)), false);
    assert.equal(secretMatches(secret, ""), false);
    assert.equal(secretMatches(secret, secret), false);
    assert.equal(secretMatches(secret, `${hashSecret(secret)}=`), false);
  });
});

describe("browser secret", () => {
  test("readBrowserHash() returns the hash of a secret of newBrowserSecret()", () => {
    const secret = newBrowserSecret(random);
    assert.equal(readBrowserHash(secret), hashSecret(secret));
  });

  test("readBrowserHash() returns undefined for any other text", () => {
    const secret = newBrowserSecret(random);
    for (
      const text of ["", "x", secret.slice(1), `${secret}x`, `${secret.slice(1)}-`, `${secret.slice(1)}\n`]
    ) {
      assert.equal(readBrowserHash(text), undefined, JSON.stringify(text));
    }
  });
});
