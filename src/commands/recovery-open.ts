import { existsSync } from "node:fs";
import { utf8 } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import { parseJson } from "../lib/json.ts";
import { asObject } from "../lib/object.ts";
import type { Instant } from "../lib/time.ts";
import { decryptWith, encryptTo, readLines, RecoveryFault } from "../sealing/age.ts";
import { readClaims, readShare, type RequestClaims, type Share, writeAnswer } from "../sealing/recovery.ts";
import { formatKeyProvider, isSameKeyProvider } from "../tee/quote/key-provider.ts";
import { verifyQuote } from "../tee/quote/verify.ts";
import { recoveryReportData } from "../tee/report-data.ts";
import { replaceFile } from "./files/durable-file.ts";
import { readInputFile, readInputText } from "./files/input-file.ts";
import { type Arguments, getValue } from "./process/arguments.ts";
import { StartRefusal } from "./process/refusal.ts";
import { readCollateral, readQuoteInput } from "./verify-quote.ts";
import { type Demands, readAt, readDemands } from "./verify-quote-options.ts";

export const RECOVERY_OPEN_SYNTAX = {
  values: [
    "request",
    "share",
    "identity",
    "expect",
    "answer",
    "workload",
    "root",
    "collateral",
    "pccs",
    "at",
  ],
} as const;

interface OpenContext {
  readonly now: Instant;
  readonly random: RandomBytes;
}

interface HolderRequest {
  readonly text: string;
  readonly claims: RequestClaims;
  readonly quote: Uint8Array;
  readonly eventLog?: string;
}

/**
 * Answers a recovery request as a holder. Verifies its quote first: that it is of the expected workload, and covers
 * the claims, and so the key that the answer is encrypted to. Then decrypts the share and writes the answer whole.
 * Returns the report. Throws `StartRefusal` and writes nothing if any check does not pass.
 */
export async function openShare(given: Arguments, context: OpenContext): Promise<string> {
  const answer = getValue(given, "answer");
  const paths = { share: getValue(given, "share"), identity: getValue(given, "identity") };
  getValue(given, "expect");
  if (existsSync(answer)) throw new StartRefusal(`${answer} already exists: name a new file`);
  const path = getValue(given, "request");
  try {
    const request = await readRequest(path);
    await verifyRequest(request, given, context);
    const share = await decryptShare(paths, request.claims);
    const bytes = await encryptTo(request.claims.recipient, writeAnswer(share, request.text));
    share.share.fill(0);
    await replaceFile(answer, bytes, context.random(8).toHex());
    const { act, slot, to } = request.claims;
    return `verified: the request comes from the expected workload\nact      ${act} of ${slot}\n` +
      `to       ${to.source} ${formatKeyProvider(to.keyProvider)}\nanswer   ${answer}\n`;
  } catch (error) {
    if (!(error instanceof RecoveryFault)) throw error;
    throw new StartRefusal(`The request is not answered: ${error.message}`, { cause: error });
  }
}

async function readRequest(path: string): Promise<HolderRequest> {
  const bytes = await readInputFile(path);
  const { quote, eventLog } = readQuoteInput(bytes);
  const text = asObject(parseJson(new TextDecoder().decode(bytes)))?.["claims"];
  if (typeof text !== "string") throw new RecoveryFault("the file is no recovery request");
  return { text, claims: readClaims(text), quote, ...(eventLog === undefined ? {} : { eventLog }) };
}

/** Throws `StartRefusal` with each check that did not pass. */
async function verifyRequest(request: HolderRequest, given: Arguments, { now }: OpenContext): Promise<void> {
  const { text, claims, quote, eventLog } = request;
  const demands = await readDemands(given, quote);
  const collateral = await readCollateral(given, quote);
  const { slots: _, keyProvider, ...expectations } = demands.expectations;
  refuseTarget(claims, keyProvider);
  const found = verifyQuote({
    quote,
    ...(eventLog === undefined ? {} : { eventLog }),
    collateral,
    now: readAt(given, now),
    policy: demands.policy,
    expectations: {
      ...expectations,
      reportData: recoveryReportData(utf8(text)),
      // Without an event log, only the claims name a provider, and they were compared above.
      keyProvider: eventLog === undefined ? "any" : keyProvider!,
    },
    ...(demands.root === undefined ? {} : { root: demands.root }),
  });
  if (found.passed) return;
  const faults = found.checks.filter(({ verdict }) => verdict === "failed" || verdict === "not_checked");
  throw new StartRefusal(
    `The quote of the request does not pass: ${
      faults.map(({ name, detail }) => `${name}: ${detail}`).join("; ")
    }`,
  );
}

/** The name of a provider outside of any TEE, for development. */
const SIMULATED = "simulated";

/** Refuses a request that seals the seed for another provider than the expected one. */
function refuseTarget({ to }: RequestClaims, expected: Demands["expectations"]["keyProvider"]): void {
  if (expected === undefined) {
    throw new StartRefusal("The file of --expect names no keyProvider: it must say who may have the seed");
  }
  // A simulated TEE protects nothing, wherever its key is.
  if (expected === "any" || expected.name === SIMULATED || isSameKeyProvider(to.keyProvider, expected)) {
    return;
  }
  throw new StartRefusal(
    `The request seals the seed for ${formatKeyProvider(to.keyProvider)}, and --expect names ${
      formatKeyProvider(expected)
    }`,
  );
}

async function decryptShare(
  { share: path, identity }: { readonly share: string; readonly identity: string },
  { keyId, slot, threshold, shares }: RequestClaims,
): Promise<Share> {
  const identities = readLines(await readInputText(identity));
  const sentence = `the identity in ${identity} does not open the share ${path}`;
  const share = readShare(await decryptWith(identities, await readInputFile(path), sentence));
  if (share.keyId !== keyId) {
    throw new RecoveryFault(`the share ${path} is of another split than the slot ${slot} of the request`);
  }
  if (share.threshold !== threshold || share.shares !== shares) {
    throw new RecoveryFault("the request has other numbers of shares than the share");
  }
  return share;
}
