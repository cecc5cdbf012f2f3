import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClientAddressReader } from "../../../src/http/request/client-address.ts";
import { parseIpNetwork } from "../../../src/lib/ip-address.ts";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import { createClient, signUp } from "../../support/client.ts";

const read = createClientAddressReader(
  ["10.0.0.0/8", "fd00::/8", "127.0.0.1"].map((text) => parseIpNetwork(text)!),
);
const PROXY = "10.0.0.1";

interface Case {
  readonly title: string;
  readonly forwarded: string | undefined;
  readonly client: string;
  readonly peer?: string;
}

const CASES: readonly Case[] = [
  { title: "there is no header", forwarded: undefined, client: PROXY },
  { title: "the header is empty", forwarded: "", client: PROXY },
  { title: "there is one hop", forwarded: "192.0.2.9", client: "192.0.2.9" },
  {
    title: "the peer is no trusted proxy",
    forwarded: "192.0.2.9",
    peer: "198.51.100.7",
    client: "198.51.100.7",
  },
  { title: "the client wrote a hop of its own", forwarded: "127.0.0.1, 192.0.2.9", client: "192.0.2.9" },
  { title: "the client wrote trusted hops", forwarded: "1.1.1.1, 10.9.9.9, 192.0.2.9", client: "192.0.2.9" },
  {
    title: "two trusted proxies passed it on",
    forwarded: "8.8.8.8, 192.0.2.9, 10.0.0.2",
    client: "192.0.2.9",
  },
  { title: "every hop is trusted", forwarded: "10.0.0.3, 10.0.0.2", client: "10.0.0.3" },
  { title: "it came over IPv6", forwarded: "2001:DB8::5", peer: "fd00::1", client: "2001:db8::5" },
  { title: "IPv4 is written as IPv6", forwarded: "::ffff:192.0.2.9", client: "192.0.2.9" },
  { title: "the hop has a port", forwarded: "192.0.2.9:4711", client: "192.0.2.9" },
  { title: "the IPv6 hop has a port", forwarded: "[2001:db8::5]:4711", client: "2001:db8::5" },
  { title: "the IPv6 hop is in brackets", forwarded: "[2001:db8::5]", client: "2001:db8::5" },
  { title: "there are empty elements", forwarded: " ,, 192.0.2.9 , ,", client: "192.0.2.9" },
  { title: "the last hop is no address", forwarded: "192.0.2.9, unknown", client: PROXY },
  { title: "a hop behind a trusted one is none", forwarded: "192.0.2.9, x, 10.0.0.2", client: "10.0.0.2" },
  { title: "the hop is octal", forwarded: "192.0.2.010", client: PROXY },
  { title: "the hop has a zone", forwarded: "fe80::1%eth0", client: PROXY },
  { title: "the peer has no address", forwarded: "192.0.2.9", peer: "unix", client: "unix" },
];

describe("createClientAddressReader()", () => {
  for (const { title, forwarded, client, peer = PROXY } of CASES) {
    test(`returns ${client} when ${title}`, () => {
      const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded });
      assert.equal(read(headers, peer), client);
    });
  }

  test("reads several lines as one list", () => {
    const headers = new Headers([["X-Forwarded-For", "8.8.8.8"], ["X-Forwarded-For", "192.0.2.9"]]);
    assert.equal(read(headers, PROXY), "192.0.2.9");
  });

  test("reads a huge header from its right end", () => {
    const headers = new Headers({ "x-forwarded-for": "1.2.3.4, ".repeat(100_000) + "192.0.2.9" });
    assert.equal(read(headers, PROXY), "192.0.2.9");
    const trusted = new Headers({ "x-forwarded-for": "8.8.8.8" + ", 10.0.0.2".repeat(1000) });
    assert.equal(read(trusted, PROXY), "8.8.8.8");
    assert.equal(read(new Headers({ "x-forwarded-for": ",".repeat(15_000) }), PROXY), PROXY);
  });

  test("reads no other header, and none when no proxy is trusted", () => {
    const headers = new Headers({ "forwarded": "for=192.0.2.9", "x-real-ip": "192.0.2.9" });
    assert.equal(read(headers, PROXY), PROXY);
    const trustsNobody = createClientAddressReader([]);
    assert.equal(trustsNobody(new Headers({ "x-forwarded-for": "192.0.2.9" }), PROXY), PROXY);
  });
});

/** Returns how many requests for a code succeed, each with its own header, before the network's limit of 20. */
async function codesGiven(
  trustedProxies: string,
  peer: string,
  forwarded: (index: number) => string,
): Promise<number> {
  await using app = await createTestApp({ rateLimits: "on", trustedProxies });
  let given = 0;
  for (let index = 0; index < 30; index++) {
    const { status } = await app.client(peer).post(
      "/api/auth/email-code",
      { email: `a${index}@example.com` },
      {
        headers: { "x-forwarded-for": forwarded(index) },
      },
    );
    if (status === 200) given++;
  }
  return given;
}

describe("limits count for the client's real address (T150, T152)", () => {
  test("a client that is not a trusted proxy cannot choose its network", async () => {
    assert.equal(await codesGiven("", "192.0.2.1", (index) => `198.51.100.${index}`), 20);
    assert.equal(await codesGiven("10.0.0.0/8", "192.0.2.1", (index) => `198.51.100.${index}`), 20);
  });

  test("nor can a client behind a trusted proxy", async () => {
    assert.equal(await codesGiven("10.0.0.0/8", PROXY, (index) => `198.51.100.${index}, 192.0.2.1`), 20);
    assert.equal(await codesGiven("10.0.0.0/8", PROXY, (index) => `10.0.0.${index}, 192.0.2.1`), 20);
    assert.equal(await codesGiven("10.0.0.0/8", PROXY, (index) => `192.0.2.${index}, nonsense`), 20);
  });

  test("an IPv6 client cannot evade within its /64", async () => {
    assert.equal(await codesGiven("10.0.0.0/8", PROXY, (index) => `2001:db8:1:2::${index}`), 20);
  });

  test("clients behind one proxy do not limit each other", async () => {
    assert.equal(await codesGiven("10.0.0.0/8", PROXY, (index) => `198.51.100.${index}`), 30);
  });
});

describe("a session names the network of", () => {
  /** Signs up through a peer that forwards the client's address. The outbox is read without it. */
  async function networkShown(peer: string, forwarded: string): Promise<string> {
    await using app = await createTestApp({ trustedProxies: "10.0.0.0/8" });
    const client = createClient(ORIGIN, (request) => {
      if (new URL(request.url).pathname === "/dev/outbox") {
        return app.app(request, { clientAddress: "127.0.0.1" });
      }
      request.headers.set("x-forwarded-for", forwarded);
      return app.app(request, { clientAddress: peer });
    });
    await signUp(client, "ada@example.com");
    return (await client.get("/api/auth/sessions")).body.sessions[0].network;
  }

  test("the client, not its proxy", async () => {
    assert.equal(await networkShown(PROXY, "127.0.0.1, 192.0.2.9"), "192.0.2.9");
    assert.equal(await networkShown(PROXY, "2001:db8:1:2:3::4"), "2001:db8:1:2::/64");
  });

  test("the peer, if it is not a trusted proxy", async () => {
    assert.equal(await networkShown("198.51.100.7", "192.0.2.9"), "198.51.100.7");
  });
});

describe("the origin is always that of BASE_URL (T150)", () => {
  test("cookies stay Secure and HSTS stays on when a header says http", async () => {
    await using app = await createTestApp({
      trustedProxies: "10.0.0.0/8",
      origin: "https://keys.example.org",
    });
    const headers = { "x-forwarded-proto": "http", "forwarded": "proto=http", "x-forwarded-ssl": "off" };
    for (const peer of ["192.0.2.1", PROXY]) {
      const path = "/api/auth/passkey/authentication/options";
      const answer = await app.client(peer).post(path, {}, { headers });
      assert.match(answer.headers.getSetCookie().join(), /; Secure/);
      assert.match(answer.headers.get("strict-transport-security") ?? "", /max-age=/);
    }
  });

  const LIES = {
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-forwarded-port": "8443",
    "forwarded": "for=192.0.2.1;host=evil.example;proto=https",
    "x-original-host": "evil.example",
  };
  for (const [who, peer] of [["a stranger", "192.0.2.1"], ["a trusted proxy", PROXY]] as const) {
    test(`whatever ${who} says of host and scheme: issuer, redirects, cookies`, async () => {
      await using app = await createTestApp({ trustedProxies: "10.0.0.0/8" });
      const client = app.client(peer);
      for (const headers of [LIES, { ...LIES, host: "evil.example" }]) {
        const metadata = await client.get("/.well-known/openid-configuration", { headers });
        assert.equal(metadata.body.issuer, "http://localhost:3000");
        assert.doesNotMatch(metadata.text, /evil|https:/);
        const page = await client.get("/account", { headers });
        assert.equal(page.headers.get("location"), "/sign-in?next=%2Faccount");
        const code = await client.post("/api/auth/email-code", { email: "ada@example.com" }, { headers });
        assert.doesNotMatch(code.headers.getSetCookie().join(), /Secure|__Host|evil/);
      }
      assert.doesNotMatch(JSON.stringify(await app.client().get("/dev/outbox")), /evil/);
    });
  }
});
