import { connect } from "node:net";

/** The received data of a raw connection, and how it ended. */
export interface Exchange {
  readonly received: string;
  readonly closedBy: "server" | "test";
}

export interface Pace {
  /** Milliseconds between two pieces; all at once by default. */
  readonly every?: number;
  /** Ends the exchange as soon as this has been received. */
  readonly until?: string;
  /** Milliseconds after which the test gives up. */
  readonly closeTimeout?: number;
}

/** Sends the pieces over its own socket and waits until the server closes, `until` was received, or patience ends. */
export function exchange(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  { every = 0, until, closeTimeout = 25_000 }: Pace = {},
): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const decoder = new TextDecoder("latin1");
    let received = "";
    let next = 0;
    const finish = (closedBy: Exchange["closedBy"]): void => {
      clearInterval(ticking);
      clearTimeout(waiting);
      socket.destroy();
      resolve({ received, closedBy });
    };
    const sendNext = (): void => {
      if (next < pieces.length) socket.write(pieces[next++]!);
    };
    const ticking = setInterval(sendNext, Math.max(every, 1));
    const waiting = setTimeout(() => finish("test"), closeTimeout);
    if (every === 0) {
      clearInterval(ticking);
      socket.on("connect", () => pieces.forEach((piece) => void socket.write(piece)));
    }
    socket.on("data", (bytes: Uint8Array) => {
      received += decoder.decode(bytes);
      if (until !== undefined && received.includes(until)) finish("test");
    });
    socket.on("error", () => {});
    socket.on("close", () => finish("server"));
  });
}

export function requestText(
  method: string,
  target: string,
  headers: readonly string[] = ["Host: localhost"],
): string {
  return [`${method} ${target} HTTP/1.1`, ...headers, "", ""].join("\r\n");
}
