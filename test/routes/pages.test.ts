import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../support/app.ts";
import { proveAddress, signUp } from "../support/client.ts";

const FOR_EVERYBODY = ["/", "/sign-up", "/sign-in", "/signed-out"] as const;
const HTML = "text/html; charset=utf-8";

describe("pages", () => {
  test("GET / and the sign-in pages are for visitors; a signed-in user is redirected to the keys", async () => {
    await using app = await createTestApp();
    const client = app.client();
    for (const path of FOR_EVERYBODY) {
      const answer = await client.get(path);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, HTML], path);
    }
    await signUp(client, "ada@example.com");
    for (const path of FOR_EVERYBODY) {
      const answer = await client.get(path);
      assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/keys"], path);
    }
  });

  test("GET /keys and /keys/:keyId redirect a visitor to sign in, and back with the query", async () => {
    await using app = await createTestApp();
    for (const path of ["/keys", "/keys?archived=true&limit=2", "/keys/key_x", "/keys/key_x?a='%0d%0a"]) {
      const answer = await app.client().get(path);
      assert.equal(answer.status, 303, path);
      const location = new URL(answer.headers.get("location")!, "http://localhost:3000");
      assert.deepEqual([location.pathname, [...location.searchParams.keys()]], ["/sign-in", ["next"]]);
      assert.equal(location.searchParams.get("next"), path.replace("'", "%27"));
    }
  });

  test("GET /keys/:keyId answers the same 404 page for another account's key and for an unknown one", async () => {
    await using app = await createTestApp();
    const owner = app.client();
    const other = app.client();
    const { key } = (await signUp(owner, "ada@example.com")).body;
    await signUp(other, "eve@example.com");
    assert.equal((await owner.get(`/keys/${key.id}`)).status, 200);
    const [foreign, missing] = [await other.get(`/keys/${key.id}`), await other.get("/keys/key_nothing")];
    for (const { status, headers } of [foreign, missing]) {
      assert.deepEqual([status, headers.get("content-type")], [404, HTML]);
    }
    const withoutId = (text: string) => text.replace(/<code>[0-9a-f]{32}<\/code>/, "");
    assert.equal(withoutId(foreign.text), withoutId(missing.text));
  });

  test("GET /keys has pages of 50, and searches and sorts keys", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, "ada@example.com");
    for (let index = 2; index <= 53; index++) {
      await client.post("/api/keys/generate", index === 7 ? { label: "Treasury" } : {});
    }
    const labels = async (query: string): Promise<readonly string[]> => {
      const { status, text } = await client.get(`/keys${query}`);
      assert.equal(status, 200, query);
      return [...text.matchAll(/key-row-label"><bdi>([^<]*)</g)].map(([, label]) => label!);
    };
    assert.deepEqual((await labels("")).slice(0, 2), ["Key 53", "Key 52"]);
    assert.equal((await labels("")).length, 50);
    assert.deepEqual(await labels("?page=2"), ["Key 3", "Key 2", "Key 1"]);
    assert.deepEqual(await labels("?page=99"), ["Key 3", "Key 2", "Key 1"], "the last one there is");
    assert.deepEqual((await labels("?order=name")).slice(0, 3), ["Key 1", "Key 2", "Key 3"]);
    assert.deepEqual(await labels("?q=treas"), ["Treasury"]);
    const { keys } = (await client.get("/api/keys")).body;
    assert.deepEqual(await labels(`?q=${keys[4].address.slice(2, 12).toLowerCase()}`), ["Key 5"]);
    await client.post(`/api/keys/${keys[4].id}/sign`, { message: "hello" });
    assert.equal((await labels("?order=used"))[0], "Key 5");
    assert.match((await client.get("/keys?order=used")).text, /Last used <time/);
    assert.match((await client.get(`/keys/${keys[4].id}`)).text, /id="signature-list"[^]*personal_sign/);
    assert.match((await client.get(`/keys/${keys[5].id}`)).text, /It has signed nothing recently/);
  });

  test("pages ignore unknown parameters, and refuse invalid ones", async () => {
    await using app = await createTestApp();
    const client = app.client();
    const { key } = (await signUp(client, "ada@example.com")).body;
    const foreign = "utm_source=a&utm_source=b&%&x=%00&__proto__=1";
    for (const path of ["/keys", `/keys/${key.id}`, "/account", "/account/audit", "/developer"]) {
      assert.equal((await client.get(`${path}?${foreign}`)).status, 200, path);
    }
    assert.match((await client.get(`/keys?${foreign}&archived=true`)).text, /Hide archived keys/);
    for (const query of ["page=0", "order=size", "page=1&page=2", "archived=%00", `q=${"x".repeat(101)}`]) {
      assert.equal((await client.get(`/keys?${query}`)).status, 400, query);
    }
    assert.equal((await client.get("/account/audit?cursor=eA")).status, 400);
  });

  test("pages that an application opens in a pop-up keep their opener, and others do not", async () => {
    await using app = await createTestApp();
    for (const path of FOR_EVERYBODY) {
      const isolated = path === "/" ? "same-origin" : null;
      const { headers } = await app.client().get(path);
      assert.equal(headers.get("cross-origin-opener-policy"), isolated, path);
    }
  });
});

describe("GET /assets/:hash/:name", () => {
  test("serves what pages load, with unlimited caching", async () => {
    await using app = await createTestApp();
    const { text } = await app.client().get("/sign-in");
    const paths = [...text.matchAll(/"(\/assets\/[^"]+)"/g).map((match) => match[1]!)];
    assert.ok(paths.length >= 3);
    for (const path of paths) {
      const { status, headers } = await app.client().get(path);
      assert.equal(status, 200, path);
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.match(headers.get("content-type")!, /^(?:text\/(?:css|javascript)|image\/svg\+xml)/);
    }
  });

  test("answers 404, which is not cached, for another hash and another name", async () => {
    await using app = await createTestApp();
    const { text } = await app.client().get("/sign-in");
    const path = /"(\/assets\/[^"]+\.css)"/.exec(text)![1]!;
    const paths = [path.replace("style", "other"), path.replace(/[0-9a-f]{16}/, "0".repeat(16))];
    for (const wrong of [...paths, path + "x"]) {
      const { status, headers } = await app.client().get(wrong);
      assert.deepEqual([status, headers.get("cache-control")], [404, "no-store"], wrong);
    }
  });

  test("GET /sign-in and GET /sign-up link to each other, and keep the return path", async () => {
    await using app = await createTestApp();
    for (const [path, sibling] of [["/sign-in", "/sign-up"], ["/sign-up", "/sign-in"]] as const) {
      const { text } = await app.client().get(`${path}?next=%2Fdeveloper`);
      assert.ok(text.includes(`href="${sibling}?next=%2Fdeveloper"`), text);
      assert.ok((await app.client().get(path)).text.includes(`href="${sibling}"`));
    }
  });

  test("GET /sign-up continues with the passkey in the browser that verified an address, or starts again", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await proveAddress(client, "ada@example.com");
    const page = await client.get("/sign-up?next=%2Faccount");
    assert.match(page.text, /id="verified-email"><bdi>ada@example\.com</);
    assert.match(page.text, /<li aria-current="step">Passkey</);
    assert.match(page.text, /href="\/sign-up\?next=%2Faccount&amp;afresh=1"/);
    assert.doesNotMatch((await app.client().get("/sign-up")).text, /ada@example/);
    assert.doesNotMatch((await client.get("/sign-up?afresh=1")).text, /ada@example/);
    assert.doesNotMatch((await client.get("/sign-up")).text, /ada@example/);
    await proveAddress(client, "ada@example.com");
    app.now += 16 * 60_000;
    assert.doesNotMatch((await client.get("/sign-up")).text, /ada@example/);
  });
});
