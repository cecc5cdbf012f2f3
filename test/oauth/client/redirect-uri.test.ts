import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ClientType } from "../../../src/db/schema/oauth.ts";
import {
  findRedirectUriFault,
  findUriFault,
  isRegisteredRedirectUri,
  redirectTargetOf,
} from "../../../src/oauth/client/redirect-uri.ts";

const TYPES: readonly ClientType[] = ["spa", "native", "web"];

describe("findUriFault()", () => {
  const ALLOWED = [
    "https://app.example/cb",
    "https://app.example",
    "https://app.example:8443/cb?a=1&b=%20",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:3000/cb",
    "http://[::1]:3000/cb",
    "http://localhost/cb",
  ];
  for (const uri of ALLOWED) {
    test(`allows ${uri} for every type`, () => {
      for (const type of TYPES) assert.equal(findUriFault(uri, type), undefined);
    });
  }

  for (const uri of ["com.example.app:/cb", "com.example.app:/", "com.example-2.app://host/cb"]) {
    test(`allows ${uri} for native clients only`, () => {
      assert.equal(findUriFault(uri, "native"), undefined);
      for (const type of ["web", "spa"] as const) assert.match(findUriFault(uri, type)!, /https/);
    });
  }

  const REFUSED = [
    "",
    "/cb",
    "app.example/cb",
    "//app.example/cb",
    "http://app.example/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://127.0.0.2/cb",
    "http://localhost.evil.example/cb",
    "http://localhost./cb",
    "http://127.1/cb",
    "http://2130706433/cb",
    "javascript:alert(1)",
    "javascript:/alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://app.example/x",
    "ftp://app.example/",
    "myapp:/cb",
    "myapp://cb",
    "com.example.app:cb",
    "https://app.example/cb#",
    "https://app.example/cb#part",
    "https://user@app.example/cb",
    "https://user:secret@app.example/cb",
    "https://@app.example/cb",
    "https://app.example:80@evil.example/cb",
    "https://*.example/cb",
    "https://app.example/*",
    "https://app.example/a b",
    "https://app.example/cb\n",
    "\thttps://app.example/cb",
    "https://app.example\\@evil.example/cb",
    "https://ｇood.example/cb",
    "https://APP.example/cb",
    "https://app.example:443/cb",
    "https://app.example/a/../cb",
    "https://app.example/a/./cb",
    "https://app.example/%2e%2e/cb",
    "https:app.example/cb",
    "https:/app.example/cb",
    "https:///cb",
    "https://app.example/" + "a".repeat(2000),
  ];
  for (const uri of REFUSED) {
    test(`refuses ${JSON.stringify(uri.slice(0, 60))} for every type (T24)`, () => {
      for (const type of TYPES) assert.notEqual(findUriFault(uri, type), undefined, type);
    });
  }
});

describe("isRegisteredRedirectUri()", () => {
  const web = {
    type: "web",
    redirectUris: ["https://good.example/cb", "https://good.example/q?a=1"],
  } as const;
  const OTHERS = [
    ["T11", "https://good.example/cb/"],
    ["T12", "https://GOOD.example/cb"],
    ["T13", "https://good.example/CB"],
    ["T14", "https://good.example:443/cb"],
    ["T15", "https://good.example/cb?x=1"],
    ["T16", "https://good.example/q?a=2"],
    ["T17", "https://good.example/cb#x"],
    ["T18", "https://good.example/c%62"],
    ["T18", "https://good.example%2Fcb"],
    ["T19", "https://good.example/x/../cb"],
    ["T19", "https://good.example/./cb"],
    ["T20", "https://good@evil.example/cb"],
    ["T20", "https://good.example:80@evil.example/cb"],
    ["T21", "https://good.example/cb\\"],
    ["T21", " https://good.example/cb"],
    ["T21", "https://good.example/cb\r\nx: y"],
    ["T22", "https://ｇood.example/cb"],
    ["T22", "https://good\u00ad.example/cb"],
    ["T23", "https://good.example.evil/cb"],
    ["T23", "https://goodxexample/cb"],
    ["T27", "https://good.example:8443/cb"],
  ] as const;
  test("compares character by character", () => {
    for (const uri of web.redirectUris) assert.equal(isRegisteredRedirectUri(web, uri), true);
  });
  for (const [number, uri] of OTHERS) {
    test(`refuses ${JSON.stringify(uri)} (${number})`, () => {
      for (const type of TYPES) {
        assert.equal(isRegisteredRedirectUri({ ...web, type }, uri), false);
      }
    });
  }

  const native = { type: "native", redirectUris: ["http://127.0.0.1/cb?a=1"] } as const;
  test("accepts any port of a native client's loopback URI (T25)", () => {
    for (const port of ["", ":80", ":1", ":51004", ":65535"]) {
      assert.equal(isRegisteredRedirectUri(native, `http://127.0.0.1${port}/cb?a=1`), true);
    }
    for (const host of ["localhost", "[::1]"]) {
      const client = { type: "native", redirectUris: [`http://${host}:3000/cb`] } as const;
      assert.equal(isRegisteredRedirectUri(client, `http://${host}:51004/cb`), true);
    }
  });
  for (const type of ["web", "spa"] as const) {
    test(`refuses another port for a ${type} client (T27)`, () => {
      assert.equal(isRegisteredRedirectUri({ ...native, type }, "http://127.0.0.1:51004/cb?a=1"), false);
    });
  }
  const STRANGERS = [
    "http://127.0.0.1:51004/other?a=1",
    "http://127.0.0.1:51004/cb?a=2",
    "http://127.0.0.1:51004/cb",
    "https://127.0.0.1:51004/cb?a=1",
    "http://user@127.0.0.1:51004/cb?a=1",
    "http://127.0.0.1.evil:51004/cb?a=1",
    "http://127.1:51004/cb?a=1",
    "http://2130706433/cb?a=1",
    "http://[::1]:51004/cb?a=1",
    "http://localhost:51004/cb?a=1",
    "http://127.0.0.1:0/cb?a=1",
    "http://127.0.0.1:051004/cb?a=1",
    "http://127.0.0.1:65536/cb?a=1",
    "http://127.0.0.1:/cb?a=1",
    "http://127.0.0.1:51004/cb?a=1\n",
    "http://127.0.0.1:51004@evil/cb?a=1",
  ];
  for (const uri of STRANGERS) {
    test(`refuses ${JSON.stringify(uri)} for a native client (T26)`, () => {
      assert.equal(isRegisteredRedirectUri(native, uri), false);
    });
  }
});

test("redirectTargetOf() names scheme and host, without the port for loopback", () => {
  const targets = [
    ["https://app.example:8443/cb?a", { kind: "https", text: "https://app.example:8443" }],
    ["http://127.0.0.1:51004/cb", { kind: "loopback", text: "http://127.0.0.1" }],
    ["http://[::1]/cb", { kind: "loopback", text: "http://[::1]" }],
    ["com.example.app:/cb", { kind: "private-use", text: "com.example.app:" }],
  ] as const;
  for (const [uri, target] of targets) assert.deepEqual(redirectTargetOf(uri), target);
});

describe("findRedirectUriFault()", () => {
  test("refuses a query with a parameter that responses add, in any encoding", () => {
    for (const name of ["code", "state", "iss", "error", "error_description", "error_uri", "%73tate"]) {
      assert.match(
        findRedirectUriFault(`https://app.example/cb?a=1&${name}=x`, "web")!,
        /responses add them/,
      );
      assert.match(findRedirectUriFault(`com.example.app:/cb?${name}`, "native")!, /responses add them/);
    }
    assert.match(findRedirectUriFault("http://app.example/cb?a=1", "web")!, /https/);
  });

  test("allows other parameters", () => {
    for (const query of ["a=1", "states=1", "x=code", "Code=1"]) {
      assert.equal(findRedirectUriFault(`https://app.example/cb?${query}`, "web"), undefined);
    }
  });
});
