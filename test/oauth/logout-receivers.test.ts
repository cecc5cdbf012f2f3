import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { revokeSession } from "../../src/accounts/session/session.ts";
import { claimLogoutNotifications, deliverLogoutToken } from "../../src/oauth/deliver-logout-tokens.ts";
import { sendRequest } from "../../src/runtime/send-request.ts";
import { NOW, random, register, signInAgain } from "./fixture.ts";
import { getTokens, openStory } from "./story.ts";
import { createMetrics } from "../../src/lib/metrics.ts";

// Hostile receivers, over sockets.

type Receiver = (request: IncomingMessage, response: ServerResponse) => void;

const CHUNK = new Uint8Array(1 << 20);
const LONG = 300;
/** Milliseconds: longer than any test takes. */
const NO_LIMIT = 600_000;

/** Writes without end, as fast as the client reads, and counts megabytes. */
function flood(response: ServerResponse, count: { megabytes: number }): void {
  const more = (): void => {
    while (count.megabytes < LONG) {
      count.megabytes++;
      if (!response.write(CHUNK)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

/** Delivers a notification to this receiver. Returns the log line's event and reason, and the requests received. */
async function deliverTo(
  receiver: Receiver,
  timeLimit?: number,
): Promise<{ readonly log: string; readonly paths: readonly string[] }> {
  const paths: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    paths.push(request.url!);
    request.resume();
    // A write to a client that has disconnected is lost.
    response.on("error", () => {});
    request.on("end", () => receiver(request, response));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    return { log: await deliverAt(`http://127.0.0.1:${port}/bcl`, timeLimit), paths };
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function deliverAt(uri: string, timeLimit = NO_LIMIT): Promise<string> {
  const story = await openStory();
  const { db, signedIn } = story;
  const logged: string[] = [];
  const services = {
    ...story.services,
    logoutHosts: "local",
    outgoing: { fetch: sendRequest, lookup: () => Promise.resolve([]), timeLimit },
    random,
    now: () => NOW,
    metrics: createMetrics(() => 0),
    log: (_level: string, event: string, { reason = "" }: { readonly reason?: unknown }) =>
      void logged.push(`${event} ${String(reason)}`),
  } as const;
  const issued = await register({ ...story, services }, { backchannelLogoutUri: uri });
  const session = await signInAgain(story, signedIn.account);
  await getTokens({ ...story, ...issued, signedIn: session });
  await revokeSession(db, services, { session: session.session, now: NOW, random });
  const [notice] = await claimLogoutNotifications(db, services.authority, {
    limit: 1,
    inFlight: [],
    now: NOW,
  });
  await deliverLogoutToken(db, services, notice!, new AbortController().signal);
  assert.equal(logged.length, 1);
  return logged[0]!;
}

test("a receiver that accepts the token is not called again", async () => {
  const { log, paths } = await deliverTo((_request, response) => void response.writeHead(200).end("ok"));
  assert.deepEqual([log.split(" ")[0], paths], ["logout_notice_taken", ["/bcl"]]);
});

test("a receiver that never answers is aborted after the time limit", async () => {
  const { log } = await deliverTo(() => {}, 500);
  assert.equal(log, "logout_notice_deferred too slow");
});

test("a receiver that sends its headers slowly is aborted after the time limit", async () => {
  const timers: ReturnType<typeof setInterval>[] = [];
  const { log } = await deliverTo((_request, { socket }) => {
    socket!.write("HTTP/1.1 200 OK\r\n");
    timers.push(setInterval(() => socket!.write("x-a: b\r\n"), 50));
  }, 500);
  timers.forEach(clearInterval);
  assert.equal(log, "logout_notice_deferred too slow");
});

test("a receiver that closes without an answer is tried again", async () => {
  const { log } = await deliverTo((_request, { socket }) => void socket!.destroy());
  assert.equal(log, "logout_notice_deferred unreachable");
});

test("a receiver that redirects is not followed", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { log, paths } = await deliverTo((_request, response) =>
      void response.writeHead(status, { location: "/elsewhere" }).end()
    );
    assert.deepEqual([log, paths], [`logout_notice_deferred status ${status}`, ["/bcl"]]);
  }
});

test("a receiver that sends 300 MB has none of it read", async () => {
  const count = { megabytes: 0 };
  const { log } = await deliverTo((_request, response) => {
    response.on("close", () => {});
    flood(response.writeHead(200), count);
  });
  assert.equal(log.split(" ")[0], "logout_notice_taken");
  // Allows for data in buffers.
  assert.ok(count.megabytes < LONG / 2, `${count.megabytes} MB`);
});

test("a receiver that cannot be reached is tried again", async () => {
  assert.equal(await deliverAt("http://127.0.0.1:9/bcl"), "logout_notice_deferred unreachable");
});
