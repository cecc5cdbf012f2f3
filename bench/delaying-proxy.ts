/**
 * A proxy between a service and its PostgreSQL server that delays messages, in its own process. It counts the round
 * trips in transactions that write.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { answerRequests } from "./worker.ts";

/** A request to listen in front of a server on this machine, or to return the counts since the last request. */
export type ProxyRequest =
  | { readonly step: "listen"; readonly serverPort: number; readonly milliseconds: number }
  | { readonly step: "count" };

/** Transactions that write, and the waits for the server in them, including begin and commit. */
export interface Passed {
  readonly transactions: number;
  readonly roundTrips: number;
}

let transactions = 0;
let roundTrips = 0;

/** Forwards the data of a socket with a delay in milliseconds, in order. */
function delay(from: Socket, to: Socket, milliseconds: number, onChunk: (chunk: Buffer) => void): void {
  const waiting: { readonly due: number; readonly chunk: Buffer }[] = [];
  function flush(): void {
    while (waiting.length > 0 && waiting[0]!.due <= performance.now()) to.write(waiting.shift()!.chunk);
    if (waiting.length > 0) setTimeout(flush, Math.max(0, waiting[0]!.due - performance.now()));
  }
  from.on("data", (chunk: Buffer) => {
    onChunk(chunk);
    waiting.push({ due: performance.now() + milliseconds, chunk });
    if (waiting.length === 1) setTimeout(flush, milliseconds);
  });
}

function relay(client: Socket, server: Socket, milliseconds: number): void {
  let isInside = false;
  let isAnswered = true;
  const pair = [client, server];
  for (const socket of pair) {
    socket.setNoDelay(true);
    for (const event of ["error", "close"]) socket.on(event, () => pair.forEach((one) => one.destroy()));
  }
  // The whole delay is on the way there: no timer is shorter than a millisecond.
  delay(client, server, milliseconds, (chunk) => {
    if (chunk.includes("begin isolation level read committed")) {
      isInside = true;
      transactions++;
    }
    if (isInside && isAnswered) roundTrips++;
    isAnswered = false;
    if (chunk.includes("commit\0") || chunk.includes("rollback\0")) isInside = false;
  });
  server.on("data", (chunk: Buffer) => {
    isAnswered = true;
    client.write(chunk);
  });
}

async function listen(serverPort: number, milliseconds: number): Promise<number> {
  const server = createServer((client) => relay(client, connect(serverPort, "127.0.0.1"), milliseconds));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return (server.address() as AddressInfo).port;
}

function count(): Passed {
  const passed = { transactions, roundTrips };
  transactions = roundTrips = 0;
  return passed;
}

await answerRequests(async (request: ProxyRequest): Promise<number | Passed> =>
  request.step === "listen" ? await listen(request.serverPort, request.milliseconds) : count()
);
