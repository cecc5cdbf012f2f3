import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as v from "valibot";
import { json } from "../../../src/http/response/respond.ts";
import { publicAccess } from "../../../src/http/guard/guard.ts";
import { readJson } from "../../../src/http/request/body.ts";
import { apiRow } from "../../support/rows.ts";
import { serve } from "../../../src/runtime/serve.ts";
import type { Server } from "../../../src/runtime/server.ts";
import { createCoreApp } from "../../support/core-app.ts";
import { exchange, requestText } from "../../support/raw-client.ts";

const name = v.strictObject({ name: v.string() });

/** Runs a server on a socket that records the bodies it could read. */
async function withMaker(use: (server: Server, made: readonly string[]) => Promise<void>): Promise<void> {
  const made: string[] = [];
  const make = apiRow("POST", "/make", publicAccess, async (context) => {
    made.push((await readJson(context, name)).name);
    return json(201, {});
  });
  const { app } = createCoreApp([make]);
  const server = await serve({ hostname: "127.0.0.1", port: 0, handler: app });
  try {
    await use(server, made);
  } finally {
    await server.stop();
  }
}

const HEAD = requestText("POST", "/make", [
  "Host: localhost",
  "Content-Type: application/json",
  "Transfer-Encoding: chunked",
  "Connection: close",
]);

/** Formats a chunked body; `end` follows the last chunk. */
function chunked(text: string, end: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n0\r\n${end}`;
}

const MALFORMED: readonly (readonly [what: string, end: string])[] = [
  ["a line without a colon", "no trailer\r\n\r\n"],
  ["a NUL in a trailer", "X: a\0b\r\n\r\n"],
  ["a space in a trailer's name", "X Y: z\r\n\r\n"],
  ["a control character in a trailer's name", "X\x01: z\r\n\r\n"],
];

describe("a chunked request", () => {
  for (const [what, end] of MALFORMED) {
    test(`is refused and not handled when its last chunk is followed by ${what}`, async () => {
      await withMaker(async (server, made) => {
        for (const pieces of [[HEAD + chunked('{"name":"a"}', end)], [HEAD, chunked('{"name":"b"}', end)]]) {
          const { received } = await exchange(server.port, pieces, {
            every: pieces.length > 1 ? 50 : 0,
            closeTimeout: 2000,
          });
          assert.match(received, /^HTTP\/1\.1 400 /);
        }
        await exchange(server.port, [HEAD + chunked('{"name":"good"}', "\r\n")], { until: "201" });
        assert.deepEqual(made, ["good"]);
      });
    });
  }
});
