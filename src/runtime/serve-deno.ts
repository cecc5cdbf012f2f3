import { Buffer } from "node:buffer";
import {
  createServer,
  type IncomingMessage,
  type Server as NodeServer,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { hasTooManySmallChunks, isStreamed } from "../lib/stream.ts";
import { type Address, type Handler, normalizeAddress, type ServeLimits, type Server } from "./server.ts";
import { type Exchanges, watchExchanges } from "./node-connections.ts";
import { hasBody, toRequest } from "./node-request.ts";
import { watchDescriptors } from "./watch-descriptors.ts";

// Uses node:http, on Deno too: Deno's server has no time-outs and does not pass on incomplete headers.

const MAXIMUM_HEADER = 16 * 1024;
/** Milliseconds for which the rest of an unread body is discarded before the connection is closed. */
const LINGER = 2000;
const BAD_REQUEST = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const HEADER_TOO_LARGE =
  "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** Longest text sent in one write with its header. It fits the kernel's buffer. */
const MOST_AT_ONCE = 16 * 1024;

const TEXT = /^(?:application\/json|text\/)/;

function isWholeText(response: Response): boolean {
  const { headers } = response;
  return TEXT.test(headers.get("content-type") ?? "") && !headers.has("content-encoding") &&
    !isStreamed(response);
}

/** Writes header and body in one piece, by setting the header before `end`. */
async function sendText(outgoing: ServerResponse, response: Response): Promise<void> {
  const text = await response.text();
  outgoing.statusCode = response.status;
  // node:http sends HTTP/1.0 clients no length, and a truncated response would look complete.
  if (outgoing.req.httpVersionMinor === 0) outgoing.setHeader("content-length", Buffer.byteLength(text));
  response.headers.forEach((value, name) => {
    if (name === "set-cookie") outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  });
  outgoing.end(text.length > MOST_AT_ONCE ? Buffer.from(text) : text);
}

function writeHead(outgoing: ServerResponse, response: Response, length: number | undefined): void {
  const headers: string[] = [];
  // Deno's iterator of Headers takes ten times as long.
  response.headers.forEach((value, name) => headers.push(name, value));
  if (length !== undefined && !response.headers.has("content-length")) {
    headers.push("content-length", String(length));
  }
  outgoing.writeHead(response.status, headers);
}

function whenWritable(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off("drain", settle).off("close", settle);
      resolve();
    };
    outgoing.on("drain", settle).on("close", settle);
  });
}

/** Sends the rest of a body at the client's speed. Cancels the body if the client disconnects. */
async function stream(
  outgoing: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  outgoing.on("close", () => void reader.cancel().catch(() => {}));
  for (let next = await reader.read(); !next.done && !outgoing.destroyed; next = await reader.read()) {
    if (!outgoing.write(next.value)) await whenWritable(outgoing);
  }
  await reader.cancel();
  outgoing.end();
}

async function sendBody(
  outgoing: ServerResponse,
  response: Response,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const reader = body.getReader();
  const first = await reader.read();
  const second = first.done ? first : await reader.read();
  writeHead(outgoing, response, second.done ? first.value?.length ?? 0 : undefined);
  if (second.done) return void outgoing.end(first.value);
  outgoing.write(first.value);
  outgoing.write(second.value);
  await stream(outgoing, reader);
}

async function send(incoming: IncomingMessage, outgoing: ServerResponse, response: Response): Promise<void> {
  const hasContent = incoming.method !== "HEAD" && response.status !== 204 && response.status !== 304;
  if (hasContent && isWholeText(response)) return await sendText(outgoing, response);
  if (response.body !== null && hasContent) return await sendBody(outgoing, response, response.body);
  writeHead(outgoing, response, hasContent ? 0 : undefined);
  outgoing.end();
}

/**
 * Closes the connection of a client that still sends an unread body. Discards the body meanwhile, so that a client
 * that sends everything before reading gets its response. Stops reading if the chunks are too small.
 */
function closeUnread(incoming: IncomingMessage): void {
  if (incoming.complete || !hasBody(incoming)) return;
  let chunks = 0;
  let bytes = 0;
  incoming.on("data", (chunk: Uint8Array) => {
    chunks++;
    bytes += chunk.length;
    if (hasTooManySmallChunks(chunks, bytes)) incoming.pause();
  });
  incoming.resume();
  const timer = setTimeout(() => incoming.destroy(), LINGER);
  incoming.on("close", () => clearTimeout(timer));
}

async function respond(incoming: IncomingMessage, outgoing: ServerResponse, handler: Handler): Promise<void> {
  try {
    const connection = { clientAddress: normalizeAddress(incoming.socket.remoteAddress) };
    await send(incoming, outgoing, await handler(toRequest(incoming), connection));
    closeUnread(incoming);
  } catch {
    // Only a response stream can fail here. The client must see that it is truncated.
    outgoing.destroy();
  }
}

/**
 * Returns true if a request can be parsed in one way only. node:http also accepts versions other than HTTP/1.x, which
 * frame bodies differently, and `Transfer-Encoding` in HTTP/1.0 (RFC 9112 section 6.1). It accepts an empty or
 * undecoded coding, which a proxy in front may ignore.
 */
function isPlainlyFramed({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  // Deno builds `headers` on first access, and most requests do not need it.
  const codings = rawHeaders.filter((_, index) =>
    index % 2 === 1 && isTransferCoding(rawHeaders[index - 1]!)
  );
  if (httpVersion !== "1.1") return httpVersion === "1.0" && codings.length === 0;
  return codings.length === 0 || (codings.length === 1 && codings[0]!.toLowerCase() === "chunked");
}

function isTransferCoding(name: string): boolean {
  return name.length === 17 && name.toLowerCase() === "transfer-encoding";
}

function refuse(exchanges: Exchanges, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  exchanges.refuse(socket, error.code === "HPE_HEADER_OVERFLOW" ? HEADER_TOO_LARGE : BAD_REQUEST);
}

/** Creates a server that does not listen yet. */
function createNodeServer(
  handler: Handler,
  limits: ServeLimits,
  exchanges: Exchanges,
  onConnection: (socket: Socket) => void,
): NodeServer {
  const server = createServer({
    headersTimeout: limits.headerSeconds * 1000,
    requestTimeout: limits.requestSeconds * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    connectionsCheckingInterval: Math.min(5000, limits.headerSeconds * 250),
    maxHeaderSize: MAXIMUM_HEADER,
    // The handler refuses a missing Host with its own headers.
    requireHostHeader: false,
  }, (incoming, outgoing) => {
    if (!isPlainlyFramed(incoming)) return exchanges.refuse(incoming.socket, BAD_REQUEST);
    exchanges.enqueue(incoming, outgoing, () => void respond(incoming, outgoing, handler));
  });
  // node:http silently drops header lines after the thousandth. The size limit suffices.
  server.maxHeadersCount = 0;
  server.on("connection", onConnection);
  server.on(
    "clientError",
    (error: NodeJS.ErrnoException, socket: Socket) => refuse(exchanges, error, socket),
  );
  return server;
}

function listen(server: NodeServer, { hostname, port, isPortShared }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen({ port, host: hostname, reusePort: isPortShared }, resolve);
  });
}

/** Serves, and replaces its server by another on the same port after the file descriptors ran out. */
export async function serveWithNode(
  address: Address,
  handler: Handler,
  limits: ServeLimits,
): Promise<Server> {
  const exchanges = watchExchanges({
    waiting: limits.exchangeSeconds * 1000,
    answering: limits.keepAliveSeconds * 1000,
  });
  const sockets = new Set<Socket>();
  const create = (): NodeServer =>
    createNodeServer(handler, limits, exchanges, (socket) => {
      descriptors.check();
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
  let server = create();
  await listen(server, address).catch((error) => {
    exchanges.stop();
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  let replaced: Promise<unknown> = Promise.resolve();
  const descriptors = watchDescriptors(() => {
    replaced = Promise.all([replaced, stopWithin(server, sockets, limits.stopSeconds)]);
    server = create();
    return listen(server, { ...address, port });
  });
  return {
    port,
    async stop() {
      descriptors.stop();
      await Promise.all([replaced, stopWithin(server, sockets, limits.stopSeconds)]);
      exchanges.stop();
    },
  };
}

function stopWithin(server: NodeServer, sockets: ReadonlySet<Socket>, seconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), seconds * 1000);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
    // Connections without a request, which browsers and proxies open in advance. node:http does not count them as
    // idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
}
