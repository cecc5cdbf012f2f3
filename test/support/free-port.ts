import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";

/**
 * The system takes the ports of connections, and of whoever listens on port 0, from above these (from 32768 on Linux, from
 * 49152 on others): a port of its own choice may be somebody else's by the time that it is used.
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

/** Takes a port, which no test of this process gets again, and in the gate none of another process either. */
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

/** A port of this machine that nobody listens on, and that nobody gets who does not ask for it by its number. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (claim(port) && await isFree(port)) return port;
  }
}
