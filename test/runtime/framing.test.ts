import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { serve } from "../../src/runtime/serve.ts";
import type { Handler, Server } from "../../src/runtime/server.ts";
import { exchange, requestText } from "../support/raw-client.ts";

const statusesIn = (received: string): readonly string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status!);

const CHUNKS = "2\r\n{}\r\n0\r\n\r\n";
const NEXT = requestText("GET", "/next", ["Host: a", "Connection: close"]);

/** Returns a POST without a length, of that version, with these header lines. */
const post = (version: string, ...lines: readonly string[]): string =>
  requestText("POST", "/first", ["Host: a", ...lines]).replace("HTTP/1.1", version);

const REFUSED: Readonly<Record<string, string>> = {
  "chunks in HTTP/1.0, which know none": post("HTTP/1.0", "Transfer-Encoding: chunked") + CHUNKS,
  "chunks in HTTP/1.0 on a connection that is kept":
    post("HTTP/1.0", "Transfer-Encoding: chunked", "Connection: keep-alive") + CHUNKS,
  "an empty coding": post("HTTP/1.1", "Transfer-Encoding: "),
  "an empty coding beside a length": post("HTTP/1.1", "Transfer-Encoding: ", "Content-Length: 2") + "{}",
  "a coding that is not decoded": post("HTTP/1.1", "Transfer-Encoding: gzip, chunked") + CHUNKS,
  "an unknown coding": post("HTTP/1.1", "Transfer-Encoding: xchunked") + CHUNKS,
  "chunks twice": post("HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + CHUNKS,
  "HTTP/2.0 in the words of HTTP/1": post("HTTP/2.0", "Content-Length: 2") + "{}",
  "HTTP/0.9": "GET /first\r\nHost: a\r\n\r\n",
};

/** Tests of what Deno's own server does otherwise behind a proxy, with the reason. */
const LEFT_TO_PROXY: Readonly<Record<string, string>> = {
  "is refused before the handler, and nothing after it is read: a coding that is not decoded":
    "Deno decodes the chunks and reads on after Connection: close; the proxy closes",
  "is refused after the responses to earlier requests": "it sends the same coding",
  "a malformed chunk": "Deno closes without an answer",
};

const SERVERS = "Bun" in globalThis ? [false] : [false, true];

for (const isBehindProxy of SERVERS) {
  const skipped = new Set(isBehindProxy ? Object.keys(LEFT_TO_PROXY) : []);
  const check = (name: string, body: () => Promise<void> | void): void => {
    if (!skipped.delete(name)) test(name, body);
  };

  /** Starts a server that records the paths its handler receives. */
  const withPaths = async (
    use: (server: Server, paths: readonly string[]) => Promise<void>,
    answer: Handler = ({ url }) => Promise.resolve(new Response(`<${new URL(url).pathname}>`)),
  ): Promise<void> => {
    const paths: string[] = [];
    const handler: Handler = (request, connection) => {
      paths.push(new URL(request.url).pathname);
      return answer(request, connection);
    };
    const server = await serve({ hostname: "127.0.0.1", port: 0, handler, isBehindProxy });
    try {
      await use(server, paths);
    } finally {
      await server.stop();
    }
  };

  describe(isBehindProxy ? "behind a proxy" : "in the open", () => {
    describe("a request with ambiguous framing", () => {
      for (const [name, text] of Object.entries(REFUSED)) {
        check(`is refused before the handler, and nothing after it is read: ${name}`, async () => {
          await withPaths(async (server, paths) => {
            const { received, closedBy } = await exchange(server.port, [text + NEXT]);
            assert.deepEqual([statusesIn(received).length, closedBy, paths], [1, "server", []], received);
            assert.match(received, /^HTTP\/1\.1 (400|505) /);
          });
        });
      }

      check("is refused after the responses to earlier requests", async () => {
        await withPaths(async (server, paths) => {
          const text = requestText("POST", "/good") + REFUSED["a coding that is not decoded"]!;
          const { received } = await exchange(server.port, [text + NEXT]);
          assert.deepEqual([statusesIn(received), paths], [["200", "400"], ["/good"]]);
        });
      });
    });

    check("no header line is dropped: a request with very many has its last one, or is refused", async () => {
      const hosts: (string | null)[] = [];
      await withPaths(async (server) => {
        const lines = Array.from({ length: 2100 }, () => "a:");
        const text = requestText("GET", "/", ["Host: one", "Connection: close", ...lines, "Host: two"]);
        const { received } = await exchange(server.port, [text]);
        if (!/^HTTP\/1\.1 4(00|31) /.test(received)) assert.deepEqual(hosts, ["one, two"]);
      }, ({ headers }) => {
        hosts.push(headers.get("host"));
        return Promise.resolve(new Response());
      });
    });

    describe("a complete request is answered, whatever follows it", () => {
      const readAndAnswer: Handler = async (request) => {
        await request.arrayBuffer();
        return new Response(`<${new URL(request.url).pathname}>`);
      };
      const CASES: Readonly<Record<string, readonly [behind: string, statuses: readonly string[]]>> = {
        "what is no request": ["no request\r\n\r\n", ["200", "200", "400"]],
        "a malformed header": ["GET / HTTP/1.1\r\nHost : a\r\n\r\n", ["200", "200", "400"]],
        "a malformed chunk": [post("HTTP/1.1", "Transfer-Encoding: chunked") + "zz\r\n", [
          "200",
          "200",
          "400",
        ]],
      };
      for (const [name, [behind, statuses]] of Object.entries(CASES)) {
        check(name, async () => {
          await withPaths(async (server, paths) => {
            const text = requestText("POST", "/one") + requestText("POST", "/two") + behind;
            const { received, closedBy } = await exchange(server.port, [text]);
            assert.deepEqual([statusesIn(received), closedBy], [statuses, "server"]);
            assert.deepEqual(paths.slice(0, 2), ["/one", "/two"]);
          }, readAndAnswer);
        });
      }

      check("more requests than the connection allows", async () => {
        await withPaths(async (server, paths) => {
          const text = requestText("POST", "/one", ["Host: a", "Connection: close"]) + "x" + NEXT;
          const { received } = await exchange(server.port, [text]);
          assert.deepEqual([statusesIn(received), paths], [["200"], ["/one"]]);
        }, readAndAnswer);
      });
    });

    check("requests of one connection are handled one after the other", async () => {
      const log: string[] = [];
      await withPaths(async (server) => {
        const body = ["Host: a", "Content-Length: 5"];
        const text = ["/one", "/two", "/three"].map((path) => requestText("POST", path, body) + "hello").join(
          "",
        );
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

    check("a request whose client disconnected before its turn is not handled", async () => {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await withPaths(async (server, paths) => {
        const leaving = connect(server.port, "127.0.0.1");
        leaving.write(requestText("POST", "/one") + requestText("POST", "/two"));
        await begun;
        leaving.destroy();
        await once(leaving, "close");
        // The server has seen the earlier bytes by the time it answers the second request.
        const look = async (): Promise<void> => {
          for (let times = 0; times < 2; times++) await exchange(server.port, [NEXT]);
        };
        await look();
        release();
        await look();
        assert.deepEqual(paths.filter((path) => path !== "/next"), ["/one"]);
      }, async ({ url }) => {
        begin();
        if (!url.endsWith("/next")) await released;
        return new Response("done");
      });
    });

    check("LEFT_TO_PROXY names tests", () => {
      assert.deepEqual([...skipped], []);
    });
  });
}
