/**
 * Stands between a service and its PostgreSQL server as a way of some length, in a process of its own, and counts what
 * goes to and fro on it within transactions that write.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { answerRequests } from "./worker.ts";

/** To listen in front of a server on this machine, or to tell what went by since it was asked last. */
export type ProxyRequest =
  | { readonly step: "listen"; readonly serverPort: number; readonly milliseconds: number }
  | { readonly step: "count" };

/** Transactions that write, and how often somebody waited for the server in them, beginning and commit included. */
export interface Passed {
  readonly transactions: number;
  readonly roundTrips: number;
}

let transactions = 0;
let roundTrips = 0;

/** Hands on what comes from a socket so many milliseconds later, in order. */
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
  // All of it on the way there: no timer is shorter than a millisecond.
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
