import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isPlainlyPrivate, PrivateHostError, resolveHost, sendTo } from "../../src/lib/outgoing.ts";
import { assertLinear } from "../support/growth.ts";
import type { AllowedHosts, FetchInit } from "../../src/lib/outgoing.ts";

const open = new AbortController().signal;
const LOCAL = ["127.0.0.1", "::1"];

/** Private hosts that need no lookup, and their addresses. */
const PRIVATE: Readonly<Record<string, readonly string[]>> = {
  "127.0.0.1": ["127.0.0.1"],
  "[::1]": ["::1"],
  "10.0.0.1": ["10.0.0.1"],
  "169.254.169.254": ["169.254.169.254"],
  "[fd00::1]": ["fd00::1"],
  "[::ffff:192.168.0.1]": ["192.168.0.1"],
  "localhost": LOCAL,
  "app.localhost": LOCAL,
  "localhost.": LOCAL,
  "a.localhost.": LOCAL,
  "localhost..": LOCAL,
};

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "public.example": ["93.184.216.34", "2606:2800:220:1::1"],
  "mixed.example": ["93.184.216.34", "10.0.0.1"],
  "strange.example": ["not an address"],
  "nowhere.example": [],
};

const lookup = (name: string): Promise<readonly string[]> => Promise.resolve(NAMES[name]!);

describe("resolveHost()", () => {
  for (const [host, addresses] of Object.entries(PRIVATE)) {
    test(`refuses ${host} among public hosts, without a lookup`, async () => {
      const lookup = () => Promise.reject(new Error("looked up"));
      await assert.rejects(resolveHost(host, "public", { lookup, signal: open }), PrivateHostError);
      assert.deepEqual(await resolveHost(host, "any", { lookup, signal: open }), addresses);
      assert.equal(isPlainlyPrivate(host), true);
    });
  }

  test("requires at least one address, and only public ones", async () => {
    const resolve = (host: string, allowed: AllowedHosts) =>
      resolveHost(host, allowed, { lookup, signal: open });
    assert.deepEqual(await resolve("public.example", "public"), NAMES["public.example"]);
    for (const host of ["mixed.example", "strange.example"]) {
      await assert.rejects(resolve(host, "public"), PrivateHostError);
      assert.deepEqual(await resolve(host, "any"), NAMES[host]);
    }
    for (const allowed of ["public", "any"] as const) {
      await assert.rejects(resolve("nowhere.example", allowed), /does not resolve/);
    }
    assert.deepEqual(Object.keys(NAMES).filter(isPlainlyPrivate), []);
  });

  test("takes linear time to see that a name of dots is not of this machine", () => {
    assertLinear((count) => void isPlainlyPrivate(`${".".repeat(count)}a`), 4_000);
  });

  test("stops waiting at its signal", async () => {
    const ends = new AbortController();
    const lookup = () => new Promise<never>(() => {});
    const resolution = resolveHost("slow.example", "public", { lookup, signal: ends.signal });
    ends.abort(new Error("too late"));
    await assert.rejects(resolution, /too late/);
    await assert.rejects(resolveHost("slow.example", "any", { lookup, signal: ends.signal }), /too late/);
  });
});

test("sendTo() sends to the addresses that it resolved, and does not connect to a refused host", async () => {
  const sent: FetchInit[] = [];
  const fetch = (_url: string, init: FetchInit) => {
    sent.push(init);
    return Promise.resolve({ status: 200, headers: { get: () => null }, body: null });
  };
  const send = (url: string) =>
    sendTo(url, "public", { fetch, lookup }, { method: "GET", headers: {}, signal: open });
  await assert.rejects(send("https://localhost.:3000/"), PrivateHostError);
  await assert.rejects(send("https://mixed.example/"), PrivateHostError);
  assert.deepEqual(sent, []);
  await send("https://public.example/");
  assert.deepEqual(sent.map(({ addresses }) => addresses), [NAMES["public.example"]]);
});
