import { createBrokerApp } from "../../src/broker-app.ts";
import { readAllowList } from "../../src/broker/allow-list.ts";
import type { BrokerServices } from "../../src/broker/services.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import type { App } from "../../src/http/boundary.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { createRateLimiter, UNLIMITED } from "../../src/limits/rate-limit.ts";
import { askBroker } from "../../src/tee/broker/broker-client.ts";
import type { Broker, BrokerDependencies } from "../../src/tee/broker/broker-client.ts";
import type { JsonPost, PostJson } from "../../src/tee/broker/broker-http.ts";
import {
  brokerKeyIdOf,
  encodeReleaseClaims,
  makeEphemeralKey,
} from "../../src/tee/broker/broker-protocol.ts";
import type { EphemeralKey } from "../../src/tee/broker/broker-protocol.ts";
import { parseCollateral } from "../../src/tee/quote/collateral.ts";
import { sealReleaseReportData } from "../../src/tee/report-data.ts";
import type { UnixReply } from "../../src/tee/dstack/unix-http.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { openTestDatabase } from "./database.ts";
import { makeQuotePlatform, QUOTE_NOW } from "./quote-pki.ts";
import type { QuoteKnobs, QuotePlatform, TdReportKnobs } from "./quote-pki.ts";
import { createTestAuthority, createTestVault } from "./vault.ts";

/** The measurements of the guest, in the format of the allow-list. */
export const MEASUREMENTS = {
  mrTd: "d0".repeat(48),
  rtmr0: "e0".repeat(48),
  rtmr1: "e1".repeat(48),
  rtmr2: "e2".repeat(48),
  rtmr3: "e3".repeat(48),
} as const;

/** A broker in this process, over a database in memory and a synthetic platform. */
export interface BrokerStage {
  readonly app: App;
  readonly db: Db;
  readonly vault: Vault;
  /** The rows that it found not authentic. */
  readonly rejected: readonly { readonly kind: string }[];
  readonly broker: Broker;
  readonly logged: () => string;
  /** The headers that each request for collateral would have had. */
  readonly collateralHeaders: readonly (Readonly<Record<string, string>> | undefined)[];
  /** The platform of the guest's quotes and the broker's files. Tests may change it at any time. */
  platform: QuotePlatform;
  report: TdReportKnobs;
  allowList: unknown;
  collateral: string;
  now: number;
}

export function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Creates an allow-list with the workload `holdfast` and another one, for quotes of that platform. */
export function allowListOf({ root }: QuotePlatform): Record<string, unknown> {
  const measurements = [MEASUREMENTS];
  return { workloads: { holdfast: { measurements }, other: { measurements } }, root };
}

/** Creates the stage, by default over its own database. `limits` turns the broker's rate limits on. */
export async function createBrokerStage(
  knobs: QuoteKnobs = {},
  { limits = "off", db: given }: { readonly limits?: "on" | "off"; readonly db?: Db } = {},
): Promise<BrokerStage> {
  const db = given ?? await openTestDatabase();
  const vault = createTestVault();
  const authority = createTestAuthority(vault);
  const lines: string[] = [];
  const collateralHeaders: (Readonly<Record<string, string>> | undefined)[] = [];
  const platform = makeQuotePlatform(knobs);
  const services: BrokerServices = {
    db,
    groupCommit: createGroupCommit(db),
    vault,
    authority,
    limits: limits === "on" ? createRateLimiter(vault) : UNLIMITED,
    random,
    log: (...line) => void lines.push(JSON.stringify(line)),
    readAllowList: () => Promise.resolve(readAllowList(JSON.stringify(stage.allowList))),
    readCollateral: (_quote, headers) => {
      collateralHeaders.push(headers);
      return Promise.resolve(parseCollateral(stage.collateral));
    },
  };
  const app = createBrokerApp({ ...services, unreadyReasons: () => Promise.resolve([]) }, {
    now: () => stage.now,
    log: services.log,
    metrics: createMetrics(() => 0),
    trustedProxies: [],
  });
  const stage: BrokerStage = {
    app,
    db,
    vault,
    rejected: authority.rejected,
    broker: { url: "http://broker", publicKey: await vault.brokerPublicKey(), workload: "holdfast" },
    logged: () => lines.join("\n"),
    collateralHeaders,
    platform,
    report: {},
    allowList: allowListOf(platform),
    collateral: platform.collateral,
    now: QUOTE_NOW,
  };
  return stage;
}

/** Returns a function that posts to the broker's process from an address, with these headers too. */
export function posterOf({ app }: BrokerStage, clientAddress = "192.0.2.1", more: object = {}): PostJson {
  return async ({ url, body }: JsonPost): Promise<UnixReply> => {
    const headers = { "content-type": "application/json", "host": "broker", ...more };
    const answer = await app(new Request(url, { method: "POST", headers, body }), { clientAddress });
    return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
  };
}

/** Returns the means of an honest guest. Waiting only advances the clock. */
export function meansOf(stage: BrokerStage, change: Partial<BrokerDependencies> = {}): BrokerDependencies {
  let waited = 0;
  return {
    post: posterOf(stage),
    quote: (reportData) => Promise.resolve({ quote: stage.platform.quote(reportData, stage.report) }),
    now: () => QUOTE_NOW + waited,
    wait: (milliseconds) => Promise.resolve(waited += milliseconds),
    random,
    log: () => {},
    ...change,
  };
}

/** Asks for the key as an honest guest does. */
export async function ask(stage: BrokerStage, change: Partial<Broker> = {}): Promise<Uint8Array> {
  return await askBroker({ ...stage.broker, ...change }, meansOf(stage));
}

export interface Answered {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- whatever came
  readonly body: any;
}

export async function postTo(stage: BrokerStage, path: string, value: unknown): Promise<Answered> {
  const post = { url: `http://broker${path}`, body: JSON.stringify(value), deadline: 1000, largest: 1e6 };
  const { status, body } = await posterOf(stage)(post);
  return { status, body: JSON.parse(new TextDecoder().decode(body)) };
}

export async function challengeOf(stage: BrokerStage, workload = "holdfast"): Promise<string> {
  const { status, body } = await postTo(stage, "/v1/seal/challenge", { workload });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.nonce;
}

/** Creates a release request whose parts may be replaced before the quote is made. */
export async function requestOf(
  stage: BrokerStage,
  change: Partial<Record<"nonce" | "brokerKeyId" | "epk" | "workload", string>> = {},
): Promise<{ readonly claims: string; readonly quote: string; readonly own: EphemeralKey }> {
  const own = makeEphemeralKey(random);
  const claims = encodeReleaseClaims({
    nonce: change.nonce ?? await challengeOf(stage),
    brokerKeyId: brokerKeyIdOf(stage.broker.publicKey),
    epk: toBase64url(own.publicKey),
    workload: "holdfast",
    ...change,
  });
  const quote = stage.platform.quote(sealReleaseReportData(utf8(claims)), stage.report);
  return { claims, quote: quote.toBase64(), own };
}

export async function release(
  stage: BrokerStage,
  { claims, quote }: { readonly claims: string; readonly quote: string },
): Promise<Answered> {
  return await postTo(stage, "/v1/seal/release", { claims, quote });
}

/** Returns the events of the audit log with their details, without those that only name a new state. */
export async function auditOf(
  { db }: BrokerStage,
): Promise<{ event: string; subject: string | null; detail: Record<string, unknown> }[]> {
  const rows = await db.selectFrom("audit_event").select(["event", "subject", "detail"])
    .where("event", "!=", "state_changed").orderBy("seq").execute();
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}
