import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Fault {
  /** Before it reaches the server, or after the server's response, which is dropped. */
  readonly when: "before" | "after";
  /** The connection ends, or ends with a reset, or stalls in both directions. */
  readonly how: "cut" | "reset" | "stall";
}

/** A proxy between the service and its PostgreSQL server. */
export interface PostgresProxy extends AsyncDisposable {
  readonly port: number;
  /** The number of statements so far, over all connections: each `Sync` or simple query. */
  readonly statements: () => number;
  /**
   * Applies a fault to the statement with this number from now on; 0 is the next. A stall also applies to later
   * connections.
   */
  strike(fault: Fault, statement: number): void;
  /** Returns true if the statement has come. */
  readonly hasStruck: () => boolean;
  /** Ends the fault, and cuts stalled connections. */
  heal(): void;
  /** Sets if the server is there. If not, connections are refused and existing ones cut. */
  setThere(isThere: boolean): void;
}

/** Message types that end a statement, as the frontend sends them (PostgreSQL, section 55.7). */
const SYNC = "S".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
const READY = "Z".charCodeAt(0);

/**
 * Returns a reader of one direction of a connection, which returns each message's type and its end within the chunk.
 */
function messageReader(hasUntyped: boolean): (chunk: Uint8Array) => readonly { type: number; end: number }[] {
  let pending = new Uint8Array();
  let isUntyped = hasUntyped;
  return (chunk) => {
    const before = pending.length;
    const all = new Uint8Array(before + chunk.length);
    all.set(pending);
    all.set(chunk, before);
    const view = new DataView(all.buffer);
    const found: { type: number; end: number }[] = [];
    let at = 0;
    for (;;) {
      const header = isUntyped ? 4 : 5;
      if (all.length - at < header) break;
      const length = view.getUint32(at + header - 4) + header - 4;
      if (all.length - at < length) break;
      found.push({ type: isUntyped ? 0 : all[at]!, end: at + length - before });
      isUntyped = false;
      at += length;
    }
    pending = all.slice(at);
    return found;
  };
}

/** Listens on a port of this machine and forwards to a server on another port, which must not use TLS. */
export async function startPostgresProxy(serverPort: number): Promise<PostgresProxy> {
  const sockets = new Set<Socket>();
  let count = 0;
  let struck: { readonly fault: Fault; readonly at: number } | undefined;
  let hasStruck = false;
  let isThere = true;

  const server = createServer((client) => {
    if (!isThere) return void client.destroy();
    const upstream = connect(serverPort, "127.0.0.1");
    const pair = [client, upstream];
    for (const socket of pair) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => pair.forEach((one) => one.destroy()));
      socket.on("close", () => {
        sockets.delete(socket);
        pair.forEach((one) => one.destroy());
      });
    }
    relay(client, upstream);
  });

  function relay(client: Socket, upstream: Socket): void {
    const fromClient = messageReader(true);
    const fromServer = messageReader(false);
    let isSilent = false;
    let awaited: Fault | undefined;

    function strikeNow({ how }: Fault): void {
      isSilent = true;
      if (how === "stall") return;
      if (how === "reset") client.resetAndDestroy();
      else client.destroy();
      upstream.destroy();
    }

    client.on("data", (chunk: Uint8Array) => {
      if (isSilent) return;
      let through = chunk.length;
      for (const { type, end } of fromClient(chunk)) {
        if (type !== SYNC && type !== QUERY) continue;
        const isIt = struck !== undefined && !hasStruck && count === struck.at;
        count++;
        if (!isIt) continue;
        hasStruck = true;
        if (struck!.fault.when === "before") return strikeNow(struck!.fault);
        awaited = struck!.fault;
        through = end;
        break;
      }
      upstream.write(chunk.subarray(0, through));
    });
    upstream.on("data", (chunk: Uint8Array) => {
      const isReady = fromServer(chunk).some(({ type }) => type === READY);
      if (isSilent) return;
      if (awaited === undefined) return void client.write(chunk);
      // Drops the response; the server has executed the statement by then.
      if (isReady) strikeNow(awaited);
    });
  }

  function cutAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    statements: () => count,
    strike: (fault, statement) => {
      struck = { fault, at: count + statement };
      hasStruck = false;
    },
    hasStruck: () => hasStruck,
    heal: () => {
      const wasStalled = struck?.fault.how === "stall" && hasStruck;
      struck = undefined;
      hasStruck = false;
      if (wasStalled) cutAll();
    },
    setThere: (there) => {
      isThere = there;
      if (!there) cutAll();
    },
    async [Symbol.asyncDispose]() {
      cutAll();
      server.close();
      await once(server, "close");
    },
  };
}
