import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Requests of one connection that may wait for their answers (RFC 9112 section 9.3.2 has no bound). node:http reads on
 * whatever waits: ten connections that read no answer took two gigabytes, and froze everybody for twenty seconds.
 */
const MAXIMUM_UNANSWERED = 16;

/** What answers a request, or, with none, refuses what could not be read: the last thing on its connection. */
interface Turn {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
  readonly take: () => void;
}

/** The requests that wait for their answers. */
export interface Exchanges {
  /**
   * Has `answer` called when the answers to all requests before this one on its connection have gone out: node:http hands
   * them over as they come, and what is not safe must not run beside them (RFC 9112 section 9.3.2). Past the bound the
   * connection ends.
   */
  admit(incoming: IncomingMessage, outgoing: ServerResponse, answer: () => void): void;
  /**
   * Sends a refusal, and ends the connection, behind the answers to those requests that are there as a whole: sent at once
   * it would be taken for the answer to one of them, which was carried out. Nothing is admitted after it.
   */
  refuse(socket: Socket, refusal: string): void;
  stop(): void;
}

function isOver(line: readonly Turn[]): boolean {
  return line.length > 0 && line.at(-1)!.incoming === undefined;
}

/** Begins the turn behind the one that is over; none, where the client is gone. */
function endTurn(lines: Map<Socket, Turn[]>, socket: Socket): void {
  const line = lines.get(socket);
  line?.shift();
  const next = socket.destroyed ? undefined : line?.[0];
  if (next === undefined) lines.delete(socket);
  else next.take();
}

/** Milliseconds without a byte in either direction. */
export interface ExchangeLimits {
  /** While a request waits for its answer. */
  readonly waiting: number;
  /**
   * While its answer goes out. The system takes megabytes at once, and more only when a third of them is gone: of a slow
   * client that reads on all the time nothing is seen meanwhile.
   */
  readonly answering: number;
}

/**
 * Keeps the requests of each connection in their order, and ends connections on which for too long nothing moves while a
 * request waits or is answered. node:http would set two timers for each request, 8 µs; here those that are still there at
 * the next look get one.
 */
export function watchExchanges({ waiting, answering }: ExchangeLimits): Exchanges {
  const lines = new Map<Socket, Turn[]>();
  const looks = setInterval(() => {
    for (const [socket, [turn]] of lines) {
      const limit = turn?.outgoing?.headersSent === true ? answering : waiting;
      if (socket.destroyed) lines.delete(socket);
      else if (socket.timeout !== limit) socket.setTimeout(limit);
    }
  }, Math.min(1000, waiting / 4));
  return {
    admit(incoming, outgoing, answer) {
      const { socket } = incoming;
      const line = lines.get(socket) ?? [];
      if (!socket.writable || isOver(line)) return;
      if (line.length >= MAXIMUM_UNANSWERED) return void socket.destroy();
      if (line.push({ incoming, outgoing, take: answer }) === 1) lines.set(socket, line);
      outgoing.on("close", () => endTurn(lines, socket));
      if (line.length === 1) answer();
    },
    refuse(socket, refusal) {
      const line = lines.get(socket) ?? [];
      if (isOver(line)) return;
      if (line.at(-1)?.incoming?.complete === false) line.pop();
      const take = (): void => void (socket.writable ? socket.end(refusal) : socket.destroy());
      if (line.length === 0) take();
      else line.push({ take });
    },
    stop: () => clearInterval(looks),
  };
}
