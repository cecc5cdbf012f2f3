import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Guard, publicAccess } from "../../src/http/guard/guard.ts";
import { json, noContent } from "../../src/http/response/respond.ts";
import { type Method } from "../../src/http/route.ts";
import { apiRow, type Handler } from "../support/rows.ts";
import { createRouter } from "../../src/http/router.ts";
import { createCoreApp } from "../support/core-app.ts";

interface Person {
  readonly name: string;
}

const showPath: Handler<undefined> = ({ params, url }) =>
  Promise.resolve(json(200, { params, target: url.href }, [["x-answer", "yes"]]));
const row = (method: Method, path: string) => apiRow(method, path, publicAccess, showPath);

const { request, logged } = createCoreApp([
  row("GET", "/"),
  row("GET", "/api/keys"),
  row("POST", "/api/keys/generate"),
  row("GET", "/api/keys/:keyId"),
  row("PATCH", "/api/keys/:keyId"),
  row("POST", "/api/keys/:keyId/sign"),
  row("GET", "/api/:family/:id/parts/:part"),
  row("GET", "/.well-known/openid-configuration"),
]);

async function paramsAt(path: string): Promise<unknown> {
  const response = await request(path);
  return response.status === 200 ? (await response.json()).params : response.status;
}

describe("createRouter()", () => {
  test("createRouter() finds static paths before paths with parameters", async () => {
    assert.deepEqual(await paramsAt("/"), {});
    assert.deepEqual(await paramsAt("/api/keys"), {});
    assert.deepEqual(await paramsAt("/.well-known/openid-configuration"), {});
    assert.equal((await request("/api/keys/generate")).status, 405);
  });

  test("createRouter() reads parameters of one segment each", async () => {
    assert.deepEqual(await paramsAt("/api/keys/key_1"), { keyId: "key_1" });
    assert.deepEqual(await paramsAt("/api/a/b/parts/c"), { family: "a", id: "b", part: "c" });
    assert.deepEqual(await paramsAt("/api/keys/a%20b%C3%A9"), { keyId: "a bé" });
  });

  const unknown = [
    "/api",
    "/api/",
    "/api/keys/",
    "/api//keys",
    "//api/keys",
    "//evil.example/api/keys",
    "/API/keys",
    "/api/keys/key_1/",
    "/api/keys/key_1/sign/more",
    "/api/keys/key_1/sigh",
    "/api/keys/a%2Fb",
    "/api/keys/..%2f..%2fetc",
    "/api/keys/a%5Cb",
    "/api/keys/%00",
    "/api/keys/a%0d%0ab",
    "/api/keys/%",
    "/api/keys/%ff",
    "/api/keys/%zz",
    "/api/%6beys",
    "/xwell-known/openid-configuration",
    "/.git/config",
    "/.env",
    "/account/x.css",
    "/*",
  ];
  for (const path of unknown) {
    test(`createRouter() answers 404 at ${path}`, async () => {
      assert.equal((await request(path)).status, 404);
    });
  }

  test("createRouter() answers 404, and no parent route, for dot segments", async () => {
    for (
      const path of ["/api/keys/../nothing", "/api/keys/./", "/api/keys/%2e%2e/nothing", "/api/keys/x/.."]
    ) {
      assert.equal((await request(path)).status, 404, path);
    }
  });

  test("createRouter() answers HEAD wherever GET is, with the same headers and no content (RFC 9110 section 9.3.2)", async () => {
    for (const path of ["/api/keys", "/api/keys/key_1"]) {
      const get = await request(path);
      const head = await request(path, { method: "HEAD" });
      assert.equal(head.status, get.status);
      const length = String((await get.arrayBuffer()).byteLength);
      const expected = Object.fromEntries([...get.headers, ["content-length", length]]);
      const seen = Object.fromEntries(head.headers);
      assert.deepEqual({ ...seen, "x-request-id": "" }, { ...expected, "x-request-id": "" });
      assert.equal(await head.text(), "");
      assert.equal(seen["x-answer"], "yes");
    }
    assert.equal((await request("/nothing", { method: "HEAD" })).status, 404);
    assert.equal((await request("/api/keys/generate", { method: "HEAD" })).status, 405);
  });

  test("createRouter() answers 405 with Allow, also to OPTIONS (RFC 9110 section 15.5.6)", async () => {
    const cases = [
      ["DELETE", "/api/keys", "GET, HEAD"],
      ["OPTIONS", "/api/keys", "GET, HEAD"],
      ["OPTIONS", "/api/keys/key_1", "GET, HEAD, PATCH"],
      ["PUT", "/api/keys/key_1/sign", "POST"],
      ["PROPFIND", "/api/keys", "GET, HEAD"],
    ] as const;
    for (const [method, path, allow] of cases) {
      const response = await request(path, { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get("allow"), allow);
      assert.equal((await response.json()).code, "method_not_allowed");
      assert.equal(response.headers.get("access-control-allow-origin"), null);
    }
  });

  test("createRouter() ignores X-HTTP-Method-Override", async () => {
    const headers = { "x-http-method-override": "PATCH" };
    assert.equal((await request("/api/keys/key_1", { method: "POST", headers })).status, 405);
  });

  test("createRouter() passes the target on the base URL's origin, whatever the Host", async () => {
    const response = await request("/api/keys?a=b%20c", { headers: { host: "evil.example" } });
    assert.equal((await response.json()).target, "http://localhost:3000/api/keys?a=b%20c");
  });

  test("createRouter() refuses two rows of one method and path, and malformed paths", () => {
    const again = [row("GET", "/a"), row("POST", "/a"), row("GET", "/a")];
    assert.throws(() => createRouter(again), TypeError);
    assert.throws(() => createRouter([row("GET", "/a/:b"), row("GET", "/a/:b")]), TypeError);
    for (const path of ["", "a", "/a/", "//", "/a//b", "/a*", "/(a)", "/a b", "/:", "/a/:b-c", "/a?b"]) {
      assert.throws(() => createRouter([row("GET", path)]), TypeError, path);
    }
  });

  test("createRouter() logs the row's path, never the requested one", async () => {
    logged.length = 0;
    await request("/api/keys/private");
    await request("/private");
    await request("/api/keys/private", { method: "DELETE" });
    assert.deepEqual(logged.map(({ fields }) => fields.route), [
      "/api/keys/:keyId",
      "none",
      "/api/keys/:keyId",
    ]);
    assert.doesNotMatch(JSON.stringify(logged), /private/);
  });
});

describe("route()", () => {
  const person: Guard<Person, unknown> = {
    name: "person",
    unsafe: "none",
    check: ({ request: { headers } }) => {
      const name = headers.get("x-name");
      return Promise.resolve(name === null ? noContent([["x-from", "guard"]]) : { name });
    },
  };
  const greet: Handler<Person> = (_, { name }) => Promise.resolve(json(200, name));

  test("route() lists method, path and guard for the golden file", () => {
    const { method, path, guard } = apiRow("GET", "/who", person, greet);
    assert.deepEqual({ method, path, guard }, { method: "GET", path: "/who", guard: "person" });
    assert.equal(row("GET", "/a").guard, "public access");
  });

  test("route() passes the guard's principal to the endpoint", async () => {
    const { request } = createCoreApp([apiRow("GET", "/who", person, greet)]);
    assert.equal(await (await request("/who", { headers: { "x-name": "Ada" } })).json(), "Ada");
  });

  test("route() returns the guard's response with the service's headers, and calls no endpoint", async () => {
    const never: Handler<Person> = () => assert.fail("The endpoint was called");
    const { request } = createCoreApp([apiRow("GET", "/who", person, never)]);
    const response = await request("/who");
    assert.deepEqual([response.status, response.headers.get("x-from")], [204, "guard"]);
    assert.equal(response.headers.get("x-frame-options"), "DENY");
  });

  test("route() does not type-check if an endpoint needs a principal that its guard does not return", () => {
    // @ts-expect-error -- greet needs a Person and publicAccess gives none
    apiRow("GET", "/who", publicAccess, greet);
  });
});
