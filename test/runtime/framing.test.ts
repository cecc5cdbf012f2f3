import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serve } from "../../src/runtime/serve.ts";
import type { Handler, Server } from "../../src/runtime/server.ts";
import { exchange, requestText } from "../support/raw-client.ts";

/** A server, and the paths of the requests that its handler was given. */
async function withPaths(
  use: (server: Server, paths: readonly string[]) => Promise<void>,
  answer: Handler = ({ url }) => Promise.resolve(new Response(`<${new URL(url).pathname}>`)),
): Promise<void> {
  const paths: string[] = [];
  const handler: Handler = (request, connection) => {
    paths.push(new URL(request.url).pathname);
    return answer(request, connection);
  };
  const server = await serve({ hostname: "127.0.0.1", port: 0, handler });
  try {
    await use(server, paths);
  } finally {
    await server.stop();
  }
}

const statusesIn = (received: string): readonly string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status!);

const NEXT = requestText("GET", "/next", ["Host: a", "Connection: close"]);

/** A POST without a length, in that version, with these header lines. */
const post = (version: string, ...lines: readonly string[]): string =>
  requestText("POST", "/first", ["Host: a", ...lines]).replace("HTTP/1.1", version);

describe("what comes behind a whole request does not take its answer away", () => {
  const readAndAnswer: Handler = async (request) => {
    await request.arrayBuffer();
    return new Response(`<${new URL(request.url).pathname}>`);
  };
  const CASES: Readonly<Record<string, readonly [behind: string, statuses: readonly string[]]>> = {
    "what is no request": ["no request\r\n\r\n", ["200", "200", "400"]],
    "a malformed header": ["GET / HTTP/1.1\r\nHost : a\r\n\r\n", ["200", "200", "400"]],
    "a malformed chunk": [post("HTTP/1.1", "Transfer-Encoding: chunked") + "zz\r\n", ["200", "200", "400"]],
  };
  for (const [name, [behind, statuses]] of Object.entries(CASES)) {
    test(name, async () => {
      await withPaths(async (server, paths) => {
        const text = requestText("POST", "/one") + requestText("POST", "/two") + behind;
        const { received, closedBy } = await exchange(server.port, [text]);
        assert.deepEqual([statusesIn(received), closedBy], [statuses, "server"]);
        assert.deepEqual(paths.slice(0, 2), ["/one", "/two"]);
      }, readAndAnswer);
    });
  }

  test("more than its connection was to carry", async () => {
    await withPaths(async (server, paths) => {
      const text = requestText("POST", "/one", ["Host: a", "Connection: close"]) + "x" + NEXT;
      const { received } = await exchange(server.port, [text]);
      assert.deepEqual([statusesIn(received), paths], [["200"], ["/one"]]);
    }, readAndAnswer);
  });
});

test("requests of one connection are carried out one after the other", async () => {
  const log: string[] = [];
  await withPaths(async (server) => {
    const body = ["Host: a", "Content-Length: 5"];
    const text = ["/one", "/two", "/three"].map((path) => requestText("POST", path, body) + "hello").join("");
    await exchange(server.port, [text + NEXT]);
    const names = ["/one", "/two", "/three", "/next"];
    assert.deepEqual(log, names.flatMap((name) => [`${name} begins`, `${name} ends`]));
  }, async (request) => {
    const { pathname } = new URL(request.url);
    log.push(`${pathname} begins`);
    await request.arrayBuffer();
    log.push(`${pathname} ends`);
    return new Response("done");
  });
});

test("a request whose client has left before its turn is not carried out", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await withPaths(async (server, paths) => {
    const text = requestText("POST", "/one") + requestText("POST", "/two");
    await exchange(server.port, [text], { patience: 200 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    release();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(paths, ["/one"]);
  }, async () => {
    await released;
    return new Response("done");
  });
});
