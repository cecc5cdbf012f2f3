import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DatabaseError } from "../../src/db/error.ts";
import { createApp } from "../../src/http/boundary.ts";
import type { AppOptions } from "../../src/http/boundary.ts";
import { publicAccess } from "../../src/http/guard/guard.ts";
import { ORDINARY_PAGE } from "../../src/http/response/security-headers.ts";
import { htmlPage, json } from "../../src/http/response/respond.ts";
import { apiRow, pageRow } from "../support/rows.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { html } from "../../src/lib/html.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { rateLimited } from "../../src/limits/rate-limit.ts";
import { createCoreApp } from "../support/core-app.ts";

const page = () => Promise.resolve(htmlPage(200, html`<p>page</p>`));
/** Database faults of one statement, and of the database as a whole. */
const PASSING = ["connection_timeout", "busy", "read_failed", "damaged", "wrong_row"] as const;
const LASTING = ["disk_full", "disk_failed", "files_replaced", "schema_changed", "pages_damaged"] as const;

const routes = [
  apiRow("GET", "/fine", publicAccess, () => Promise.resolve(json(200, {}))),
  apiRow(
    "GET",
    "/cached",
    publicAccess,
    () =>
      Promise.resolve(
        json(200, {}, [["cache-control", "public, max-age=60"], ["x-frame-options", "ALLOWALL"]]),
      ),
  ),
  apiRow("GET", "/refused", publicAccess, () => {
    throw new ProtocolError("key_archived", "Cannot sign: key archived", {
      cause: new Error("private words"),
    });
  }),
  apiRow("GET", "/unproven", publicAccess, () => {
    const cause = Object.assign(new Error("private words"), { code: "user_verification" });
    throw new ProtocolError("invalid_passkey", "Cannot sign in: passkey refused", { cause });
  }),
  apiRow(
    "GET",
    "/limited",
    publicAccess,
    () => Promise.reject(rateLimited({ name: "email_code", limit: 5, windowSeconds: 60, resetSeconds: 12 })),
  ),
  apiRow("GET", "/broken", publicAccess, () => Promise.reject(new TypeError("private words"))),
  apiRow("GET", "/odd", publicAccess, () => Promise.reject("private words")),
  ...([...PASSING, ...LASTING] as const).map((code) =>
    apiRow(
      "GET",
      `/database/${code}`,
      publicAccess,
      () =>
        Promise.reject(
          new DatabaseError(code, "words of the database", { cause: new Error("words of its engine") }),
        ),
    )
  ),
  pageRow("GET", "/page", publicAccess, page),
  pageRow("GET", "/popup", publicAccess, page, { ...ORDINARY_PAGE, opener: "kept" }),
  pageRow("GET", "/consent", publicAccess, page, { opener: "kept", formAction: "anywhere" }),
  pageRow("GET", "/page/refused", publicAccess, () => {
    throw new ProtocolError("not_found", "Cannot find <this> key");
  }),
  pageRow("GET", "/page/broken", publicAccess, () => Promise.reject(new TypeError("private words"))),
];
const EVERY_PATH = [...routes.map(({ path }) => path), "/nothing"];
const core = createCoreApp(routes);
const secure = createCoreApp(routes, "https://keys.example.com");

describe("createApp() shows errors", () => {
  test("createApp() turns a ProtocolError into a problem document (RFC 9457 section 3)", async () => {
    const response = await core.request("/refused");
    assert.equal(response.status, 409);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.deepEqual(await response.json(), {
      type: "about:blank",
      title: "Key archived",
      status: 409,
      detail: "Cannot sign: key archived",
      code: "key_archived",
      requestId: response.headers.get("x-request-id"),
    });
  });

  test("createApp() sends the headers of an error: Retry-After and RateLimit of a 429", async () => {
    const response = await core.request("/limited");
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "12");
    assert.equal(response.headers.get("ratelimit-policy"), '"email_code";q=5;w=60');
    assert.equal(response.headers.get("ratelimit"), '"email_code";r=0;t=12');
    assert.equal((await response.json()).code, "rate_limited");
  });

  for (const path of ["/broken", "/odd", "/page/broken"]) {
    test(`createApp() answers 500 without a detail at ${path} and logs the reason once`, async () => {
      core.logged.length = 0;
      const response = await core.request(path);
      const text = await response.text();
      assert.equal(response.status, 500);
      assert.doesNotMatch(text, /private words|TypeError|boundary/);
      const failures = core.logged.filter(({ event }) => event === "request_failed");
      assert.equal(failures.length, 1);
      assert.equal(failures[0]?.level, "error");
      assert.equal(failures[0]?.fields.requestId, response.headers.get("x-request-id"));
      assert.ok(text.includes(String(failures[0]?.fields.requestId)));
    });
  }

  for (const code of PASSING) {
    test(`createApp() answers 503 with Retry-After when the database cannot serve (${code}), and logs why`, async () => {
      core.logged.length = 0;
      const response = await core.request(`/database/${code}`);
      assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
      const text = await response.text();
      assert.equal(JSON.parse(text).code, "unavailable");
      assert.doesNotMatch(text, /words of/);
      const failures = core.logged.filter(({ event }) => event === "request_failed");
      const causes = failures.map(({ fields }) => [fields.message, fields.cause]);
      assert.deepEqual(causes, [["words of the database", "words of its engine"]]);
    });
  }

  for (const code of LASTING) {
    test(`createApp() reports a persistent fault (${code}), and logs it with the request's line only`, async () => {
      core.logged.length = 0;
      const response = await core.request(`/database/${code}`);
      assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "10"]);
      const text = await response.text();
      assert.equal(JSON.parse(text).detail, "words of the database");
      assert.doesNotMatch(text, /words of its engine/);
      assert.deepEqual(core.logged.map(({ event, fields }) => [event, fields.reason]), [["request", code]]);
    });
  }

  test("createApp() shows a page's errors as pages, escaped", async () => {
    const response = await core.request("/page/refused");
    assert.equal(response.status, 404);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(await response.text(), /Error 404.*<h1>Not found.*Cannot find &lt;this&gt; key/s);
  });

  test("createApp() shows an unknown path as a page to a browser and as a problem to others", async () => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
    const type = async (headers: Record<string, string>) =>
      (await core.request("/nothing", { headers })).headers.get("content-type");
    assert.equal(await type({ accept }), "text/html; charset=utf-8");
    assert.equal(await type({ accept: "*/*" }), "application/problem+json");
    assert.equal(await type({}), "application/problem+json");
  });

  test("createApp() shows an unknown path of the API as a problem, whatever Accept says", async () => {
    const response = await core.request("/api/nothing", { headers: { accept: "text/html" } });
    assert.equal(response.status, 404);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
  });

  test("createApp() shows a page's errors as problems to clients that accept JSON but not HTML", async () => {
    const type = async (accept: string) =>
      (await core.request("/page/refused", { headers: { accept } })).headers.get("content-type");
    assert.equal(await type("application/json"), "application/problem+json");
    assert.equal(await type("application/problem+json"), "application/problem+json");
    assert.equal(await type("text/html, application/json;q=0.5"), "text/html; charset=utf-8");
    assert.equal(await type("*/*"), "text/html; charset=utf-8");
  });

  test("createApp() shows a wrong method at a page as a page", async () => {
    const response = await core.request("/page", { method: "DELETE" });
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "GET, HEAD"]);
    assert.match(response.headers.get("content-type") ?? "", /html/);
  });
});

/** Requests a page that is refused, of an app with this `findViewer`. */
async function refusedPage(findViewer: AppOptions<unknown>["findViewer"]): Promise<Response> {
  const app = createApp({
    routes,
    services: undefined,
    baseUrl: "http://localhost:3000",
    random: (length) => new Uint8Array(length),
    now: () => 0,
    log: () => {},
    metrics: createMetrics(() => 0),
    findViewer,
    frame: {},
    trustedProxies: [],
    strictTransport: "host",
  });
  const request = new Request("http://localhost:3000/page/refused", { headers: { host: "localhost" } });
  return await app(request, { clientAddress: "192.0.2.1" });
}

test("createApp() shows a problem when the error page itself fails", async () => {
  const account = {
    accountId: "acct_1",
    language: "en",
    get email(): string {
      throw new TypeError("private words");
    },
  } as const;
  const response = await refusedPage(() => Promise.resolve(account));
  assert.equal(response.status, 500);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  assert.equal(response.headers.get("x-frame-options"), "DENY");
  assert.doesNotMatch(await response.text(), /private words/);
});

test("createApp() shows the error page of a visitor when the viewer cannot be found", async () => {
  const response = await refusedPage(() => Promise.reject(new TypeError("private words")));
  const page = await response.text();
  assert.match(page, /<body\s*>/);
  assert.doesNotMatch(page, /private words/);
});

describe("createApp() asks for exactly one Host (RFC 9112 section 3.2)", () => {
  test("createApp() answers 400 when there is none", async () => {
    const response = await core.app(new Request("http://localhost:3000/fine"), {
      clientAddress: "192.0.2.1",
    });
    assert.equal(response.status, 400);
    assert.match(response.headers.get("x-request-id") ?? "", /^[0-9a-f]{32}$/);
  });

  for (
    const host of ["a, b", "a,a", "a b", "a/b", "a?b", "a#b", "user@a", "a:99999999", "a:b", "[::1", "<a>"]
  ) {
    test(`createApp() answers 400 to Host: ${host}`, async () => {
      assert.equal((await core.request("/fine", { headers: { host } })).status, 400);
    });
  }

  for (
    const host of ["localhost", "keys.example.com:8443", "127.0.0.1:3000", "[::1]:3000", "[2001:db8::1]"]
  ) {
    test(`createApp() serves Host: ${host}`, async () => {
      assert.equal((await core.request("/fine", { headers: { host } })).status, 200);
    });
  }
});

const SAME_EVERYWHERE: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

describe("createApp() redirects this machine's other names to the host of BASE_URL", () => {
  const at = (host: string, path = "/page?a=%20b&c", from = core, method = "GET") =>
    from.request(path, { headers: { host }, method });

  for (const host of ["127.0.0.1:3000", "127.1.2.3:3000", "[::1]:3000", "other.localhost:3000"]) {
    test(`createApp() redirects a page at ${host} to localhost, and does not redirect errors`, async () => {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers } = await at(host, "/page?a=%20b&c", core, method);
        assert.deepEqual([status, headers.get("location")], [303, "http://localhost:3000/page?a=%20b&c"]);
      }
      assert.equal((await at(host, "/page//evil.example")).status, 404);
    });

    test(`createApp() does not redirect programs at ${host}`, async () => {
      assert.equal((await at(host, "/fine")).status, 200);
    });
  }

  for (
    const host of ["localhost:3000", "127.0.0.1:8080", "127.0.0.1", "128.0.0.1:3000", "evil.example:3000"]
  ) {
    test(`createApp() does not redirect a page at ${host}`, async () => {
      assert.equal((await at(host)).status, 200);
    });
  }

  test("createApp() does not redirect behind a proxy, or on another host", async () => {
    const others = ["https://keys.localhost", "https://keys.example.com", "http://localhost:8080"];
    for (const baseUrl of others) {
      for (const host of ["127.0.0.1:3000", "127.0.0.1", "localhost:3000"]) {
        assert.equal((await at(host, "/page", createCoreApp(routes, baseUrl))).status, 200, baseUrl + host);
      }
    }
  });
});

describe("createApp() sends security headers", () => {
  for (const path of EVERY_PATH) {
    test(`createApp() protects the response of ${path}`, async () => {
      for (const { headers } of [await core.request(path), await core.request(path, { method: "DELETE" })]) {
        for (const [name, value] of Object.entries(SAME_EVERYWHERE)) {
          assert.equal(headers.get(name), value, name);
        }
        const policy = headers.get("content-security-policy") ?? "";
        assert.match(policy, /default-src 'none'/);
        assert.match(policy, /base-uri 'none'/);
        assert.match(policy, /frame-ancestors 'none'/);
        assert.doesNotMatch(policy, /unsafe|\*|https?:|data:/);
        assert.match(headers.get("permissions-policy") ?? "", /publickey-credentials-get=\(self\)/);
        assert.equal(headers.get("server"), null);
        assert.equal(headers.get("x-powered-by"), null);
        assert.equal(headers.get("strict-transport-security"), null);
      }
    });
  }

  test("createApp() allows caching only if the endpoint does, and lets it weaken no other header", async () => {
    assert.equal((await core.request("/fine")).headers.get("cache-control"), "no-store");
    assert.equal((await core.request("/refused")).headers.get("cache-control"), "no-store");
    const { headers } = await core.request("/cached");
    assert.equal(headers.get("cache-control"), "public, max-age=60");
    assert.equal(headers.get("x-frame-options"), "DENY");
  });

  test("createApp() allows pages scripts and styles of their own origin only", async () => {
    const policy = (await core.request("/page")).headers.get("content-security-policy") ?? "";
    const directives = policy.split("; ");
    for (
      const directive of ["script-src 'self'", "style-src 'self'", "form-action 'self'", "object-src 'none'"]
    ) {
      assert.ok(directives.includes(directive), directive);
    }
    assert.ok(directives.includes("require-trusted-types-for 'script'"));
  });

  test("createApp() omits form-action only where a form redirects to another site", async () => {
    for (const path of EVERY_PATH) {
      const policy = (await core.request(path)).headers.get("content-security-policy") ?? "";
      assert.equal(policy.includes("form-action"), path !== "/consent", path);
    }
  });

  test("createApp() omits Cross-Origin-Opener-Policy for pop-ups, also in errors there", async () => {
    for (const path of EVERY_PATH) {
      const expected = path === "/consent" || path === "/popup" ? null : "same-origin";
      for (const method of ["GET", "DELETE"]) {
        const { headers } = await core.request(path, { method });
        assert.equal(headers.get("cross-origin-opener-policy"), expected, `${method} ${path}`);
      }
    }
  });

  test("createApp() sends HSTS on https, for sub-domains if configured, and not for localhost", async () => {
    const hsts = "max-age=63072000";
    const whole = createCoreApp(routes, "https://keys.example.com", "subdomains");
    for (const path of EVERY_PATH) {
      assert.equal((await secure.request(path)).headers.get("strict-transport-security"), hsts);
      const headers = (await whole.request(path)).headers;
      assert.equal(headers.get("strict-transport-security"), `${hsts}; includeSubDomains`);
    }
    const local = createCoreApp(routes, "https://localhost");
    assert.equal((await local.request("/fine")).headers.get("strict-transport-security"), null);
  });
});

describe("createApp() names and logs requests", () => {
  test("createApp() assigns each response its own request id, never the client's", async () => {
    const ids = new Set<string>();
    for (const path of EVERY_PATH) {
      const { headers } = await core.request(path, { headers: { "x-request-id": "mine" } });
      assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f]{32}$/);
      ids.add(headers.get("x-request-id") ?? "");
    }
    assert.equal(ids.size, EVERY_PATH.length);
  });

  test("createApp() logs one line for each request", async () => {
    core.logged.length = 0;
    const response = await core.request("/refused?secret=private");
    assert.deepEqual(core.logged, [{
      level: "info",
      event: "request",
      fields: {
        requestId: response.headers.get("x-request-id"),
        method: "GET",
        route: "/refused",
        status: 409,
        durationMs: 0,
        code: "key_archived",
      },
    }]);
    core.logged.length = 0;
    await core.request("/fine");
    assert.equal("code" in core.logged[0]!.fields, false);
  });

  test("createApp() logs the code of the failed check and nothing else of the cause", async () => {
    core.logged.length = 0;
    await core.request("/unproven");
    assert.deepEqual([core.logged[0]?.fields.code, core.logged[0]?.fields.reason], [
      "invalid_passkey",
      "user_verification",
    ]);
    assert.doesNotMatch(JSON.stringify(core.logged), /private words/);
  });

  test("createApp() logs no unknown method", async () => {
    core.logged.length = 0;
    await core.request("/fine", { method: "PROPFIND" });
    assert.equal(core.logged[0]?.fields.method, "other");
  });
});
