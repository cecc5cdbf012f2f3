import { builtInClearSigning } from "../../src/commands/files/clear-signing.ts";
import { compose } from "../../src/commands/open/compose.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import type { App } from "../../src/http/boundary.ts";
import type { Outgoing } from "../../src/lib/outgoing.ts";
import type { ProviderConfig } from "../../src/identity/provider.ts";
import type { RandomBytes } from "../../src/lib/id.ts";
import { createMetrics, type Metrics } from "../../src/lib/metrics.ts";
import { openSimulatedTee } from "../../src/tee/simulated/simulated.ts";
import type { Tee } from "../../src/tee/tee.ts";
import type { Vault } from "../../src/vault/vault.ts";
import type { PushKeys } from "../../src/push/keys.ts";
import type { Logo } from "../../src/ui/brand.ts";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { assertDescribed } from "./described.ts";
import { openTestDatabase } from "./database.ts";
import { createTestVault, withSharedRsaKeys } from "./vault.ts";

export const ORIGIN = "http://localhost:3000";

export const ADMIN_KEY = "test-admin-key-test-admin-key-test";

/** The whole service over a database in memory, without a socket, and with a clock that stands still. */
export interface TestApp extends AsyncDisposable {
  readonly app: App;
  readonly db: Db;
  readonly vault: Vault;
  /** Runs the jobs that the service runs every minute. */
  maintain(): Promise<void>;
  /** Sends every due logout notification to the applications. */
  deliverLogoutTokens(): Promise<void>;
  /** Creates the deliveries of new events, and sends those that are due. */
  deliverWebhooks(): Promise<void>;
  /** Creates the push messages of new events, and sends those that are due. */
  deliverPush(): Promise<void>;
  readonly tee: Tee;
  readonly metrics: Metrics;
  /** Every log event, as JSON. */
  readonly logged: string[];
  /** The time; tests move it. */
  now: number;
  /** Milliseconds by which the clock is set ahead of the time. Elapsed time does not include them. */
  ahead: number;
  /** Creates a browser with its own cookies, authenticator and network address. */
  client(clientAddress?: string): Client;
}

export interface TestAppOptions {
  readonly rateLimits?: "on" | "off";
  /** `TRUSTED_PROXIES`; empty by default. */
  readonly trustedProxies?: string;
  readonly db?: Db;
  readonly vault?: Vault;
  /** The identity providers, and the network functions in place of the real ones. */
  readonly identity?: { readonly providers: readonly ProviderConfig[] } & Outgoing;
  readonly environment?: Readonly<Record<string, string>>;
  /** The origin of the service; `ORIGIN` by default. */
  readonly origin?: string;
  /** The logo of the service; the product's by default. */
  readonly logo?: Logo;
  /** The keys of push messages; none by default. */
  readonly pushKeys?: PushKeys;
  /** The random source; real randomness by default. */
  readonly random?: RandomBytes;
}

/** Identity providers that fail every request, so that no test uses the network by mistake. */
export const NO_PROVIDERS = {
  providers: [],
  fetch: (): Promise<never> => Promise.reject(new Error("No provider is configured")),
  lookup: (): Promise<readonly string[]> => Promise.resolve(["93.184.216.34"]),
  // Longer than any test takes, so that none fails on a busy machine.
  timeLimit: 600_000,
} as const;

function chance(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

let clearSigning: ReturnType<typeof builtInClearSigning> | undefined;

/**
 * Creates a new service whose responses are checked against their description. Rate limits are off by default, so that
 * tests do not reach them by accident.
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
  const metrics = createMetrics(() => test.now);
  const { app: plain, maintenanceJobs, startLogoutDelivery, startWebhooks, startPush } = compose(
    config,
    origin,
    {
      db: ownDb,
      tee,
      vault,
    },
    {
      now: () => test.now + test.ahead,
      stopwatch: () => test.now,
      random,
      metrics,
      log: (level, event, fields) => logged.push(JSON.stringify({ level, event, ...fields })),
      adminApiKey: ADMIN_KEY,
      identityProviders: identity.providers,
      outgoing: identity,
      mailer: { queued: () => {} },
      clearSigning: clearSigning ??= builtInClearSigning(),
      logo: options.logo,
      pushKeys: options.pushKeys,
      unreadyReasons: () => Promise.resolve([]),
    },
  );
  const app: App = async (request, connection) => {
    const response = await plain(request, connection);
    await assertDescribed(request, response.clone());
    return response;
  };
  return Object.assign(test, {
    app,
    maintain: async () => {
      for (const job of Object.values(maintenanceJobs)) await job();
    },
    // A stopped delivery finishes the notifications that it has claimed.
    deliverLogoutTokens: async () => {
      const due = () =>
        ownDb.selectFrom("logout_notice").select("id").where("next_attempt_at", "<=", test.now + test.ahead)
          .where("expires_at", ">", test.now + test.ahead).execute();
      while ((await due()).length > 0) await startLogoutDelivery().stop();
    },
    deliverWebhooks: async () => {
      const due = () =>
        ownDb.selectFrom("webhook_delivery").select("id").where(
          "next_attempt_at",
          "<=",
          test.now + test.ahead,
        )
          .execute();
      do await startWebhooks().stop(); while ((await due()).length > 0);
    },
    deliverPush: async () => {
      const due = () =>
        ownDb.selectFrom("push_delivery").select("id").where("next_attempt_at", "<=", test.now + test.ahead)
          .where("expires_at", ">", test.now + test.ahead).execute();
      do await startPush!().stop(); while ((await due()).length > 0);
    },
    db: ownDb,
    vault,
    tee,
    metrics,
    logged,
    client: (clientAddress = "127.0.0.1") =>
      createClient(origin, (request) => app(request, { clientAddress })),
    [Symbol.asyncDispose]: async () => {
      if (db === undefined) await ownDb.destroy();
    },
  });
}
