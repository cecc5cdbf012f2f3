import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Maximum of pipelined requests on a connection (RFC 9112 section 9.3.2 sets none). node:http keeps reading: ten
 * connections that read no response took two gigabytes and blocked all clients for 20 seconds.
 */
const MAXIMUM_UNANSWERED = 16;

/** A pending response. Without `incoming` it is a refusal, the last response on its connection. */
interface PendingExchange {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
  readonly start: () => void;
}

export interface Exchanges {
  /**
   * Calls `respond` once all earlier responses on the connection were sent. node:http starts pipelined requests at
   * once, but unsafe ones must not run concurrently (RFC 9112 section 9.3.2). Destroys the connection above the
   * maximum.
   */
  enqueue(incoming: IncomingMessage, outgoing: ServerResponse, respond: () => void): void;
  /**
   * Sends a refusal and ends the connection, after the responses to earlier complete requests. Sent at once, the
   * client would take it for the response to a request that was carried out. Later requests are ignored.
   */
  refuse(socket: Socket, refusal: string): void;
  stop(): void;
}

function isFinished(queue: readonly PendingExchange[]): boolean {
  return queue.length > 0 && queue.at(-1)!.incoming === undefined;
}

function endExchange(queues: Map<Socket, PendingExchange[]>, socket: Socket): void {
  const queue = queues.get(socket);
  queue?.shift();
  const next = socket.destroyed ? undefined : queue?.[0];
  if (next === undefined) queues.delete(socket);
  else next.start();
}

/** Milliseconds without a byte in either direction. */
export interface ExchangeLimits {
  /** While a request waits for its response. */
  readonly waiting: number;
  /**
   * While a response is sent. The kernel buffers megabytes and accepts more only when a third of them is sent. A slow
   * client that reads continuously shows no progress meanwhile.
   */
  readonly answering: number;
}

/**
 * Keeps the responses of each connection in order, and ends connections without progress while a request is pending.
 * node:http would set two timers for each request, 8 µs. Here only a request still pending at the next interval gets
 * one.
 */
export function watchExchanges({ waiting, answering }: ExchangeLimits): Exchanges {
  const queues = new Map<Socket, PendingExchange[]>();
  const looks = setInterval(() => {
    for (const [socket, [exchange]] of queues) {
      const limit = exchange?.outgoing?.headersSent === true ? answering : waiting;
      if (socket.destroyed) queues.delete(socket);
      else if (socket.timeout !== limit) socket.setTimeout(limit);
    }
  }, Math.min(1000, waiting / 4));
  return {
    enqueue(incoming, outgoing, respond) {
      const { socket } = incoming;
      const queue = queues.get(socket) ?? [];
      if (!socket.writable || isFinished(queue)) return;
      if (queue.length >= MAXIMUM_UNANSWERED) return void socket.destroy();
      if (queue.push({ incoming, outgoing, start: respond }) === 1) queues.set(socket, queue);
      outgoing.on("close", () => endExchange(queues, socket));
      if (queue.length === 1) respond();
    },
    refuse(socket, refusal) {
      const queue = queues.get(socket) ?? [];
      if (isFinished(queue)) return;
      if (queue.at(-1)?.incoming?.complete === false) queue.pop();
      const start = (): void => void (socket.writable ? socket.end(refusal) : socket.destroy());
      if (queue.length === 0) start();
      else queue.push({ start });
    },
    stop: () => clearInterval(looks),
  };
}
