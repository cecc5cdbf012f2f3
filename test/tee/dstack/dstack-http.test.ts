import assert from "node:assert/strict";
import { linkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { describe, test } from "node:test";
import { connectUnix } from "../../../src/runtime/unix-socket.ts";
import { ExchangeError, postOverUnixSocket } from "../../../src/tee/dstack/unix-http.ts";
import type { ExchangeFault, UnixReply } from "../../../src/tee/dstack/unix-http.ts";
import { inFolder } from "../../support/folder.ts";
import { listenOnUnix } from "../../support/unix-server.ts";

const OK = "HTTP/1.1 200 OK\r\n";

/** Lets a server of raw bytes answer one request, and returns the client's result. */
async function exchange(
  serve: (socket: Socket) => void,
  { body = "{}", deadline = 20_000, largest = 1000 } = {},
): Promise<{ reply: UnixReply; request: string }> {
  return await inFolder(async (folder) => {
    const socketPath = join(folder, "agent.sock");
    let request = "";
    const server = createServer((socket) => {
      socket.on("data", (bytes: Uint8Array) => {
        const isFirst = request === "";
        request += new TextDecoder().decode(bytes);
        if (isFirst) serve(socket);
      });
    });
    const listening = await listenOnUnix(server, socketPath);
    const post = { connect: connectUnix, socketPath, path: "/Method", body, deadline, largest };
    try {
      return { reply: await postOverUnixSocket(post), request };
    } finally {
      await listening.close();
    }
  });
}

function fault(code: ExchangeFault): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ExchangeError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

function drip(socket: Socket, piece: (index: number) => string): void {
  let index = 0;
  const timer = setInterval(() => void socket.write(piece(index++)), 5);
  socket.on("close", () => clearInterval(timer));
}

/** Complete replies, with their status and body. */
const WHOLE: readonly (readonly [name: string, text: string, status: number, body: string])[] = [
  ["with a length", `${OK}Content-Length: 2\r\n\r\n{}`, 200, "{}"],
  ["in chunks", `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`, 200, "{}"],
  ["ended by the connection", `${OK}\r\n{}`, 200, "{}"],
  ["without a body", `${OK}Content-Length: 0\r\n\r\n`, 200, ""],
  ["of status 400", "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno", 400, "no"],
  ["behind a 100", `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 2\r\n\r\n{}`, 200, "{}"],
  [
    "that redirects, which is not followed",
    "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    302,
    "",
  ],
];

/** Bytes that a server sends before it closes the connection. */
const BROKEN: Readonly<Record<string, string>> = {
  "nothing": "",
  "half a header": `${OK}Content-Le`,
  "half a body": `${OK}Content-Length: 20\r\n\r\n{`,
  "chunks without an end": `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
  "what is no HTTP": "\0\x01\x02\r\n\r\n",
  "two lengths": `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
  "more than the length": `${OK}Content-Length: 2\r\n\r\n{}{}`,
};

describe("postOverUnixSocket()", () => {
  test("times out at the deadline before it is connected, and closes a late connection", async () => {
    const late = Promise.withResolvers<Duplex>();
    const connection = new Duplex({ read() {}, write() {} });
    const post = { socketPath: "", path: "/", body: "", deadline: 20, largest: 1 };
    await assert.rejects(postOverUnixSocket({ ...post, connect: () => late.promise }), fault("timed_out"));
    late.resolve(connection);
    await new Promise((resolve) => connection.on("close", resolve));
  });

  for (const [name, text, status, body] of WHOLE) {
    test(`returns a reply ${name}`, async () => {
      const { reply } = await exchange((socket) => socket.end(text));
      assert.equal(reply.status, status);
      assert.equal(new TextDecoder().decode(reply.body), body);
    });
  }

  test("sends JSON as JSON, its length in bytes, on a connection of its own", async () => {
    const { request } = await exchange((socket) => socket.end(`${OK}Content-Length: 0\r\n\r\n`), {
      body: '{"path":"ä€"}',
    });
    const [header, body] = request.split("\r\n\r\n");
    assert.match(header!, /^POST \/Method HTTP\/1\.1\r\n/);
    assert.match(header!, /\r\nContent-Type: application\/json\r?\n?/i);
    assert.match(header!, /\r\nContent-Length: 16\b/i);
    assert.match(header!, /\r\nConnection: close\b/i);
    assert.equal(body, '{"path":"ä€"}');
  });

  for (const [name, text] of Object.entries(BROKEN)) {
    test(`fails as dropped when the server sends ${name}`, async () => {
      await assert.rejects(exchange((socket) => socket.end(text)), fault("dropped"));
    });
  }

  test("fails as dropped when the server resets", async () => {
    await assert.rejects(exchange((socket) => void socket.destroy()), fault("dropped"));
  });

  const silent: Readonly<Record<string, (socket: Socket) => void>> = {
    "does not answer": () => {},
    "stops in the header": (socket) => void socket.write(OK),
    "stops in the body": (socket) => void socket.write(`${OK}Content-Length: 20\r\n\r\n{`),
    "sends its header byte by byte": (socket) => {
      socket.write(OK);
      drip(socket, (index) => `X-${index}: 1\r\n`);
    },
    "sends its body byte by byte": (socket) => {
      socket.write(`${OK}Content-Length: 100000\r\n\r\n`);
      drip(socket, () => " ");
    },
  };
  for (const [name, serve] of Object.entries(silent)) {
    test(`times out at the deadline when the server ${name}`, async () => {
      await assert.rejects(exchange(serve, { deadline: 60, largest: 1_000_000 }), fault("timed_out"));
    });
  }

  test("accepts a body of the largest size and not a byte more", async () => {
    const send = (length: number) => (socket: Socket) =>
      void socket.end(`${OK}Content-Length: ${length}\r\n\r\n${"x".repeat(length)}`);
    assert.equal((await exchange(send(1000))).reply.body.length, 1000);
    await assert.rejects(exchange(send(1001)), fault("too_large"));
  });

  test("aborts an endless body", async () => {
    const flood = (socket: Socket): void => {
      const write = (): void => {
        while (!socket.destroyed && socket.write("x".repeat(10_000)));
      };
      socket.on("drain", write);
      socket.write(`${OK}\r\n`);
      write();
    };
    await assert.rejects(exchange(flood, { largest: 1_000_000 }), fault("too_large"));
  });

  test("fails as unreachable without a listener or a socket", async () => {
    await inFolder(async (folder) => {
      const post = (name: string): Promise<UnixReply> =>
        postOverUnixSocket({
          connect: connectUnix,
          socketPath: join(folder, name),
          path: "/",
          body: "",
          deadline: 20_000,
          largest: 1,
        });
      const listening = await listenOnUnix(createServer(), join(folder, "listening"));
      linkSync(join(folder, "listening"), join(folder, "stale"));
      await listening.close();
      writeFileSync(join(folder, "file"), "");
      for (const name of ["absent", "file", "stale"]) {
        await assert.rejects(post(name), fault("unreachable"), name);
      }
    });
  });
});
