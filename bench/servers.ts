import { encodeFunctionData, parseAbi } from "viem";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { MAIL } from "../test/ethereum/mail.ts";
import { ADMIN_KEY } from "../test/support/app.ts";
import { signUp } from "../test/support/client.ts";
import type { Client } from "../test/support/client.ts";
import { findFreePort } from "../test/support/free-port.ts";
import { getCode, providerAt, registerClient } from "../test/support/oauth.ts";
import type { Provider } from "../test/support/oauth.ts";
import { startService } from "../test/support/service.ts";
import type { ServiceOptions, ServiceRuntime } from "../test/support/service.ts";
import { PEOPLE, REDIRECT_URI } from "./peers/listing.ts";
import type { Listing, ServerListing, WorstRequest } from "./peers/listing.ts";
import { WORST_INPUTS } from "./worst-inputs.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SIGN_UPS_AT_ONCE = 8;
const KEYS = 100;
const MANY_KEYS = 3000;
/** Structs of the longest document, and bytes in each. With more of either it is refused as too much work. */
const LETTERS = { count: 1200, bytes: 390 } as const;

/** The programs to compare with: a file of `peers/`, its database, and its further arguments. */
export const PEERS = {
  "Hono and viem": { program: "hand-made", file: "peer.db", args: ["viem"] },
  "Hono and ethers": { program: "hand-made", file: "peer.db", args: ["ethers"] },
  "oidc-provider": { program: "oidc-provider", file: "peer.db", args: [] },
  "oidc-provider, in memory": { program: "oidc-provider", file: ":memory:", args: [] },
  "better-auth": { program: "better-auth", file: "peer.db", args: [] },
} as const;

export type PeerName = keyof typeof PEERS;

/** A measured program, with users who are signed in there. */
export interface Contender extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly listing: Listing;
}

/** The method and the parameters of a JSON-RPC call. */
type RpcTerms = readonly [method: string, params: readonly unknown[]];

function cookieOf({ cookies }: Client): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** Creates signed-in users who consented to a client. */
async function enrolPeople(provider: Provider, address: string): Promise<ServerListing> {
  const client = await registerClient(provider, { redirectUris: [REDIRECT_URI] });
  const people: string[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: SIGN_UPS_AT_ONCE }, async () => {
    while (next < PEOPLE) {
      const browser = provider.client();
      await signUp(browser, `person${next++}@example.com`);
      await getCode(browser, client);
      people.push(cookieOf(browser));
    }
  }));
  return {
    issuer: provider.origin,
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
  };
}

async function enrolOwner(provider: Provider, email: string, keys: number): Promise<Client> {
  const client = provider.client();
  await signUp(client, email);
  for (let count = 1; count < keys; count++) await client.post("/api/keys/generate");
  return client;
}

/** Returns a document of nearly 1 MiB with the most content allowed: nothing takes longer to explain. */
function longDocument(): object {
  const { types, domain, message: { to: { wallet } } } = MAIL;
  const seal = `0x${"5e".repeat(LETTERS.bytes)}`;
  return {
    types: {
      ...types,
      Letter: [{ name: "seal", type: "bytes" }, { name: "wallet", type: "address" }],
      Post: [{ name: "letters", type: "Letter[]" }],
    },
    primaryType: "Post",
    domain,
    message: { letters: Array.from({ length: LETTERS.count }, () => ({ seal, wallet })) },
  };
}

/** The number of calls in a batch, each with an address of its own whose label is looked up. */
const BATCH = 50;

/** Returns a transaction that makes many calls through Multicall3. */
function batchOfCalls(): object {
  const abi = parseAbi([
    "function aggregate((address to, bytes data)[] calls)",
    "function approve(address spender, uint256 amount)",
  ]);
  const calls = Array.from({ length: BATCH }, (_, index) => {
    const spender = `0x${(index + 1).toString(16).padStart(40, "0")}` as const;
    const data = encodeFunctionData({ abi, functionName: "approve", args: [spender, 5n] });
    return { to: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", data } as const;
  });
  return {
    type: "legacy",
    chainId: 1,
    nonce: 0,
    gas: 5_000_000,
    gasPrice: "1000000000",
    to: "0xcA11bde05977b3631167028862bE2a173976CA11",
    data: encodeFunctionData({ abi, functionName: "aggregate", args: [calls] }),
  };
}

/** Returns the requests that take longest to refuse or to answer. A batch is refused call by call. */
async function enrolWorst(one: Client, many: Client): Promise<readonly WorstRequest[]> {
  const rpc = async (client: Client, name: string, terms: object, calls: readonly RpcTerms[]) => {
    const made = await client.post("/api/auth/tokens", { name: "Bench", keys: "all", ...terms });
    if (made.status !== 201) throw new Error(`Cannot measure: ${made.text}`);
    const body = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
    const headers = { authorization: `Bearer ${made.body.text}`, "content-type": "application/json" };
    return { name, method: "POST", path: "/api/rpc", headers, body: JSON.stringify(body) } as const;
  };
  const { body: { keys: [{ address }] } } = await one.get("/api/keys");
  const { body: { keys: [{ id }] } } = await many.get("/api/keys");
  const text = "{".repeat(12_320);
  const asMany = (name: string, path: string, body: object) => {
    const headers = { cookie: cookieOf(many), "content-type": "application/json" };
    return { name, method: "POST", path, headers, body: JSON.stringify(body) } as const;
  };
  const tried = WORST_INPUTS.at(-1)!;
  return [
    ...await Promise.all(WORST_INPUTS.map(({ name, count, request, policy }) => {
      const call: RpcTerms = request.kind === "typed_data"
        ? ["eth_signTypedData_v4", [address, JSON.stringify(request.typedData)]]
        : ["eth_signTransaction", [{ from: address, ...request.transaction as object }]];
      return rpc(one, name, { actions: ["sign"], policy }, Array(count).fill(call));
    })),
    await rpc(one, "616 KB of a token that only reads", { actions: ["read"] }, [
      ...Array(50).fill(["eth_signTypedData_v4", [address, text]]) as RpcTerms[],
    ]),
    asMany(`try of a policy: ${tried.name}`, "/api/policies/explain", {
      policy: tried.policy,
      request: tried.request.kind === "transaction" ? tried.request.transaction : tried.request.typedData,
    }),
    asMany(`explain of "hello", ${MANY_KEYS} keys`, `/api/keys/${id}/explain`, { message: "hello" }),
    asMany(
      `explain of a batch of ${BATCH} calls, ${MANY_KEYS} keys`,
      `/api/keys/${id}/explain`,
      batchOfCalls(),
    ),
    asMany(`export of an account, ${MANY_KEYS} keys`, "/api/auth/account/export", {}),
    await rpc(many, `50 eth_accounts, ${MANY_KEYS} keys`, { actions: ["read"] }, [
      ...Array(50).fill(["eth_accounts", []]) as RpcTerms[],
    ]),
  ];
}

async function enrolOwners(
  provider: Provider,
): Promise<Pick<Listing, "requests" | "floods"> & { readonly worst: readonly WorstRequest[] }> {
  const one = provider.client();
  const { body: { key } } = await signUp(one, "one@example.com");
  const hundred = await enrolOwner(provider, "hundred@example.com", KEYS);
  const many = await enrolOwner(provider, "many@example.com", MANY_KEYS);
  const headers = { cookie: cookieOf(one), "content-type": "application/json" };
  const post = (path: string, body: object) =>
    ({ method: "POST", path: `/api/keys/${key.id}/${path}`, headers, body: JSON.stringify(body) }) as const;
  const listOf = (client: Client) =>
    ({ method: "GET", path: "/api/keys", headers: { cookie: cookieOf(client) } }) as const;
  return {
    requests: {
      livez: { method: "GET", path: "/livez", headers: {} },
      session: { method: "GET", path: "/api/auth/session", headers },
      list: listOf(hundred),
      sign: post("sign", { message: "Hello, world!" }),
      typedData: post("sign-typed-data", MAIL),
    },
    floods: { explain: post("explain", longDocument()), thousand: listOf(many) },
    worst: await enrolWorst(one, many),
  };
}

/** Returns the shipped command of another checkout, with its own installed packages. */
function commandIn(checkout: string): string {
  const manifest = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  return `cd '${checkout}' && PATH="$PWD/node_modules/.bin:$PATH" && ${manifest.scripts.start}`;
}

/** Starts the shipped command with limits off. */
export async function startOurs(runtime: ServiceRuntime, dataDir: string): Promise<Contender> {
  return await startCheckout(`Holdfast on ${runtime === "deno" ? "Deno" : "Bun"}`, { runtime, dataDir });
}

/** Starts another checkout on Bun: a version of the service that this one's clients still understand. */
export async function startOther(checkout: string, dataDir: string): Promise<Contender> {
  return await startCheckout(`Holdfast in ${basename(checkout)}`, {
    runtime: "bun",
    dataDir,
    command: commandIn(resolve(checkout)),
  });
}

async function startCheckout(name: string, options: ServiceOptions): Promise<Contender> {
  const env = { RATE_LIMITS: "off", ADMIN_API_KEY: ADMIN_KEY };
  const service = await startService({ ...options, env });
  const address = service.baseUrl.replace("localhost", "127.0.0.1");
  const provider = providerAt(service.baseUrl, address);
  const owners = await enrolOwners(provider);
  return {
    name,
    pid: service.process.pid!,
    listing: { address, health: "/livez", ...owners, oauth: await enrolPeople(provider, address) },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Returns the command that runs a peer over a folder, as in production. */
export function peerCommand(name: PeerName, dataDir: string, port: number): readonly [string, ...string[]] {
  const { program, file, args } = PEERS[name];
  const script = join(ROOT, "bench/peers", `${program}.ts`);
  const path = file === ":memory:" ? file : join(dataDir, file);
  return [join(ROOT, "node_modules/.bin/bun"), "--no-env-file", script, path, String(port), ...args];
}

export function peerEnvironment(): NodeJS.ProcessEnv {
  return { HOME: process.env["HOME"], PATH: process.env["PATH"], NODE_ENV: "production" };
}

export async function startPeer(name: PeerName, dataDir: string): Promise<Contender> {
  const [command, ...args] = peerCommand(name, dataDir, await findFreePort());
  const child = spawn(command, args, {
    cwd: dataDir,
    env: peerEnvironment(),
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

/** Returns the first line of its output that is a listing. Returns undefined when it ends without one. */
function readListing(child: ChildProcess): Promise<Listing | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: child.stdout! });
    lines.on("line", (line) => {
      if (line.startsWith('{"address"')) resolve(JSON.parse(line) as Listing);
    });
    lines.on("close", () => resolve(undefined));
  });
}
