import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";

/**
 * The system takes ephemeral ports, and those for port 0, from above this range (from 32768 on Linux, from 49152 on
 * others). Such a port may be in use by another process by the time that a test uses it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

const claimed = new Set<number>();

/** Claims a port. No other test of this process gets it again, and in the gate none of another process either. */
function claim(port: number): boolean {
  if (claimed.has(port)) return false;
  claimed.add(port);
  const shared = process.env["HOLDFAST_TEST_DATABASE"];
  if (shared === undefined) return true;
  try {
    writeFileSync(`${shared}-port-${port}`, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/** Returns a free port of this machine that only an explicit request can get. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (claim(port) && await isFree(port)) return port;
  }
}
