import { builtInClearSigning } from "../../src/commands/files/clear-signing.ts";
import { compose } from "../../src/commands/open/compose.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import type { App } from "../../src/http/boundary.ts";
import type { Outgoing } from "../../src/lib/outgoing.ts";
import type { ProviderConfig } from "../../src/identity/provider.ts";
import type { RandomBytes } from "../../src/lib/id.ts";
import { openSimulatedTee } from "../../src/tee/simulated/simulated.ts";
import type { Tee } from "../../src/tee/tee.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { assertDescribed } from "./described.ts";
import { openTestDatabase } from "./database.ts";
import { createTestVault, withSharedRsaKeys } from "./vault.ts";

/** Where the app under test believes to be. */
export const ORIGIN = "http://localhost:3000";

/** The admin key of the app under test. */
export const ADMIN_KEY = "test-admin-key-test-admin-key-test";

/** The whole service over a database in memory, without a socket, and a clock that stands still. */
export interface TestApp extends AsyncDisposable {
  readonly app: App;
  readonly db: Db;
  readonly vault: Vault;
  /** What the service does every minute. */
  maintain(): Promise<void>;
  /** Tells applications of every logout that is due. */
  tellLogouts(): Promise<void>;
  readonly tee: Tee;
  /** Every log event, as JSON. */
  readonly logged: string[];
  /** The time; tests move it. */
  now: number;
  /** How far the clock was set ahead of the time: a stopwatch does not see it. */
  ahead: number;
  /** A browser with its own cookies, authenticator and network address. */
  client(clientAddress?: string): Client;
}

/** What tests may choose of an app. */
export interface TestAppOptions {
  readonly rateLimits?: "on" | "off";
  /** `TRUSTED_PROXIES`; nobody unless given. */
  readonly trustedProxies?: string;
  readonly db?: Db;
  readonly vault?: Vault;
  /** Other providers to sign in with, and who answers in their place. */
  readonly identity?: { readonly providers: readonly ProviderConfig[] } & Outgoing;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it believes to be; `ORIGIN` unless given. */
  readonly origin?: string;
  /** Chance itself unless given. */
  readonly random?: RandomBytes;
}

/** No test asks the network by mistake. */
export const NO_PROVIDERS = {
  providers: [],
  fetch: (): Promise<never> => Promise.reject(new Error("No provider is configured")),
  lookup: (): Promise<readonly string[]> => Promise.resolve([]),
  // Longer than any test takes: a busy machine makes none fail.
  timeLimit: 600_000,
} as const;

function chance(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

let clearSigning: ReturnType<typeof builtInClearSigning> | undefined;

/**
 * A fresh service, each of whose answers is held to its description. Rate limits are off unless asked for, so that
 * tests do not meet them by accident.
 */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const {
    rateLimits = "off",
    trustedProxies = "",
    db,
    origin = ORIGIN,
    identity = NO_PROVIDERS,
    random = chance,
  } = options;
  const ownDb = db ?? await openTestDatabase();
  const vault = options.vault ??
    (db === undefined ? createTestVault(7, withSharedRsaKeys()) : createTestVault());
  const tee = await openSimulatedTee({ keyFile: undefined, random });
  const logged: string[] = [];
  const config = readConfig({
    RATE_LIMITS: rateLimits,
    TRUSTED_PROXIES: trustedProxies,
    ...options.environment,
  });
  const test = { now: Date.UTC(2026, 0, 31, 9, 30), ahead: 0 };
  const { app: plain, upkeep, startTelling } = compose(config, origin, { db: ownDb, tee, vault }, {
    now: () => test.now + test.ahead,
    stopwatch: () => test.now,
    random,
    log: (level, event, fields) => logged.push(JSON.stringify({ level, event, ...fields })),
    adminApiKey: ADMIN_KEY,
    identityProviders: identity.providers,
    outgoing: identity,
    mailer: { queued: () => {} },
    clearSigning: clearSigning ??= builtInClearSigning(),
    unreadyReasons: () => Promise.resolve([]),
  });
  const app: App = async (request, connection) => {
    const response = await plain(request, connection);
    await assertDescribed(request, response.clone());
    return response;
  };
  return Object.assign(test, {
    app,
    maintain: async () => {
      for (const job of Object.values(upkeep)) await job();
    },
    // One that is stopped at once finishes what it has taken.
    tellLogouts: async () => {
      const due = () =>
        ownDb.selectFrom("logout_notice").select("id").where("next_attempt_at", "<=", test.now + test.ahead)
          .where("expires_at", ">", test.now + test.ahead).execute();
      while ((await due()).length > 0) await startTelling().stop();
    },
    db: ownDb,
    vault,
    tee,
    logged,
    client: (clientAddress = "127.0.0.1") =>
      createClient(origin, (request) => app(request, { clientAddress })),
    [Symbol.asyncDispose]: async () => {
      if (db === undefined) await ownDb.destroy();
    },
  });
}
