import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as v from "valibot";
import { publicAccess } from "../../../src/http/guard/guard.ts";
import {
  decodeCursor,
  encodeCursor,
  nextPageLink,
  pageParameters,
} from "../../../src/http/request/paging.ts";
import { readQuery } from "../../../src/http/request/query.ts";
import { json } from "../../../src/http/response/respond.ts";
import { apiRow } from "../../support/rows.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import { createCoreApp } from "../../support/core-app.ts";

const listQuery = v.strictObject({
  archived: v.optional(v.picklist(["true", "false"]), "false"),
  ...pageParameters,
});
const lenient = v.object({ scope: v.string() });

const { request } = createCoreApp([
  apiRow(
    "GET",
    "/list",
    publicAccess,
    (context) => Promise.resolve(json(200, readQuery(context, listQuery))),
  ),
  apiRow(
    "GET",
    "/lenient",
    publicAccess,
    (context) => Promise.resolve(json(200, readQuery(context, lenient))),
  ),
  apiRow("GET", "/cursor", publicAccess, (context) => {
    const { cursor } = readQuery(context, listQuery);
    return Promise.resolve(json(200, decodeCursor(cursor ?? "")));
  }),
  apiRow(
    "GET",
    "/linked",
    publicAccess,
    ({ url }) => Promise.resolve(json(200, {}, nextPageLink(url, "abc"))),
  ),
]);

async function faultAt(target: string): Promise<unknown> {
  const response = await request(target);
  assert.equal(response.status, 400, target);
  const { code, errors } = await response.json();
  assert.equal(code, "invalid_request");
  return errors?.[0];
}

describe("readQuery()", () => {
  test("readQuery() reads parameters with their defaults", async () => {
    assert.deepEqual(await (await request("/list")).json(), { archived: "false", limit: 1000 });
    assert.deepEqual(await (await request("/list?archived=true&limit=7&cursor=YQ")).json(), {
      archived: "true",
      limit: 7,
      cursor: "YQ",
    });
    assert.deepEqual(await (await request("/lenient?scope=a+b%2Bc")).json(), { scope: "a b+c" });
  });

  test("readQuery() refuses a repeated parameter, in any encoding", async () => {
    const fault = { parameter: "limit", message: "Duplicate parameter" };
    assert.deepEqual(await faultAt("/list?limit=1&limit=1"), fault);
    assert.deepEqual(await faultAt("/list?limit=1&%6cimit=2"), fault);
    assert.deepEqual(await faultAt("/lenient?scope=a&x=1&x=2"), {
      parameter: "x",
      message: "Duplicate parameter",
    });
  });

  test("readQuery() refuses unknown parameters only if the schema is strict", async () => {
    assert.deepEqual(await faultAt("/list?other=private"), {
      parameter: "other",
      message: "Unknown parameter",
    });
    assert.deepEqual(await (await request("/lenient?scope=a&other=1")).json(), { scope: "a" });
  });

  test("readQuery() refuses malformed percent-encoding and __proto__", async () => {
    assert.equal(await faultAt("/list?limit=%"), undefined);
    assert.equal(await faultAt("/list?limit=%C3%28"), undefined);
    assert.deepEqual(await faultAt("/lenient?__proto__=1"), {
      parameter: "__proto__",
      message: "Forbidden parameter",
    });
  });

  for (const limit of ["0", "1001", "9999", "-1", "1.5", "1e2", "01", "", "+1", "ten", "%201"]) {
    test(`readQuery() refuses limit=${limit}`, async () => {
      assert.equal((await faultAt(`/list?limit=${limit}`) as { parameter: string }).parameter, "limit");
    });
  }

  for (const limit of ["1", "1000"]) {
    test(`readQuery() accepts limit=${limit}`, async () => {
      assert.equal((await (await request(`/list?limit=${limit}`)).json()).limit, Number(limit));
    });
  }
});

describe("cursors", () => {
  test("decodeCursor() returns the input of encodeCursor()", () => {
    for (const position of ["0", "12", "1767323045006 key_é"]) {
      assert.equal(decodeCursor(encodeCursor(position)), position);
    }
  });

  test("decodeCursor() refuses any other text", async () => {
    for (const cursor of ["a", "YR", "_w", "YQ==", "Y Q"]) {
      assert.throws(
        () => decodeCursor(cursor),
        (error) => error instanceof ProtocolError && error.code === "invalid_request",
      );
    }
    assert.equal((await faultAt("/cursor?cursor=_w") as { parameter: string }).parameter, "cursor");
    assert.equal((await faultAt("/cursor?cursor=%25") as { parameter: string }).parameter, "cursor");
    assert.equal(
      (await faultAt("/cursor?cursor=" + "a".repeat(513)) as { parameter: string }).parameter,
      "cursor",
    );
  });

  test("nextPageLink() links to the next page on the base URL with the other parameters (RFC 8288)", async () => {
    const { headers } = await request("/linked?limit=2&cursor=old&archived=true", {
      headers: { host: "evil.example" },
    });
    const next = "http://localhost:3000/linked?limit=2&cursor=abc&archived=true";
    assert.equal(headers.get("link"), `<${next}>; rel="next"`);
  });

  test("nextPageLink() escapes its URL", async () => {
    const { headers } = await request("/linked?a=%3E;rel=%22x%22,%3Chttp://evil.example%3E");
    assert.equal(headers.get("link")?.match(/[<>]/g)?.length, 2);
  });

  test("nextPageLink() returns undefined on the last page", () => {
    assert.deepEqual(nextPageLink(new URL("http://localhost:3000/list"), null), []);
  });
});
