import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Guard, publicAccess, type UnsafeRule } from "../../../src/http/guard/guard.ts";
import { noContent } from "../../../src/http/response/respond.ts";
import type { RequestContext } from "../../../src/http/request-context.ts";
import { type Method } from "../../../src/http/route.ts";
import { apiRow } from "../../support/rows.ts";
import { createCoreApp } from "../../support/core-app.ts";

function cookieGuard(unsafe: UnsafeRule): Guard<string, unknown> {
  return { name: "session", unsafe, check: () => Promise.resolve("Ada") };
}

let effects = 0;
const effect: (context: RequestContext) => Promise<Response> = () => {
  effects++;
  return Promise.resolve(noContent());
};
const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const { request } = createCoreApp([
  ...METHODS.map((method) => apiRow(method, "/api/json", cookieGuard("cross-site-json"), effect)),
  apiRow("POST", "/form", cookieGuard("cross-site-form"), effect),
  apiRow("POST", "/bearer", cookieGuard("none"), effect),
  apiRow("POST", "/open", publicAccess, effect),
]);

const OWN = "http://localhost:3000";
const FOREIGN_ORIGINS = [
  "null",
  "http://localhost",
  "https://localhost:3000",
  "http://localhost:3001",
  "http://a.localhost:3000",
  "http://localhost:3000.evil.example",
  "http://localhost:3000/",
  "HTTP://LOCALHOST:3000",
  `${OWN}, ${OWN}`,
  "",
];

async function statusOf(path: string, headers: Record<string, string>, method = "POST"): Promise<number> {
  const before = effects;
  const response = await request(path, { method, headers });
  assert.equal(effects - before, response.status === 204 ? 1 : 0);
  if (response.status !== 204) assert.equal((await response.json()).code, "cross_site_request");
  return response.status;
}

describe("assertSameOrigin()", () => {
  for (const path of ["/api/json", "/form"]) {
    test(`assertSameOrigin() decides by Sec-Fetch-Site alone at ${path}`, async () => {
      for (const site of ["same-origin", "none"]) {
        assert.equal(await statusOf(path, { "sec-fetch-site": site, origin: "https://evil.example" }), 204);
        assert.equal(await statusOf(path, { "sec-fetch-site": site }), 204);
      }
      for (const site of ["cross-site", "same-site", "", "Same-Origin", "same-origin, none"]) {
        assert.equal(await statusOf(path, { "sec-fetch-site": site, origin: OWN }), 403, site);
      }
    });

    test(`assertSameOrigin() requires the service's Origin at ${path} without Sec-Fetch-Site`, async () => {
      assert.equal(await statusOf(path, { origin: OWN }), 204);
      for (const origin of FOREIGN_ORIGINS) assert.equal(await statusOf(path, { origin }), 403, origin);
    });
  }

  test("assertSameOrigin() serves JSON endpoints, and no forms, when both headers are missing", async () => {
    assert.equal(await statusOf("/api/json", {}), 204);
    assert.equal(await statusOf("/form", {}), 403);
  });

  test("assertSameOrigin() ignores Host and Referer", async () => {
    const headers = { origin: "http://evil.example", host: "evil.example", referer: OWN + "/" };
    assert.equal(await statusOf("/api/json", headers), 403);
  });

  test("assertSameOrigin() applies to every unsafe method and to no safe one", async () => {
    const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    for (const method of METHODS) {
      assert.equal(await statusOf("/api/json", headers, method), method === "GET" ? 204 : 403, method);
    }
  });

  test("assertSameOrigin() applies to cookie guards only", async () => {
    const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    assert.equal(await statusOf("/bearer", headers), 204);
    assert.equal(await statusOf("/open", headers), 204);
  });
});
