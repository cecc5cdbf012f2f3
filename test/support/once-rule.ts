import assert from "node:assert/strict";
import { test } from "node:test";
import { LOCK_LIMIT } from "../../src/runtime/postgres/connection.ts";
import { ORIGIN } from "./app.ts";
import type { TestAppOptions } from "./app.ts";
import type { Answer } from "./client.ts";
import { withFourServices } from "./four-services.ts";
import type { FourServices } from "./four-services.ts";

/** The response to a request that waited too long for another request's lock. It had no effect. */
const TOO_LATE = "503 unavailable";

/** Sends a request to one of four services. `index` is its number. */
export type Ask = (service: number, index: number) => Promise<Answer>;

/** A rule for an act that only one of twenty concurrent requests to four services may do. */
export interface OnceRule {
  readonly title: string;
  /** Prepares everything except the one request that each of the twenty sends. */
  readonly prepare: (services: FourServices) => Promise<Ask>;
  /**
   * The responses of success as `kindOf` names them, each with the event that is then in the log. Exactly one response
   * is one of these.
   */
  readonly done: Readonly<Record<string, string | undefined>>;
  readonly refused: readonly string[];
  readonly after?: (services: FourServices) => Promise<void>;
}

/**
 * Returns the status of a response with its problem code, the state of its request, its heading, or its redirect's
 * parameter.
 */
export function kindOf({ status, headers, body, text }: Answer): string {
  const sent = new URL(headers.get("location") ?? "", ORIGIN).searchParams;
  const said = body?.code ?? body?.request?.status ?? sent.get("link") ?? sent.get("error") ??
    (sent.has("code") ? "code" : status === 200 ? /<h1[^>]*>([^<]+)/.exec(text)?.[1] : undefined);
  return said === undefined ? String(status) : `${status} ${said}`;
}

export function counted(kinds: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Tests each rule with four services of its own. */
export function testOnce(rules: readonly OnceRule[], options: TestAppOptions = {}): void {
  for (const { title, prepare, done, refused, after } of rules) {
    test(title, { timeout: 60_000 }, () =>
      withFourServices(async (services) => {
        const ask = await prepare(services);
        const before = await countLogged(services, done);
        const begun = performance.now();
        const kinds = (await services.concurrently(ask)).map(kindOf);
        const late = performance.now() - begun < LOCK_LIMIT ? [] : [TOO_LATE];
        const says = JSON.stringify(counted(kinds));
        const known = [...Object.keys(done), ...refused, ...late];
        assert.deepEqual(kinds.filter((kind) => !known.includes(kind)), [], says);
        const did = kinds.filter((kind) => kind in done);
        assert.equal(did.length, 1, says);
        for (const [event, times] of await countLogged(services, done)) {
          assert.equal(times - before.get(event)!, event === done[did[0]!] ? 1 : 0, `${event} with ${says}`);
        }
        await after?.(services);
      }, options));
  }
}

async function countLogged(
  { count }: FourServices,
  done: OnceRule["done"],
): Promise<ReadonlyMap<string, number>> {
  const events = new Set(Object.values(done).filter((event) => event !== undefined));
  return new Map(await Promise.all([...events].map(async (event) => [event, await count(event)] as const)));
}
