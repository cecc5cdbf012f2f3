import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { test } from "node:test";
import { findFreePort } from "./free-port.ts";

async function listenAnywhere(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Linux's file with its range of ephemeral ports. */
const RANGE = "/proc/sys/net/ipv4/ip_local_port_range";
const IS_USUAL = !existsSync(RANGE) || parseInt(readFileSync(RANGE, "utf8")) >= 32_000;

test("findFreePort() gives none that the system gives to connections or to servers that ask for any", {
  skip: IS_USUAL ? false : "this machine gives all ports to connections",
}, async () => {
  const servers = await Promise.all(Array.from({ length: 20 }, listenAnywhere));
  const socket = connect(portOf(servers[0]!), "127.0.0.1");
  await once(socket, "connect");
  const least = Math.min(socket.localPort!, ...servers.map(portOf));
  for (let count = 0; count < 20; count++) assert.ok(await findFreePort() < least);
  socket.destroy();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

test("findFreePort() gives no port twice", async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, findFreePort));
  assert.equal(new Set(ports).size, ports.length);
});
