import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ADMIN_KEY } from "../test/support/app.ts";
import { signUp } from "../test/support/client.ts";
import { findFreePort } from "../test/support/free-port.ts";
import { getCode, providerAt, registerClient } from "../test/support/oauth.ts";
import { startService } from "../test/support/service.ts";
import type { ServiceRuntime } from "../test/support/service.ts";
import { PEOPLE, REDIRECT_URI } from "./peers/listing.ts";
import type { ServerListing } from "./peers/listing.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Programs beside ours, each a file of `peers/`. */
export const PEERS = ["oidc-provider", "better-auth"] as const;
const SIGN_UPS_AT_ONCE = 8;

/** An authorization server under measurement, with people who are signed in there and agreed to a client. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly listing: ServerListing;
}

/** The shipped command as anybody would start it, but with limits off. */
export async function startOurs(runtime: ServiceRuntime, dataDir: string): Promise<AuthorizationServer> {
  const env = { RATE_LIMITS: "off", ADMIN_API_KEY: ADMIN_KEY };
  const service = await startService({ runtime, dataDir, env });
  const issuer = service.baseUrl;
  const address = issuer.replace("localhost", "127.0.0.1");
  const provider = providerAt(issuer, address);
  const client = await registerClient(provider, { redirectUris: [REDIRECT_URI] });
  const people: string[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: SIGN_UPS_AT_ONCE }, async () => {
    while (next < PEOPLE) {
      const browser = provider.client();
      await signUp(browser, `person${next++}@example.com`);
      await getCode(browser, client);
      people.push([...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
  }));
  return {
    name: `Holdfast on ${runtime === "deno" ? "Deno" : "Bun"}`,
    pid: service.process.pid!,
    listing: {
      issuer,
      address,
      paths: {
        authorize: "/api/auth/oauth2/authorize",
        token: "/api/auth/oauth2/token",
        userinfo: "/api/auth/oauth2/userinfo",
        keys: "/api/auth/jwks",
      },
      clientId: client.clientId,
      clientSecret: client.clientSecret!,
      redirectUri: REDIRECT_URI,
      scope: "openid",
      people,
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** One of the peers, on Bun, as for production. */
export async function startPeer(name: typeof PEERS[number], dataDir: string): Promise<AuthorizationServer> {
  const args = [
    join(ROOT, "bench/peers", `${name}.ts`),
    join(dataDir, "peer.db"),
    String(await findFreePort()),
  ];
  const child = spawn(join(ROOT, "node_modules/.bin/bun"), ["--no-env-file", ...args], {
    cwd: dataDir,
    env: { HOME: process.env["HOME"], PATH: process.env["PATH"], NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stderr: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => stderr.push(line));
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const listing = await readListing(child);
  if (listing === undefined) throw new Error(`Cannot start ${name}:\n${stderr.join("\n")}`);
  return {
    name,
    pid: child.pid!,
    listing,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The first line of its output that is a listing; undefined when it ends without one. */
function readListing(child: ChildProcess): Promise<ServerListing | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: child.stdout! });
    lines.on("line", (line) => {
      if (line.startsWith('{"issuer"')) resolve(JSON.parse(line) as ServerListing);
    });
    lines.on("close", () => resolve(undefined));
  });
}
