import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { serve } from "../../src/runtime/serve.ts";
import type { Handler } from "../../src/runtime/server.ts";
import { exchange, requestText } from "../support/raw-client.ts";

const PAGE = readFileSync(new URL("../../docs/why/http-framing.md", import.meta.url), "utf8");
const ON_BUN = process.versions["bun"] !== undefined;

const HOST = ["Host: a", "Connection: close"];
const BODY = "2\r\n{}\r\n0\r\n\r\n";
const LONG = "a".repeat(17_000);

const get = (...lines: readonly string[]): string => requestText("GET", "/", [...HOST, ...lines]);
const post = (...lines: readonly string[]): string => requestText("POST", "/", [...HOST, ...lines]);
const chunked = (text: string, ...lines: readonly string[]): string =>
  post("Transfer-Encoding: chunked", ...lines) + text;

/** The preface, an empty SETTINGS frame and a HEADERS frame (RFC 9113 section 3.4, RFC 7541 appendix A). */
const HTTP_2 = Uint8Array.of(
  ...new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  ...[0, 0, 0, 4, 0, 0, 0, 0, 0],
  ...[0, 0, 6, 1, 5, 0, 0, 0, 1],
  ...[0x82, 0x86, 0x84, 0x01, 1, 0x61],
);

/** The requests behind each row of the page's table, by the row's first cell. */
const REQUESTS: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
  "A malformed request line": ["no request\r\n\r\n"],
  "TLS on a plain port": [Uint8Array.of(0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3, ...new Uint8Array(190))],
  "HTTP/2 without TLS": [HTTP_2],
  "A header line without a colon, or with a space before it": [get("no colon"), get("X : a")],
  "A folded header line": [get("X: a", " b")],
  "A NUL or a bare CR in a header line": [get("X: a\0b"), get("X: a\rb")],
  "A header line that ends in LF alone": ["GET / HTTP/1.1\r\nHost: a\nConnection: close\r\n\r\n"],
  "A length that is not a number": [post("Content-Length: abc") + "{}"],
  "Two lengths that differ": [post("Content-Length: 2", "Content-Length: 3") + "{}{"],
  "`Content-Length` with `Transfer-Encoding`": [chunked(BODY, "Content-Length: 2")],
  "A coding other than `chunked` alone": [post("Transfer-Encoding: gzip, chunked") + BODY],
  "Any coding in HTTP/1.0": [chunked(BODY).replace("HTTP/1.1", "HTTP/1.0")],
  "A malformed chunk": [chunked("zz\r\n")],
  "The same length twice": [post("Content-Length: 2", "Content-Length: 2") + "{}"],
  "A length of 2⁵³ or more": [post("Content-Length: 9007199254740992")],
  "Chunk extensions over 16 KiB": [chunked(`2;${LONG}\r\n{}\r\n0\r\n\r\n`)],
  "A header or target over 16 KiB": [get(`X: ${LONG}`), requestText("GET", `/${LONG}`, HOST)],
  "Some thousands of header lines": [get(...Array.from({ length: 3000 }, () => "a:"))],
  "A version other than HTTP/1.1 and 1.0": ["2.0", "1.2", "0.9"].map((version) =>
    get().replace("HTTP/1.1", `HTTP/${version}`)
  ),
  "A space or a NUL in the target": [requestText("GET", "/a b", HOST), requestText("GET", "/a\0b", HOST)],
  "A request line that ends in LF alone": ["GET / HTTP/1.1\nHost: a\r\n\r\n"],
  "A method that is not registered": [requestText("FOO", "/", HOST)],
  "`CONNECT`": [requestText("CONNECT", "a:80", HOST)],
  "No `Host`": [requestText("GET", "/", ["Connection: close"])],
  "A target that is neither a path nor an address": [requestText("OPTIONS", "*", HOST)],
  "Empty lines before a request": [`\r\n${get()}`, `\r\n\r\n${get()}`],
  "An `Expect` other than `100-continue`": [get("Expect: x")],
  "Bytes beyond ASCII in the target": [new TextEncoder().encode(requestText("GET", "/é", HOST))],
};

/** Returns the rows of the page's first table: the first cell, then the answers by the column's name. */
function readTable(): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const [table] = /^\| The request has.*\n(?:\|.*\n)+/m.exec(PAGE)!;
  const [[, ...servers], , ...rows] = table.trim().split("\n")
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim())) as [string[], ...string[][]];
  return new Map(
    rows.map(([what, ...answers]) => [
      what!,
      Object.fromEntries(answers.map((answer, index) => [servers[index], answer])),
    ]),
  );
}

/** The columns of this runtime, with what `serve()` is told. */
const COLUMNS: readonly (readonly [name: string, isBehindProxy: boolean])[] = ON_BUN
  ? [["Bun", false]]
  : [["Deno", false], ["Deno behind a proxy", true]];

describe("a request that the runtime refuses", () => {
  const table = readTable();

  test("docs/why/http-framing.md has a row for each request, and no other", () => {
    assert.deepEqual([...table.keys()], Object.keys(REQUESTS));
  });

  for (const [column, isBehindProxy] of COLUMNS) {
    for (const [what, { [column]: expected }] of table) {
      test(`${column}: ${what}: ${expected}`, async () => {
        // Reads a body unless it is announced as too large, and answers if that fails, as the service does.
        const handler: Handler = async (request) => {
          const isSmall = Number(request.headers.get("content-length")) < 1024;
          if (request.method === "POST" && isSmall) await request.arrayBuffer().catch(() => {});
          return new Response("reached");
        };
        const server = await serve({ hostname: "127.0.0.1", port: 0, handler, isBehindProxy });
        // A proxy closes a connection after its response.
        const pace = isBehindProxy ? { until: "reached" } : {};
        try {
          for (const text of REQUESTS[what]!) {
            const { received, closedBy } = await exchange(server.port, [text], pace);
            const status = /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1];
            const isReached = received.includes("reached");
            assert.equal(isReached ? "reaches the service" : status ?? "closed", expected, received);
            assert.equal(closedBy, isReached && isBehindProxy ? "test" : "server");
          }
        } finally {
          await server.stop();
        }
      });
    }
  }
});

describe("a client that does not wait for the response", () => {
  /** Sends the text to a server that answers each request after `pause` milliseconds. Returns what comes back. */
  async function sendTo(
    text: string,
    { endsAtOnce, pause }: { readonly endsAtOnce: boolean; readonly pause: number },
  ): Promise<string> {
    const handler: Handler = async (request) => {
      await request.arrayBuffer();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      return new Response("reached");
    };
    const server = await serve({ hostname: "127.0.0.1", port: 0, handler });
    const socket = connect(server.port, "127.0.0.1");
    try {
      let received = "";
      socket.on("data", (bytes: Uint8Array) => received += new TextDecoder().decode(bytes));
      socket.on("error", () => {});
      if (endsAtOnce) socket.end(text);
      else socket.write(text);
      await once(socket, "close");
      return received;
    } finally {
      socket.destroy();
      await server.stop();
    }
  }

  test("and pipelines a request during a slow response gets both on Deno, and none on Bun", async () => {
    const text = requestText("POST", "/", ["Host: a", "Content-Length: 2"]) + "{}" + get();
    const answers = (await sendTo(text, { endsAtOnce: false, pause: 300 })).split("reached").length - 1;
    assert.equal(answers, ON_BUN ? 0 : 2);
  });

  test("and closes its sending side after a body gets its answer on Bun, and none on Deno", async () => {
    const received = await sendTo(post("Content-Length: 2") + "{}", { endsAtOnce: true, pause: 0 });
    assert.equal(received.endsWith("reached"), ON_BUN, received);
  });
});
