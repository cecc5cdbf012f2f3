import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  htmlPage,
  isLocalPath,
  json,
  noContent,
  redirect,
  redirectToUrl,
} from "../../../src/http/response/respond.ts";
import { html } from "../../../src/lib/html.ts";

const FOREIGN = [
  "",
  "a",
  "//evil.example",
  "/\\evil.example",
  "\\/evil.example",
  "/\t/evil.example",
  "\t//evil.example",
  " /a",
  "/a b",
  "https:evil.example",
  "https://evil.example/",
  "javascript:alert(1)",
  "/a\r\nSet-Cookie: a=b",
  "/a\0",
  "/é",
];

describe("isLocalPath()", () => {
  for (const text of FOREIGN) {
    test(`isLocalPath() refuses ${JSON.stringify(text)}`, () => {
      assert.equal(isLocalPath(text), false);
      assert.throws(() => redirect(text), TypeError);
    });
  }

  for (const text of ["/", "/keys", "/keys/key_1?a=b&c=%2F%2Fd#e", "/a//b", "/%2f/evil.example"]) {
    test(`isLocalPath() accepts ${text}, which stays on this origin`, () => {
      assert.equal(isLocalPath(text), true);
      assert.equal(new URL(text, "https://keys.example.com/x/y").origin, "https://keys.example.com");
    });
  }
});

describe("answers", () => {
  test("json() sends JSON and each further header, also several of one name", async () => {
    const response = json(201, { a: "é" }, [["set-cookie", "a=1"], ["set-cookie", "b=2"], [
      "location",
      "/x",
    ]]);
    assert.equal(response.status, 201);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
    assert.equal(await response.text(), '{"a":"é"}');
  });

  test("htmlPage() sends HTML with its charset", async () => {
    const response = htmlPage(200, html`<p>${"<b>"}</p>`);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(await response.text(), "<p>&lt;b&gt;</p>");
  });

  test("noContent() is 204 with no body and no type", () => {
    const response = noContent();
    assert.deepEqual([response.status, response.body, response.headers.get("content-type")], [
      204,
      null,
      null,
    ]);
  });

  test("redirect() is 303 to a path, redirectToUrl() to a whole URL", () => {
    const here = redirect("/keys", [["set-cookie", "a=1"]]);
    assert.deepEqual([here.status, here.headers.get("location")], [303, "/keys"]);
    assert.equal(here.headers.get("set-cookie"), "a=1");
    const there = redirectToUrl(new URL("https://client.example/cb?code=a"));
    assert.deepEqual([there.status, there.headers.get("location")], [
      303,
      "https://client.example/cb?code=a",
    ]);
  });
});
