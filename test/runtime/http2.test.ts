import assert from "node:assert/strict";
import { connect, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { after, before, describe, test } from "node:test";
import { BODY_LIMIT } from "../../src/http/request/body.ts";
import { runtimes } from "../support/program.ts";
import { builtRuntime, type Service, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

// Deno's own server also speaks HTTP/2 without TLS, and has no option against it. Behind a proxy the service on Deno
// keeps its limits then too. The client is Bun's: Deno's crashed in a process with its server (seen in 2.9.5).

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The code of the frame that reset the stream (RFC 9113 section 7). */
  readonly error: number | undefined;
}

/** Sends a request on a connection of its own. Returns what came until the response or the stream ended. */
function ask(origin: string, headers: OutgoingHttpHeaders, body?: Uint8Array): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const session = connect(origin);
  const stream = session.request(headers);
  let received: IncomingHttpHeaders = {};
  let text = "";
  const finish = (): void => {
    session.destroy();
    resolve({
      status: received[":status"] as number | undefined,
      headers: received,
      text,
      error: stream.rstCode,
    });
  };
  session.on("error", finish);
  stream.on("response", (found) => received = found);
  stream.on("data", (bytes: Uint8Array) => text += new TextDecoder().decode(bytes));
  stream.on("error", finish).on("end", finish).on("close", finish);
  stream.end(body);
  return promise;
}

const FORM = "application/x-www-form-urlencoded";
const SKIP = !("Bun" in globalThis) || runtimes()["deno"] === undefined;

describe("HTTP/2 without TLS behind a proxy on Deno", { skip: SKIP, timeout: 60_000 }, () => {
  const folder = temporaryFolder();
  let service: Service;
  const host = (): string => new URL(service.baseUrl).host;

  before(async () => {
    const env = { HOST: "127.0.0.1", TRUSTED_PROXIES: "127.0.0.1" };
    service = await startService({ runtime: builtRuntime("deno"), dataDir: folder.path, env });
  });
  after(async () => {
    await service.kill();
    folder[Symbol.dispose]();
  });

  const get = (headers: OutgoingHttpHeaders): Promise<Answer> =>
    ask(service.baseUrl, { ":path": "/readyz", ...headers });
  const post = (length: number, headers: OutgoingHttpHeaders = {}): Promise<Answer> => {
    const own = { ":method": "POST", ":path": "/api/auth/oauth2/token", host: host(), "content-type": FORM };
    return ask(service.baseUrl, { ...own, ...headers }, new Uint8Array(length).fill(0x61));
  };

  test("a request with Host is answered by the service, and one without Host is refused by it", async () => {
    const { status, headers } = await get({ host: host() });
    assert.deepEqual([status, headers["x-content-type-options"]], [200, "nosniff"]);
    const refused = await get({});
    assert.deepEqual([refused.status, JSON.parse(refused.text).code], [400, "invalid_request"]);
  });

  test("a body over the limit gets 413, with and without its length", async () => {
    for (const length of [BODY_LIMIT + 1, 4 * BODY_LIMIT]) {
      for (const headers of [{}, { "content-length": length }]) {
        const { status } = await post(length, headers);
        assert.equal(status, 413, `${length} ${JSON.stringify(headers)}`);
      }
    }
    assert.equal((await post(BODY_LIMIT)).status, 400);
  });

  test("a body of another length than announced is refused before the service", async () => {
    for (const length of [99, 101, 2 * BODY_LIMIT]) {
      const { status, error } = await post(length, { "content-length": 100 });
      assert.deepEqual([status, error], [undefined, constants.NGHTTP2_PROTOCOL_ERROR]);
    }
  });

  test("a header over 16 KiB is refused before the service", async () => {
    assert.equal((await get({ host: host(), x: "a".repeat(15_000) })).status, 200);
    assert.equal((await get({ host: host(), x: "a".repeat(17_000) })).status, 431);
    assert.equal((await get({ host: host(), x: "a".repeat(100_000) })).status, undefined);
  });
});
