import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chooseServer, serve, SERVE_LIMITS } from "../../src/runtime/serve.ts";
import type { Handler, Server } from "../../src/runtime/server.ts";
import { exchange, requestText } from "../support/raw-client.ts";

// The differences from node:http. The battery that both pass is in serve.test.ts.

const ON_BUN = "Bun" in globalThis;
const ON_DENO = { skip: ON_BUN, timeout: 40_000 };
const LIMITS = { ...SERVE_LIMITS, requestSeconds: 2, stopSeconds: 2 };

async function withServer(handler: Handler, use: (server: Server) => Promise<void>, hostname = "127.0.0.1") {
  const server = await serve({ hostname, port: 0, handler, limits: LIMITS, isBehindProxy: true });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

const post = (...headers: readonly string[]): string => requestText("POST", "/", ["Host: a", ...headers]);

/** Sends the text, and returns what came until the end of the first header. */
async function ask(server: Server, text: string): Promise<string> {
  return (await exchange(server.port, [text], { until: "\r\n\r\n" })).received;
}

test("chooseServer() takes Deno's own only behind a proxy, with a port of its own", () => {
  const [own, portable] = ON_BUN ? ["Bun.serve", "Bun.serve"] : ["Deno.serve", "node:http"];
  assert.equal(chooseServer({ isBehindProxy: true }), own);
  assert.equal(chooseServer({ isBehindProxy: true, isPortShared: true }), portable);
  assert.equal(chooseServer({}), portable);
});

describe("behind a proxy, a late request gets 503 and Connection: close", () => {
  test("whose handler does not answer", ON_DENO, async () => {
    await withServer(() => new Promise(() => {}), async (server) => {
      assert.match(await ask(server, requestText("GET", "/")), /^HTTP\/1\.1 503 .*^connection: close\r$/ims);
    });
  });

  for (const framing of ["Content-Length: 4", "Transfer-Encoding: chunked"]) {
    test(`unless the handler answers that its body is late (${framing})`, ON_DENO, async () => {
      const isChunked = framing.endsWith("chunked");
      const handler: Handler = async (request) => {
        try {
          if (isChunked) { for await (const _ of request.body!); }
          else await request.arrayBuffer();
          return new Response("read");
        } catch {
          return new Response("late", { status: 400 });
        }
      };
      await withServer(handler, async (server) => {
        const text = post(framing) + (isChunked ? "2\r\nab\r\n" : "ab");
        assert.match(await ask(server, text), /^HTTP\/1\.1 400 .*^connection: close\r$/ims);
      });
    });
  }

  test("that is pending when the server stops", ON_DENO, async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const handler: Handler = () => {
      arrive();
      return new Promise(() => {});
    };
    const limits = { ...SERVE_LIMITS, stopSeconds: 1 };
    const server = await serve({ hostname: "127.0.0.1", port: 0, handler, limits, isBehindProxy: true });
    const answer = ask(server, requestText("GET", "/"));
    await arrived;
    await server.stop();
    assert.match(await answer, /^HTTP\/1\.1 503 /);
  });
});

describe("behind a proxy", () => {
  const reached: Handler = ({ url, headers }, { clientAddress }) =>
    Promise.resolve(Response.json({ url, host: headers.get("host"), clientAddress }));

  test("a coding that Deno does not decode is refused", ON_DENO, async () => {
    await withServer(reached, async (server) => {
      for (const coding of ["gzip, chunked", "xchunked"]) {
        assert.match(
          await ask(server, post(`Transfer-Encoding: ${coding}`) + "0\r\n\r\n"),
          /^HTTP\/1\.1 400 /,
        );
      }
    });
  });

  test("two Host lines, 129 header lines and 64 KiB of header are refused", ON_DENO, async () => {
    await withServer(reached, async (server) => {
      const lines = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: a`);
      for (const headers of [["Host: b"], lines(129), [`x: ${"a".repeat(65_536)}`]]) {
        assert.match(await ask(server, post(...headers)), /^HTTP\/1\.1 400 /);
      }
    });
  });

  test("dots and percent-encodings of a target stay as sent", ON_DENO, async () => {
    await withServer(reached, async (server) => {
      const text = requestText("GET", "/a/../b%2e/%2e?c=%20", ["Host: a", "Connection: close"]);
      const { received } = await exchange(server.port, [text]);
      assert.match(received, /"url":"http:\/\/a\/a\/\.\.\/b%2e\/%2e\?c=%20"/);
    });
  });

  test("the client's address is right over IPv6", ON_DENO, async () => {
    await withServer(reached, async ({ port }) => {
      const answer = await fetch(`http://[::1]:${port}/`);
      assert.equal((await answer.json()).clientAddress, "::1");
    }, "::1");
  });
});
