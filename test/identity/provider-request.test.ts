import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { IdentityError } from "../../src/identity/error.ts";
import type { IdentityFault } from "../../src/identity/error.ts";
import { fetchJson, openProviderConnection, SIZE_LIMIT } from "../../src/identity/provider-request.ts";
import type { JsonRequest } from "../../src/identity/provider-request.ts";
import { TIME_LIMIT } from "../../src/lib/outgoing.ts";
import { sendRequest } from "../../src/runtime/send-request.ts";

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly requests: string[];
}

/** Starts a provider on a real socket that handles each request with `answer`. */
async function serve(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<Server> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(response, request);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const lookup = (): Promise<readonly string[]> => Promise.resolve([]);
const mayBePrivate = (): boolean => true;

/** Milliseconds: longer than any test takes. */
const NO_LIMIT = 600_000;

function ask(url: string, { timeLimit = NO_LIMIT, ...question }: JsonRequest & { timeLimit?: number } = {}) {
  return fetchJson(
    { ...openProviderConnection({ fetch: sendRequest, lookup, timeLimit }, { now: 0 }), mayBePrivate },
    url,
    question,
  );
}

function fault(code: IdentityFault): (error: unknown) => boolean {
  return (error) => error instanceof IdentityError && error.code === code;
}

const JSON_HEAD = { "content-type": "application/json" };

/** Writes spaces until the connection closes or 300 MB are sent. Counts the bytes. */
function flood(response: ServerResponse, sent: { bytes: number }): void {
  const piece = new Uint8Array(1 << 16).fill(32);
  const more = (): void => {
    while (sent.bytes < 300_000_000) {
      if (response.destroyed) return;
      sent.bytes += piece.length;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  response.on("error", () => {});
  more();
}

describe("fetchJson() over sockets", () => {
  test("returns parsed JSON, and sends only the given headers", async () => {
    let headers: IncomingMessage["headers"] = {};
    await using server = await serve((response, request) => {
      headers = request.headers;
      response.writeHead(200, { "content-type": "application/jwk-set+json; charset=utf-8" }).end('{"a":1}');
    });
    assert.deepEqual(await ask(server.url, { headers: { authorization: "Bearer x" } }), { a: 1 });
    assert.equal(headers["accept"], "application/json");
    assert.equal(headers["user-agent"], "holdfast");
    assert.equal(headers["authorization"], "Bearer x");
    assert.equal(headers["cookie"], undefined);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    test(`does not follow a redirect with ${status}, even an endless one to itself`, async () => {
      await using server = await serve((response) => {
        response.writeHead(status, { ...JSON_HEAD, location: "/" }).end("{}");
      });
      await assert.rejects(ask(server.url), fault("answer_status"));
      assert.equal(server.requests.length, 1);
    });
  }

  for (const status of [201, 204, 206, 400, 404, 429, 500, 503]) {
    test(`refuses status ${status}`, async () => {
      await using server = await serve((response) => {
        response.writeHead(status, JSON_HEAD).end(status === 204 ? undefined : "{}");
      });
      await assert.rejects(ask(server.url), fault("answer_status"));
    });
  }

  for (
    const type of [
      "text/html",
      "text/json",
      "application/jwt",
      "application/jsonp",
      "text/plain, application/json",
    ]
  ) {
    test(`refuses a response of type ${type}`, async () => {
      await using server = await serve((response) => {
        response.writeHead(200, { "content-type": type }).end("{}");
      });
      await assert.rejects(ask(server.url), fault("answer_type"));
    });
  }

  test(
    "aborts a response of 300 MB early, with and without Content-Length",
    { timeout: 30_000 },
    async () => {
      for (const head of [JSON_HEAD, { ...JSON_HEAD, "content-length": "300000000" }]) {
        const sent = { bytes: 0 };
        await using server = await serve((response) => {
          response.writeHead(200, head);
          flood(response, sent);
        });
        await assert.rejects(ask(server.url), fault("too_large"));
        assert.ok(sent.bytes < 100_000_000, `${sent.bytes} bytes were taken`);
      }
    },
  );

  test("refuses a compressed response, which it did not request", async () => {
    const bomb = gzipSync(new Uint8Array(32 * SIZE_LIMIT).fill(32));
    await using server = await serve((response) => {
      response.writeHead(200, { ...JSON_HEAD, "content-encoding": "gzip" }).end(bomb);
    });
    await assert.rejects(ask(server.url), fault("unreachable"));
  });

  test("connects to no private host, unless the connection allows it", async () => {
    await using server = await serve((response) => void response.writeHead(200, JSON_HEAD).end("{}"));
    const connection = openProviderConnection({ fetch: sendRequest, lookup, timeLimit: NO_LIMIT }, {
      now: 0,
    });
    const { port } = new URL(server.url);
    for (const host of ["127.0.0.1", "localhost", "localhost.", "a.localhost."]) {
      await assert.rejects(fetchJson(connection, `http://${host}:${port}/`), fault("metadata_host"));
    }
    await assert.rejects(fetchJson(connection, `http://nowhere.example:${port}/`), fault("unreachable"));
    assert.deepEqual(server.requests, []);
    assert.deepEqual(await ask(`http://a.localhost.:${port}/`), {});
  });

  test("times out for a provider that sends nothing, or an incomplete response", async () => {
    await using silent = await serve(() => {});
    await assert.rejects(ask(silent.url, { timeLimit: 50 }), fault("too_slow"));
    await using halting = await serve((response) => void response.writeHead(200, JSON_HEAD).write('{"a":'));
    await assert.rejects(ask(halting.url, { timeLimit: 50 }), fault("too_slow"));
    await using dripping = await serve((response) => {
      response.writeHead(200, JSON_HEAD);
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    });
    await assert.rejects(ask(dripping.url, { timeLimit: 100 }), fault("too_slow"));
  });

  test("has one time limit for all requests of a connection", async () => {
    await using server = await serve((response) => void response.writeHead(200, JSON_HEAD).end("{}"));
    const ends = new AbortController();
    const connection = {
      ...openProviderConnection({ fetch: sendRequest, lookup, timeLimit: NO_LIMIT }, { now: 0 }),
      mayBePrivate,
      signal: ends.signal,
    };
    await fetchJson(connection, server.url);
    ends.abort();
    await assert.rejects(fetchJson(connection, server.url), fault("too_slow"));
    const late = {
      ...openProviderConnection({ fetch: sendRequest, lookup, timeLimit: 20 }, { now: 0 }),
      mayBePrivate,
    };
    await once(late.signal, "abort");
    await assert.rejects(fetchJson(late, server.url), fault("too_slow"));
    assert.equal(server.requests.length, 1);
    assert.equal(TIME_LIMIT, 10_000);
  });

  test("reports unreachable when no server listens or the connection breaks", async () => {
    const gone = await serve(() => {});
    await gone[Symbol.asyncDispose]();
    await assert.rejects(ask(gone.url), fault("unreachable"));
    await using breaking = await serve((response) => response.destroy());
    await assert.rejects(ask(breaking.url), fault("unreachable"));
    await using half = await serve((response) => {
      response.writeHead(200, { ...JSON_HEAD, "content-length": "100" }).write("{", () => response.destroy());
    });
    await assert.rejects(ask(half.url), (error) => error instanceof IdentityError);
  });
});
