import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clearCookie, findCookie, readCookies, setCookie } from "../../../src/http/cookie/cookie.ts";

const NAME = "service.session_token";

function read(cookie: string): string | undefined {
  return findCookie(readCookies(new Headers({ cookie })), NAME);
}

describe("findCookie()", () => {
  test("findCookie() finds a cookie among others", () => {
    assert.equal(read(`a=1; ${NAME}=abc.def; b=2`), "abc.def");
    assert.equal(read(`${NAME}=a=b=`), "a=b=");
    assert.equal(read(`a=1;${NAME}=x`), "x");
    assert.equal(read(`${NAME}=`), "");
    assert.equal(read(`a; ${NAME}=x; b`), "x");
    assert.equal(read(`; ;${NAME}=x;;`), "x");
  });

  test("findCookie() returns undefined without a cookie of exactly that name", () => {
    for (
      const cookie of [
        "",
        "a=1",
        `x${NAME}=1`,
        `${NAME}x=1`,
        NAME.toUpperCase() + "=1",
        NAME,
        "service_session_token=1",
      ]
    ) {
      assert.equal(read(cookie), undefined, cookie);
    }
    assert.equal(findCookie(readCookies(new Headers()), NAME), undefined);
  });

  test("findCookie() strips only spaces and tabs around a name", () => {
    assert.equal(read(`a=1;\t ${NAME} =\tx `), "x");
    for (const space of ["\xa0", "\x85", "\xc2\xa0"]) {
      assert.equal(read(`${space}${NAME}=planted`), undefined);
      assert.equal(read(`a=1; ${NAME}${space}=planted`), undefined);
      assert.equal(read(`${space}${NAME}=planted; ${NAME}=ours`), "ours");
    }
  });

  test("findCookie() ignores two cookies of one name, equal or not", () => {
    assert.equal(read(`${NAME}=bad; ${NAME}=good`), undefined);
    assert.equal(read(`${NAME}=good; a=1; ${NAME}=good`), undefined);
    assert.equal(read(`${NAME}=a; ${NAME}=b; ${NAME}=c`), undefined);
  });
});

describe("setCookie()", () => {
  test("setCookie() is HttpOnly, Lax, host-only and for every path", () => {
    const http = setCookie(NAME, "abc", { maxAgeSeconds: 60, baseUrl: "http://localhost:3000" });
    assert.deepEqual(http, ["set-cookie", `${NAME}=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`]);
  });

  test("setCookie() is Secure on https", () => {
    const [, text] = setCookie(NAME, "abc", { maxAgeSeconds: 60, baseUrl: "https://keys.example.com" });
    assert.equal(text, `${NAME}=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure`);
  });

  test("setCookie() throws when a character would terminate the value", () => {
    for (const value of ["a;b", "a b", "a,b", 'a"b', "a\\b", "a\r\nb", "é"]) {
      assert.throws(
        () => setCookie(NAME, value, { maxAgeSeconds: 1, baseUrl: "http://localhost" }),
        TypeError,
        value,
      );
    }
    assert.throws(() => setCookie("a=b", "c", { maxAgeSeconds: 1, baseUrl: "http://localhost" }), TypeError);
  });

  test("clearCookie() deletes the cookie with the same attributes", () => {
    const [, text] = clearCookie(NAME, "https://keys.example.com");
    assert.equal(text, `${NAME}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`);
  });
});
