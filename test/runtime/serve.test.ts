import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { asStreamed } from "../../src/lib/stream.ts";
import { serve, SERVE_LIMITS } from "../../src/runtime/serve.ts";
import type { Handler, ServedRequest, ServeLimits, Server } from "../../src/runtime/server.ts";
import { exchange, requestText } from "../support/raw-client.ts";

/** Limits for tests. Bun ends a connection with less than five seconds within its next four, perhaps at once. */
const SHORT: ServeLimits = {
  headerSeconds: 2,
  requestSeconds: 4,
  exchangeSeconds: 3,
  keepAliveSeconds: 2,
  stopSeconds: 2,
};
/** Seconds for which the proxy of docs/how-to/reverse-proxy.md keeps an idle connection: Caddy's `keepalive`. */
const LONGEST_KEPT = 120;
/** Seconds by which Bun, which checks every four seconds, may end a connection early. */
const TICK = 4;
/** The longest time for a slow client. Bun's limit for headers is fixed at about 12 s. */
const CLOSE_TIMEOUT = 20_000;
const SLOW = { timeout: 40_000 };

/** Answers with what it received, including the body. */
async function echo(
  request: ServedRequest,
  { clientAddress }: { readonly clientAddress: string },
): Promise<Response> {
  const { method, headers } = request;
  const url = new URL(request.url);
  const body = new TextDecoder().decode(await request.arrayBuffer());
  return Response.json({
    method,
    path: url.pathname + url.search,
    host: headers.get("host"),
    cookie: headers.get("cookie"),
    forwarded: headers.get("x-forwarded-for"),
    size: body.length,
    clientAddress,
  });
}

function statusOf(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? "0");
}

function bodyOf(received: string): Record<string, unknown> {
  return JSON.parse(received.slice(received.indexOf("\r\n\r\n") + 4));
}

/** Sends one request on its own connection, which the server closes afterwards. */
async function ask(server: Server, method: string, target: string, headers: readonly string[], body = "") {
  const text = requestText(method, target, [...headers, "Connection: close"]) + body;
  return (await exchange(server.port, [text], { closeTimeout: CLOSE_TIMEOUT })).received;
}

test("a connection is kept longer than by proxies, so that no request is lost", () => {
  assert.ok(SERVE_LIMITS.keepAliveSeconds - TICK > LONGEST_KEPT);
});

/** Tests of what is left to the proxy in front of Deno's own server, with the reason. */
const LEFT_TO_PROXY: Readonly<Record<string, string>> = {
  "serve() joins two Host headers with a comma for the handler to refuse": "Deno answers 400 itself",
  "serve() closes before the handler when a bare LF ends its lines": "proxies send CRLF",
  "serve() closes before the handler when one header is larger than 16 KiB": "Deno's own limit is 64 KiB",
  "serve() closes a client that is silent, stops or drips, at each point of a request":
    "Deno cannot close one connection: late requests get 503, and the proxy closes",
  "serve() closes an idle connection while its request is handled":
    "the request gets 503, and the proxy closes",
  "serve() aborts a response that its client does not read":
    "Deno waits for its client: the proxy ends its own",
  "serve() closes a client that announced a body and sends none after its refusal":
    "the proxy has the response with Connection: close, and closes",
  "stop() aborts a request beyond its time limit": "the request gets 503",
};

type Body = () => Promise<void> | void;

const SERVERS = "Bun" in globalThis ? [false] : [false, true];

for (const isBehindProxy of SERVERS) {
  const skipped = new Set(isBehindProxy ? Object.keys(LEFT_TO_PROXY) : []);
  const check = (name: string, ...terms: [Body] | [typeof SLOW, Body]): void => {
    if (skipped.delete(name)) return;
    const [options, body] = terms.length === 1 ? [{}, terms[0]] : terms;
    test(name, options, body);
  };
  const withServer = async (
    handler: Handler,
    use: (server: Server) => Promise<void>,
    limits = SERVE_LIMITS,
  ): Promise<void> => {
    const server = await serve({ hostname: "127.0.0.1", port: 0, handler, limits, isBehindProxy });
    try {
      await use(server);
    } finally {
      await server.stop();
    }
  };

  describe(isBehindProxy ? "behind a proxy" : "in the open", () => {
    describe("serve() passes requests on unchanged", () => {
      check("serve() passes method, target, body and the client's address", async () => {
        await withServer(echo, async (server) => {
          const received = await ask(
            server,
            "POST",
            "/a/b?c=d%20e",
            ["Host: localhost", "Content-Length: 5"],
            "hello",
          );
          assert.equal(statusOf(received), 200);
          assert.deepEqual(bodyOf(received), {
            method: "POST",
            path: "/a/b?c=d%20e",
            host: "localhost",
            cookie: null,
            forwarded: null,
            size: 5,
            clientAddress: "127.0.0.1",
          });
        });
      });

      check("serve() joins two Host headers with a comma for the handler to refuse", async () => {
        await withServer(echo, async (server) => {
          const received = await ask(server, "GET", "/", ["Host: one", "Host: two"]);
          assert.equal(bodyOf(received).host, "one, two");
        });
      });

      check("serve() joins Cookie headers as one list", async () => {
        await withServer(echo, async (server) => {
          const received = await ask(server, "GET", "/", ["Host: a", "Cookie: a=1", "Cookie: a=2"]);
          assert.equal(bodyOf(received).cookie, "a=1; a=2");
        });
      });

      check(
        "serve() joins X-Forwarded-For headers in their order: the last is that of the nearest proxy",
        async () => {
          await withServer(echo, async (server) => {
            const headers = [
              "X-Forwarded-For: 192.0.2.1",
              "Host: a",
              "x-forwarded-for: 192.0.2.2, 192.0.2.3",
            ];
            const received = await ask(server, "GET", "/", [...headers, "X-FORWARDED-FOR: 192.0.2.4"]);
            assert.equal(bodyOf(received).forwarded, "192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4");
          });
        },
      );

      check("serve() passes TRACE to the handler", async () => {
        await withServer(echo, async (server) => {
          assert.equal(bodyOf(await ask(server, "TRACE", "/", ["Host: a"])).method, "TRACE");
        });
      });

      check("serve() reads an absolute-form target as its path", async () => {
        await withServer(echo, async (server) => {
          assert.equal(bodyOf(await ask(server, "GET", "http://evil.example/x?y", ["Host: a"])).path, "/x?y");
        });
      });

      check("serve() serves several requests on one connection", async () => {
        await withServer(echo, async (server) => {
          const text = requestText("GET", "/first") +
            requestText("GET", "/second", ["Host: a", "Connection: close"]);
          const { received } = await exchange(server.port, [text], { closeTimeout: CLOSE_TIMEOUT });
          assert.match(received, /"\/first".*"\/second"/s);
        });
      });
    });

    describe("serve() sends responses unchanged", () => {
      check("serve() keeps each Set-Cookie on its own line", async () => {
        const handler: Handler = () => {
          const headers = new Headers({ "content-type": "text/plain" });
          headers.append("set-cookie", "a=1; Path=/");
          headers.append("set-cookie", "b=2; Path=/");
          return Promise.resolve(new Response("x", { headers }));
        };
        await withServer(handler, async (server) => {
          const received = await ask(server, "GET", "/", ["Host: a"]);
          assert.match(received, /\r\nset-cookie: a=1; Path=\/\r\n/i);
          assert.match(received, /\r\nset-cookie: b=2; Path=\/\r\n/i);
        });
      });

      check("serve() sends no content with 204, and only its length to HEAD", async () => {
        const handler: Handler = ({ method }) =>
          Promise.resolve(
            method === "HEAD"
              ? new Response(null, { headers: { "content-length": "5", "x-answer": "yes" } })
              : new Response(null, { status: 204, headers: { "x-answer": "yes" } }),
          );
        await withServer(handler, async (server) => {
          const head = await ask(server, "HEAD", "/", ["Host: a"]);
          assert.match(head, /\r\nx-answer: yes\r\n/i);
          assert.match(head, /\r\ncontent-length: 5\r\n/i);
          assert.ok(head.endsWith("\r\n\r\n"));
          const none = await ask(server, "POST", "/", ["Host: a", "Content-Length: 0"]);
          assert.equal(statusOf(none), 204);
          assert.match(none, /\r\nx-answer: yes\r\n/i);
          assert.doesNotMatch(none, /content-length|transfer-encoding/i);
          assert.ok(none.endsWith("\r\n\r\n"));
        });
      });

      check("serve() announces the length of a complete body", async () => {
        await withServer(() => Promise.resolve(new Response("hello")), async (server) => {
          assert.match(await ask(server, "GET", "/", ["Host: a"]), /\r\ncontent-length: 5\r\n/i);
        });
      });

      check(
        "serve() sends short and long texts with their length in bytes, and each Set-Cookie of theirs",
        SLOW,
        async () => {
          for (const length of [0, 1, 10_000, 16_384, 20_000, 1_000_000]) {
            const text = JSON.stringify("é€".repeat(length));
            const headers = new Headers({ "content-type": "application/json" });
            for (const value of ["a=1", "b=2"]) headers.append("set-cookie", value);
            await withServer(
              () => Promise.resolve(new Response(text, { status: 201, headers })),
              async (server) => {
                const answer = await fetch(`http://127.0.0.1:${server.port}/`);
                assert.equal(answer.status, 201);
                assert.equal(
                  answer.headers.get("content-length"),
                  String(new TextEncoder().encode(text).length),
                );
                assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
                assert.equal(await answer.text(), text);
              },
            );
          }
        },
      );

      check(
        "serve() sends the pieces of an answer that is marked as streamed while it is made",
        SLOW,
        async () => {
          const { promise: isSeen, resolve: seen } = Promise.withResolvers<void>();
          const handler: Handler = () => {
            const body = new ReadableStream({
              async start(controller) {
                controller.enqueue(new TextEncoder().encode("[1"));
                controller.enqueue(new TextEncoder().encode(",2"));
                await isSeen;
                controller.enqueue(new TextEncoder().encode(",3]"));
                controller.close();
              },
            });
            const headers = { "content-type": "application/json" };
            return Promise.resolve(asStreamed(new Response(body, { headers })));
          };
          await withServer(handler, async (server) => {
            const answer = await fetch(`http://127.0.0.1:${server.port}/`);
            const reader = answer.body!.getReader();
            let text = new TextDecoder().decode((await reader.read()).value);
            assert.match(text, /^\[1/);
            seen();
            for (let next = await reader.read(); !next.done; next = await reader.read()) {
              text += new TextDecoder().decode(next.value);
            }
            assert.equal(text, "[1,2,3]");
          });
        },
      );

      check("serve() streams a long response completely to a slow reader", SLOW, async () => {
        const chunk = new Uint8Array(64 * 1024).fill(0x61);
        let sent = 0;
        const handler: Handler = () =>
          Promise.resolve(
            new Response(
              new ReadableStream({
                pull(controller) {
                  if (sent++ < 64) controller.enqueue(chunk);
                  else controller.close();
                },
              }),
            ),
          );
        await withServer(handler, async (server) => {
          const answer = await fetch(`http://127.0.0.1:${server.port}/`);
          let length = 0;
          for await (const piece of answer.body!) {
            length += piece.length;
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          assert.equal(length, 64 * chunk.length);
        });
      });

      check("serve() cancels a response's stream when its client disconnects", SLOW, async () => {
        let cancelled: () => void = () => {};
        const isCancelled = new Promise<void>((resolve) => cancelled = resolve);
        const handler: Handler = () =>
          Promise.resolve(
            new Response(
              new ReadableStream({
                async pull(controller) {
                  await new Promise((resolve) => setTimeout(resolve, 20));
                  controller.enqueue(new Uint8Array(1024));
                },
                cancel: () => cancelled(),
              }),
            ),
          );
        await withServer(handler, async (server) => {
          await exchange(server.port, [requestText("GET", "/")], { until: "\r\n\r\n" });
          await isCancelled;
        });
      });

      check("serve() sends Content-Length to a client of HTTP/1.0", SLOW, async () => {
        const handler: Handler = () => Promise.resolve(new Response("für Äpfel"));
        await withServer(handler, async (server) => {
          const text = "GET / HTTP/1.0\r\nHost: a\r\n\r\n";
          const { received } = await exchange(server.port, [text], {
            until: "pfel",
            closeTimeout: CLOSE_TIMEOUT,
          });
          assert.match(received, /^content-length: 11\r$/im);
        });
      });

      check("serve() reveals nothing of an error when a handler rejects", async () => {
        await withServer(() => Promise.reject(new Error("private words")), async (server) => {
          const received = await ask(server, "GET", "/", ["Host: a"]);
          assert.doesNotMatch(received, /private words|serve\.test/);
        });
      });
    });

    const REFUSED: readonly (readonly [name: string, text: string])[] = [
      ["a bare LF ends its lines", "GET / HTTP/1.1\nHost: a\n\n"],
      [
        "one header is larger than 16 KiB",
        requestText("GET", "/", ["Host: a", "X-Long: " + "a".repeat(17_000)]),
      ],
      [
        "Content-Length and Transfer-Encoding disagree",
        requestText("POST", "/", [
          "Host: a",
          "Content-Length: 3",
          "Transfer-Encoding: chunked",
        ]),
      ],
      [
        "two Content-Length differ",
        requestText("POST", "/", ["Host: a", "Content-Length: 3", "Content-Length: 4"]),
      ],
      ["a space stands before a colon", requestText("GET", "/", ["Host : a"])],
      ["a header is folded", requestText("GET", "/", ["Host: a", "X-Folded: a", " b"])],
      ["a header holds NUL", requestText("GET", "/", ["Host: a", "X-Nul: a\0b"])],
    ];

    describe("serve() refuses ambiguous framing", () => {
      for (const [name, text] of REFUSED) {
        check(`serve() closes before the handler when ${name}`, SLOW, async () => {
          let isCalled = false;
          const handler: Handler = () => {
            isCalled = true;
            return Promise.resolve(new Response());
          };
          await withServer(handler, async (server) => {
            const { received, closedBy } = await exchange(server.port, [text], {
              closeTimeout: CLOSE_TIMEOUT,
            });
            assert.equal(closedBy, "server");
            assert.ok(statusOf(received) >= 400, received);
            assert.equal(isCalled, false);
          });
        });
      }

      check(
        "serve() rejects a request without Host before the handler, or lets the handler refuse it",
        async () => {
          await withServer(echo, async (server) => {
            const received = await ask(server, "GET", "/", []);
            if (statusOf(received) === 200) assert.equal(bodyOf(received).host, null);
            else assert.equal(statusOf(received), 400);
          });
        },
      );
    });

    const HALF_BODY = requestText("POST", "/", ["Host: a", "Content-Length: 100"]);

    describe("serve() closes slow clients", () => {
      const cases: readonly (readonly [name: string, pieces: readonly string[], every: number])[] = [
        ["says nothing", [], 0],
        ["stops within its header", ["GET / HTTP/1.1\r\nHost"], 0],
        [
          "sends its header byte by byte",
          [..."GET / HTTP/1.1\r\nHost: a\r\nX-Slow: " + "a".repeat(200)],
          250,
        ],
        ["stops within its body", [HALF_BODY + "abc"], 0],
        ["sends its body byte by byte", [HALF_BODY, ..."a".repeat(90)], 250],
        ["stays idle after an answer", [requestText("GET", "/")], 0],
        ["stops within its second header", [requestText("GET", "/") + "GET /second HTTP/1.1\r\n"], 0],
      ];
      check(
        "serve() closes a client that is silent, stops or drips, at each point of a request",
        SLOW,
        async () => {
          await withServer(async (request, connection) => {
            try {
              return await echo(request, connection);
            } catch {
              return new Response(null, { status: 400 });
            }
          }, async (server) => {
            const endings = await Promise.all(cases.map(async ([name, pieces, every]) => {
              const { closedBy } = await exchange(server.port, pieces, {
                every,
                closeTimeout: CLOSE_TIMEOUT,
              });
              return [name, closedBy];
            }));
            assert.deepEqual(endings, cases.map(([name]) => [name, "server"]));
          }, SHORT);
        },
      );

      check("serve() closes an idle connection while its request is handled", SLOW, async () => {
        await withServer(() => new Promise(() => {}), async (server) => {
          const { received, closedBy } = await exchange(server.port, [requestText("GET", "/")], {
            closeTimeout: CLOSE_TIMEOUT,
          });
          assert.equal(closedBy, "server");
          assert.equal(received, "");
        }, SHORT);
      });

      check("serve() waits for a client that reads a long response slowly", SLOW, async () => {
        const text = "a".repeat(32 * 1024 * 1024);
        const handler: Handler = () =>
          Promise.resolve(new Response(text, { headers: { "content-type": "text/plain" } }));
        await withServer(handler, async (server) => {
          const socket = connect(server.port, "127.0.0.1");
          socket.write(requestText("GET", "/", ["Host: a", "Connection: close"]));
          await once(socket, "data");
          // The kernel buffered megabytes. While they are read, the server sees no progress. node:http checks twice.
          socket.pause();
          await new Promise((resolve) => setTimeout(resolve, 16_000));
          let received = 0;
          socket.on("data", ({ length }: Uint8Array) => received += length);
          socket.resume();
          await once(socket, "close");
          assert.ok(received > 31 * 1024 * 1024, `${received} bytes`);
        }, { ...SERVE_LIMITS, exchangeSeconds: 6, keepAliveSeconds: 60 });
      });

      check("serve() aborts a response that its client does not read", SLOW, async () => {
        const { promise: isCancelled, resolve: cancelled } = Promise.withResolvers<void>();
        const endless: Handler = () => {
          const pull = (controller: ReadableStreamDefaultController) =>
            controller.enqueue(new Uint8Array(64 * 1024));
          return Promise.resolve(new Response(new ReadableStream({ pull, cancel: () => cancelled() })));
        };
        await withServer(endless, async (server) => {
          const socket = connect(server.port, "127.0.0.1").pause();
          socket.on("error", () => {});
          socket.write(requestText("GET", "/"));
          await isCancelled;
          socket.destroy();
        }, SHORT);
      });

      check("serve() serves others while many connections are half open", SLOW, async () => {
        await withServer(echo, async (server) => {
          const sockets = Array.from({ length: 200 }, () => connect(server.port, "127.0.0.1"));
          await Promise.all(
            sockets.map((socket) =>
              new Promise((resolve) => socket.on("connect", () => socket.write("GET / HTT", resolve)))
            ),
          );
          assert.equal(statusOf(await ask(server, "GET", "/", ["Host: a"])), 200);
          sockets.forEach((socket) => socket.destroy());
        });
      });
    });

    describe("serve() survives bodies that are not read", () => {
      const refuse: Handler = () => Promise.resolve(new Response("too large", { status: 413 }));

      check(
        "serve() lets few requests of one connection wait, and ends it past them, while others are served",
        SLOW,
        async () => {
          const { promise: released, resolve: release } = Promise.withResolvers<void>();
          let handled = 0;
          const slow: Handler = async (request) => {
            if (request.url.endsWith("/live")) return new Response("alive");
            handled++;
            await released;
            return new Response("x".repeat(1000));
          };
          await withServer(slow, async (server) => {
            const floods = [1, 2].map(() =>
              exchange(server.port, [requestText("GET", "/").repeat(5000)], { closeTimeout: 1500 })
            );
            for (let round = 0; round < 5; round++) {
              const alive = await exchange(server.port, [requestText("GET", "/live")], { until: "alive" });
              assert.match(alive.received, /alive/);
            }
            await Promise.all(floods);
            assert.ok(handled <= 32, `${handled} of two connections wait`);
            release();
          });
        },
      );

      check("serve() answers pipelined requests in their order, repeatedly", async () => {
        const echoPath: Handler = (request) =>
          Promise.resolve(new Response(`<${new URL(request.url).pathname}>`));
        await withServer(echoPath, async (server) => {
          const names = Array.from({ length: 40 }, (_, index) => `/${index}`);
          const pieces = Array.from(
            { length: 10 },
            (_, round) =>
              names.slice(round * 4, round * 4 + 4).map((name) => requestText("GET", name)).join(""),
          );
          const { received } = await exchange(server.port, pieces, { every: 50, until: "</39>" });
          assert.deepEqual(received.match(/<.*?>/g), names.map((name) => `<${name}>`));
        });
      });

      check(
        "serve() answers before a body of 64 MiB is complete, and accepts the next connection",
        SLOW,
        async () => {
          await withServer(refuse, async (server) => {
            const length = 64 * 1024 * 1024;
            const head = requestText("POST", "/", ["Host: a", `Content-Length: ${length}`]);
            const { received } = await exchange(server.port, [head, new Uint8Array(length)], {
              until: "too large",
              closeTimeout: CLOSE_TIMEOUT,
            });
            assert.equal(statusOf(received), 413);
            assert.equal(statusOf(await ask(server, "GET", "/", ["Host: a"])), 413);
          });
        },
      );

      check(
        "serve() closes a client that announced a body and sends none after its refusal",
        SLOW,
        async () => {
          await withServer(refuse, async (server) => {
            const head = requestText("POST", "/", ["Host: a", "Content-Length: 1000000"]);
            const { received, closedBy } = await exchange(server.port, [head], {
              closeTimeout: CLOSE_TIMEOUT,
            });
            assert.equal(statusOf(received), 413);
            assert.equal(closedBy, "server");
          }, SHORT);
        },
      );
    });

    describe("stop()", () => {
      check(
        "stop() finishes the request in flight, refuses new connections, then resolves",
        SLOW,
        async () => {
          let arrived: () => void = () => {};
          let release: () => void = () => {};
          const isArrived = new Promise<void>((resolve) => arrived = resolve);
          const isReleased = new Promise<void>((resolve) => release = resolve);
          const server = await serve({
            hostname: "127.0.0.1",
            port: 0,
            isBehindProxy,
            handler: async () => {
              arrived();
              await isReleased;
              return new Response("finished");
            },
          });
          const inFlight = exchange(server.port, [requestText("GET", "/")], {
            until: "finished",
            closeTimeout: CLOSE_TIMEOUT,
          });
          await isArrived;
          const isStopped = server.stop();
          const refused = await exchange(server.port, [requestText("GET", "/")], { closeTimeout: 1000 });
          assert.equal(refused.received, "");
          release();
          assert.equal(statusOf((await inFlight).received), 200);
          await isStopped;
        },
      );

      check("stop() closes idle connections without waiting for them", SLOW, async () => {
        const server = await serve({ hostname: "127.0.0.1", port: 0, handler: echo, isBehindProxy });
        const idle = exchange(server.port, [requestText("GET", "/")], { closeTimeout: CLOSE_TIMEOUT });
        await new Promise((resolve) => setTimeout(resolve, 200));
        await server.stop();
        assert.equal((await idle).closedBy, "server");
      });

      check("stop() does not wait for connections on which nothing was ever sent", SLOW, async () => {
        const limits = { ...SERVE_LIMITS, headerSeconds: 60, requestSeconds: 60, stopSeconds: 60 };
        const server = await serve({ hostname: "127.0.0.1", port: 0, handler: echo, limits });
        const silent = connect(server.port, "127.0.0.1");
        await once(silent, "connect");
        // The server accepted it before this request.
        assert.equal(statusOf(await ask(server, "GET", "/", ["Host: a"])), 200);
        await server.stop();
        silent.destroy();
      });

      check("stop() aborts a request beyond its time limit", SLOW, async () => {
        let arrived: () => void = () => {};
        const isArrived = new Promise<void>((resolve) => arrived = resolve);
        const handler: Handler = () => {
          arrived();
          return new Promise(() => {});
        };
        const limits = { ...SERVE_LIMITS, stopSeconds: 2 };
        const server = await serve({ hostname: "127.0.0.1", port: 0, handler, limits, isBehindProxy });
        const inFlight = exchange(server.port, [requestText("GET", "/")], { closeTimeout: CLOSE_TIMEOUT });
        await isArrived;
        await server.stop();
        assert.deepEqual(await inFlight, { received: "", closedBy: "server" });
      });

      check("stop() may be called twice", async () => {
        const server = await serve({ hostname: "127.0.0.1", port: 0, handler: echo, isBehindProxy });
        await Promise.all([server.stop(), server.stop()]);
        await server.stop();
      });
    });

    check("serve() rejects with EADDRINUSE when the port is taken", async () => {
      await withServer(echo, async (server) => {
        const second = (async () =>
          await serve({ hostname: "127.0.0.1", port: server.port, handler: echo, isBehindProxy }))();
        await assert.rejects(second, { code: "EADDRINUSE" });
      });
    });

    check("LEFT_TO_PROXY names tests", () => {
      assert.deepEqual([...skipped], []);
    });
  });
}
