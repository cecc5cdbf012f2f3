import assert from "node:assert/strict";
import { createServer, Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import type { Duplex } from "node:stream";
import { describe, test } from "node:test";
import { connectUnix } from "../../src/runtime/unix-socket.ts";
import { inFolder } from "../support/folder.ts";
import { listenOnUnix } from "../support/unix-server.ts";

/** Connects to a server that handles its socket with `serve`. */
async function withServer(
  serve: (socket: Socket) => void,
  job: (connection: Duplex) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, "a.sock");
    const listening = await listenOnUnix(createServer({ allowHalfOpen: true }, serve), path);
    try {
      await job(await connectUnix(path));
    } finally {
      await listening.close();
    }
  });
}

async function readAll(connection: Duplex): Promise<string> {
  let text = "";
  for await (const chunk of connection) text += new TextDecoder().decode(chunk as Uint8Array);
  return text;
}

function closed(connection: Duplex): Promise<void> {
  return new Promise((resolve) => connection.on("close", () => resolve()));
}

describe("connectUnix()", () => {
  test("carries bytes both ways, also a megabyte", async () => {
    const text = "0123456789abcdef".repeat(65_536);
    await withServer((socket) => socket.pipe(socket), async (connection) => {
      const received = readAll(connection);
      connection.end(text);
      assert.equal(await received, text);
    });
  });

  test("ends when the other side ends", async () => {
    await withServer((socket) => socket.end("bye"), async (connection) => {
      assert.equal(await readAll(connection), "bye");
    });
  });

  test("closes when it is destroyed, more than once and during a read", async () => {
    await withServer(() => {}, async (connection) => {
      connection.resume();
      const isClosed = closed(connection);
      connection.destroy();
      connection.destroy();
      await isClosed;
      assert.equal(connection.destroyed, true);
    });
  });

  test("does not throw if an error has no listener", async () => {
    await withServer((socket) => void socket.destroy(), async (connection) => {
      const isClosed = closed(connection);
      connection.resume();
      connection.write("x");
      connection.destroy(new Error("broken"));
      await isClosed;
    });
  });

  test("is not a socket of node:net on Deno, which closes their descriptors twice", async () => {
    await withServer((socket) => socket.end(), async (connection) => {
      assert.equal(connection instanceof Socket, process.versions["deno"] === undefined);
      assert.equal(await readAll(connection), "");
    });
  });

  test("rejects with the system's code if there is no socket", async () => {
    await inFolder(async (folder) => {
      await assert.rejects(connectUnix(join(folder, "absent")), { code: "ENOENT" });
    });
  });
});
