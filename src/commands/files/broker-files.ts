import { type AllowList, AllowListError, readAllowList } from "../../broker/allow-list.ts";
import { type Config, ConfigError } from "../../config/config.ts";
import { ProtocolError } from "../../lib/error.ts";
import { parseJson } from "../../lib/json.ts";
import { type Clock, HOUR, type Instant, SECOND } from "../../lib/time.ts";
import { type Collateral, CollateralError, parseCollateral } from "../../tee/quote/collateral.ts";
import type { ReadCollateral } from "../../tee/quote/collateral.ts";
import { CheckFault } from "../../tee/quote/fault.ts";
import { fetchCollateral, platformOf } from "../../tee/quote/pccs.ts";
import { summarizeCollateral } from "../../tee/quote/summary.ts";
import { StartRefusal } from "../process/refusal.ts";
import { readInputText } from "./input-file.ts";

export interface BrokerFiles {
  readonly allowList: string;
  readonly collateral: { readonly file: string } | { readonly pccs: string };
}

/** Lifetime of fetched collateral, so that Intel's updates apply within the hour. */
const FRESH = HOUR;
/** Milliseconds to fetch one platform's collateral. Shorter than a guest waits for the whole answer. */
const FETCH_TIME = 8 * SECOND;
const MOST_KEPT = 64;

/** Returns the sources of a configuration. Throws `ConfigError` if one is missing or given twice. */
export function getBrokerFiles({ brokerAllowList, brokerCollateral, brokerPccsUrl }: Config): BrokerFiles {
  const hasOneSource = (brokerCollateral === undefined) !== (brokerPccsUrl === undefined);
  const faults = [
    ...(brokerAllowList === undefined
      ? ["BROKER_ALLOW_LIST must be set: it lists the workloads that may get a key"]
      : []),
    ...(hasOneSource
      ? []
      : ["BROKER_COLLATERAL or BROKER_PCCS_URL must be set, but not both: quotes are verified against it"]),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const collateral = brokerCollateral === undefined ? { pccs: brokerPccsUrl! } : { file: brokerCollateral };
  return { allowList: brokerAllowList!, collateral };
}

/** Throws `AllowListError` for a duplicate member, of which only the last would silently count. */
export function refuseDuplicates(text: string): void {
  try {
    parseJson(text);
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    const where = cause.errors?.[0]?.path;
    throw new AllowListError(where === undefined ? cause.message : `${cause.message} at ${where}`, { cause });
  }
}

async function readAllowListFile({ allowList }: BrokerFiles): Promise<AllowList> {
  const text = await readInputText(allowList);
  refuseDuplicates(text);
  return readAllowList(text);
}

/** Reads the collateral file. Returns undefined if collateral is fetched. */
async function readCollateralFile({ collateral }: BrokerFiles): Promise<Collateral | undefined> {
  return "file" in collateral ? parseCollateral(await readInputText(collateral.file)) : undefined;
}

/** Reads the files once, so that a start with invalid ones is refused before it changes anything. */
export async function refuseBadFiles(files: BrokerFiles): Promise<void> {
  try {
    await readAllowListFile(files);
    await readCollateralFile(files);
  } catch (cause) {
    if (!(cause instanceof AllowListError) && !(cause instanceof CollateralError)) throw cause;
    throw new StartRefusal(cause.message, { cause });
  }
}

/** Caches collateral for an hour. The server is not trusted: all documents are signed. */
function createFetcher(pccs: string, now: Clock): ReadCollateral {
  const cached = new Map<string, { readonly collateral: Collateral; readonly at: Instant }>();
  return async (quote, headers = {}) => {
    const platform = platformOf(quote);
    const name = `${platform.fmspc} ${platform.authority}`;
    const found = cached.get(name);
    if (found !== undefined && now() - found.at < FRESH) return found.collateral;
    const collateral = await fetchCollateral(pccs, platform, {
      signal: AbortSignal.timeout(FETCH_TIME),
      headers,
    });
    if (cached.size >= MOST_KEPT) cached.clear();
    cached.set(name, { collateral, at: now() });
    return collateral;
  };
}

async function orUnavailable<T>(what: string, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (cause) {
    throw new ProtocolError("unavailable", `The broker's ${what} cannot be read; try again`, {
      cause,
      headers: { "Retry-After": "10" },
    });
  }
}

/** Reads the files each time, so that an edit applies at once. Readers throw `unavailable` (503). */
export function createFileReaders(
  files: BrokerFiles,
  now: Clock,
): {
  readonly readAllowList: () => Promise<AllowList>;
  readonly readCollateral: ReadCollateral;
} {
  const { collateral } = files;
  const read = "pccs" in collateral
    ? createFetcher(collateral.pccs, now)
    : async () => (await readCollateralFile(files))!;
  return {
    readAllowList: () => orUnavailable("allow-list", () => readAllowListFile(files)),
    readCollateral: (quote, headers) => orUnavailable("collateral", () => read(quote, headers)),
  };
}

function isExpired(collateral: Collateral, now: Instant): boolean {
  try {
    return summarizeCollateral(collateral).expiresAt <= now;
  } catch (error) {
    if (error instanceof CheckFault) return true;
    throw error;
  }
}

/** Returns the faults that prevent every release now. Does not verify signatures. */
export async function unreadyFiles(files: BrokerFiles, now: Instant): Promise<readonly string[]> {
  const list = await readAllowListFile(files).catch(() => undefined);
  const collateral = await readCollateralFile(files).catch(() => "unreadable" as const);
  return [
    ...(list === undefined ? ["the allow-list cannot be read"] : []),
    ...(collateral === "unreadable" ? ["the collateral cannot be read"] : []),
    ...(typeof collateral === "object" && isExpired(collateral, now) ? ["the collateral has expired"] : []),
  ];
}
