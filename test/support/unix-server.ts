import type { AddressInfo, Server } from "node:net";
import { rmSync } from "node:fs";

/** A server of `node:net` or `node:http` that listens on a unix socket. */
export interface UnixServer {
  /** Ends it and every connection, and removes the socket. */
  close(): Promise<void>;
}

/** The used members of Deno's connections. */
interface DenoConnection {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
}

interface DenoNet {
  listen(options: { transport: "unix"; path: string }): AsyncIterable<DenoConnection> & { close(): void };
  connect(options: { hostname: string; port: number }): Promise<DenoConnection>;
}

function listen(server: Server, at: string | { port: number; host: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.on("error", reject);
  server.listen(at, resolve);
  return promise;
}

async function carry(from: DenoConnection, to: DenoConnection): Promise<void> {
  const buffer = new Uint8Array(65_536);
  for (;;) {
    const length = await from.read(buffer);
    if (length === null) return await to.closeWrite();
    for (let sent = 0; sent < length;) sent += await to.write(buffer.subarray(sent, length));
  }
}

/** Copies bytes both ways until both sides have ended, or one was aborted. */
async function relay(one: DenoConnection, other: DenoConnection): Promise<void> {
  try {
    await Promise.all([carry(one, other), carry(other, one)]);
  } catch {
    // Aborted: the other side sees it by the close.
  }
  one.close();
  other.close();
}

/**
 * Listens through a relay. Deno closes the descriptors of `node:net`'s unix sockets twice, and with them those of
 * other tests.
 */
async function listenByRelay(deno: DenoNet, server: Server, path: string): Promise<() => void> {
  await listen(server, { port: 0, host: "127.0.0.1" });
  const { port } = server.address() as AddressInfo;
  const listener = deno.listen({ transport: "unix", path });
  const accept = async (): Promise<void> => {
    for await (const incoming of listener) {
      deno.connect({ hostname: "127.0.0.1", port }).then(
        (outgoing) => relay(incoming, outgoing),
        () => incoming.close(),
      );
    }
  };
  accept().catch(() => {});
  return () => listener.close();
}

/** Lets a server listen on a unix socket, in place of any file at the path. */
export async function listenOnUnix(server: Server, path: string): Promise<UnixServer> {
  rmSync(path, { force: true });
  const sockets = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  const deno = (globalThis as { Deno?: DenoNet }).Deno;
  const stop = deno === undefined ? () => {} : await listenByRelay(deno, server, path);
  if (deno === undefined) await listen(server, path);
  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    stop();
    for (const socket of sockets) socket.destroy();
    await closed;
    rmSync(path, { force: true });
  }
  let closing: Promise<void> | undefined;
  return { close: () => closing ??= close() };
}
