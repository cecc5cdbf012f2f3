import { readFile } from "node:fs/promises";
import { AllowListError, readAllowList } from "../broker/allow-list.ts";
import type { AllowList } from "../broker/allow-list.ts";
import { ConfigError } from "../config.ts";
import type { Config } from "../config.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import { CollateralError, parseCollateral, parseQeIdentity, parseTcbInfo } from "../tee/quote/collateral.ts";
import type { Collateral } from "../tee/quote/collateral.ts";
import { CheckFault } from "../tee/quote/fault.ts";
import { StartRefusal } from "./refusal.ts";

/** Where a broker's files are. */
export interface BrokerFiles {
  readonly allowList: string;
  readonly collateral: string;
}

/** The paths of a configuration. Throws `ConfigError` with a fault for each that is missing. */
export function getBrokerFiles({ brokerAllowList, brokerCollateral }: Config): BrokerFiles {
  const faults = [
    ...(brokerAllowList === undefined ? ["BROKER_ALLOW_LIST must be set: who may have a key"] : []),
    ...(brokerCollateral === undefined ? ["BROKER_COLLATERAL must be set: by what quotes are verified"] : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return { allowList: brokerAllowList!, collateral: brokerCollateral! };
}

async function readAllowListFile({ allowList }: BrokerFiles): Promise<AllowList> {
  return readAllowList(await readFile(allowList, "utf8"));
}

async function readCollateralFile({ collateral }: BrokerFiles): Promise<Collateral> {
  return parseCollateral(await readFile(collateral, "utf8"));
}

/** Reads both once, so that a start over files that are no good is refused, having changed nothing. */
export async function refuseBadFiles(files: BrokerFiles): Promise<void> {
  try {
    await readAllowListFile(files);
    await readCollateralFile(files);
  } catch (cause) {
    if (!(cause instanceof AllowListError) && !(cause instanceof CollateralError)) throw cause;
    throw new StartRefusal(cause.message, { cause });
  }
}

/** Reads them anew each time, so that an edit counts at once. What cannot be read now is a 503: nothing is released. */
export function createFileReaders(
  files: BrokerFiles,
): { readonly readAllowList: () => Promise<AllowList>; readonly readCollateral: () => Promise<Collateral> } {
  const orUnavailable = async <T>(what: string, job: Promise<T>): Promise<T> => {
    try {
      return await job;
    } catch (cause) {
      throw new ProtocolError("unavailable", `The broker's ${what} cannot be read; try again`, {
        cause,
        headers: { "Retry-After": "10" },
      });
    }
  };
  return {
    readAllowList: () => orUnavailable("allow-list", readAllowListFile(files)),
    readCollateral: () => orUnavailable("collateral", readCollateralFile(files)),
  };
}

function isExpired({ tcbInfo, qeIdentity }: Collateral, now: Instant): boolean {
  try {
    return parseTcbInfo(tcbInfo).nextUpdate <= now || parseQeIdentity(qeIdentity).nextUpdate <= now;
  } catch (error) {
    if (error instanceof CheckFault) return true;
    throw error;
  }
}

/** Why these files let nobody have a key now; empty while they may. Does not look at revocation lists. */
export async function unreadyFiles(files: BrokerFiles, now: Instant): Promise<readonly string[]> {
  const allowList = await readAllowListFile(files).catch(() => undefined);
  const collateral = await readCollateralFile(files).catch(() => undefined);
  return [
    ...(allowList === undefined ? ["the allow-list cannot be read"] : []),
    ...(collateral === undefined ? ["the collateral cannot be read"] : []),
    ...(collateral !== undefined && isExpired(collateral, now) ? ["the collateral has expired"] : []),
  ];
}
