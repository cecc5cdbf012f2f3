import { AllowListError } from "../broker/allow-list.ts";
import { closestMeasurements, readExpectedWorkloads } from "../broker/expected-workload.ts";
import type { ExpectedWorkload, ExpectedWorkloads } from "../broker/expected-workload.ts";
import { fromHex } from "../lib/bytes.ts";
import { type InputFault, ProtocolError } from "../lib/error.ts";
import { parseJson } from "../lib/json.ts";
import { asObject } from "../lib/object.ts";
import { type Instant, parseTimestamp } from "../lib/time.ts";
import { policyHash } from "../policy/canonical.ts";
import { readKeyPolicy } from "../policy/read-policy.ts";
import { parseRoot, type RootCertificate } from "../tee/quote/certificate.ts";
import { ACCEPTABLE_STATUSES, STRICT_POLICY } from "../tee/quote/evidence.ts";
import type { Expectations, Expected, QuotePolicy, Register } from "../tee/quote/evidence.ts";
import { CheckFault } from "../tee/quote/fault.ts";
import { readKeyProvider } from "../tee/quote/key-provider.ts";
import { parseQuote, QuoteFormatError, type TdReport } from "../tee/quote/parse.ts";
import { type Arguments, readNumber } from "./process/arguments.ts";
import { StartRefusal, UsageError } from "./process/refusal.ts";
import { refuseDuplicates } from "./files/broker-files.ts";
import { readInputText } from "./files/input-file.ts";

const REGISTER_OPTIONS: Readonly<Record<string, Register>> = {
  mrtd: "mrTd",
  rtmr0: "rtmr0",
  rtmr1: "rtmr1",
  rtmr2: "rtmr2",
  rtmr3: "rtmr3",
  mrconfigid: "mrConfigId",
};

/** Options that a file of expectations replaces. */
const IN_FILE = [
  ...Object.keys(REGISTER_OPTIONS),
  "measurements",
  "compose-hash",
  "app-id",
  "allow-status",
  "service-td",
  "least-evaluation",
];

export const VERIFY_QUOTE_SYNTAX = {
  operands: ["FILE"],
  flags: ["json", "allow-sept-ve"],
  values: [
    "collateral",
    "pccs",
    "root",
    "expect",
    "workload",
    "nonce",
    "address",
    "policy",
    "slots",
    "report-data",
    "key-provider",
    "at",
    ...IN_FILE,
  ],
} as const;

export interface Demands {
  readonly expectations: Expectations;
  readonly policy: QuotePolicy;
  readonly root: RootCertificate | undefined;
}

function readBytes({ values }: Arguments, option: string, length: number): Uint8Array | undefined {
  const text = values.get(option);
  if (text === undefined) return undefined;
  const bytes = fromHex(text.startsWith("0x") ? text : `0x${text}`);
  if (bytes?.length !== length) throw new UsageError(`--${option} must be ${length} bytes in hex`);
  return bytes;
}

function readExpected(given: Arguments, option: string, length: number): Expected<Uint8Array> | undefined {
  return given.values.get(option) === "any" ? "any" : readBytes(given, option, length);
}

/** Reads slots as `doctor` and `seal list` print them: `SOURCE:KEYID`, separated by commas. */
function readSlots({ values }: Arguments): Pick<Expectations, "slots"> {
  const text = values.get("slots");
  if (text === undefined) return {};
  const slots = text.split(",").map((one) => /^([a-z]+):([0-9a-f]{64})$/.exec(one.trim()));
  if (!slots.every((slot) => slot !== null)) {
    throw new UsageError(
      "--slots must be SOURCE:KEYID of each slot, separated by commas, as `seal list` prints them",
    );
  }
  return { slots: slots.map(([, source, keyId]) => ({ source: source!, keyId: keyId! })) };
}

function readProvider({ values }: Arguments): Pick<Expectations, "keyProvider"> {
  const text = values.get("key-provider");
  if (text === undefined) return {};
  if (!/^[^:]+(?::.+)?$/.test(text)) {
    throw new UsageError("--key-provider must be NAME:ID as doctor prints it, like kms:3059…, or any");
  }
  return { keyProvider: text === "any" ? "any" : readKeyProvider(text) };
}

function pointerOf(fault: InputFault): string {
  return "path" in fault && fault.path !== "" ? fault.path : "its top";
}

/** Returns the hash of the policy in a file: a policy, or an answer with a member `policy`. */
async function readPolicyHash(path: string): Promise<Uint8Array> {
  const text = await readInputText(path);
  try {
    const json = parseJson(text);
    return policyHash(readKeyPolicy(asObject(json)?.["policy"] ?? json));
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    const [fault] = cause.errors ?? [];
    const reason = fault === undefined ? `: ${cause.message}` : ` at ${pointerOf(fault)}: ${fault.message}`;
    throw new StartRefusal(`The policy in ${path} cannot be read${reason}`, { cause });
  }
}

async function readExpectationsFile(given: Arguments): Promise<Expectations> {
  const [nonce, address, policy, slots] = ["nonce", "address", "policy", "slots"].map((option) =>
    given.values.get(option)
  );
  const reportData = readExpected(given, "report-data", 64);
  if (reportData !== undefined && (nonce ?? address ?? policy ?? slots) !== undefined) {
    throw new UsageError(
      "--report-data is for quotes without claims, and excludes --nonce, --address, --policy and --slots",
    );
  }
  return {
    ...(reportData === undefined ? {} : { reportData }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(address === undefined ? {} : { address }),
    ...(policy === undefined ? {} : { policyHash: await readPolicyHash(policy) }),
    ...readSlots(given),
    ...readProvider(given),
  };
}

function readWorkloadExpectations(given: Arguments): Expectations {
  const measurements = given.values.get("measurements");
  if (measurements !== undefined && measurements !== "any") {
    throw new UsageError("--measurements can only be any");
  }
  const registers = Object.entries(REGISTER_OPTIONS).flatMap(([option, register]) => {
    const expected = readExpected(given, option, 48) ?? measurements;
    return expected === undefined ? [] : [[register, expected] as const];
  });
  const composeHash = readBytes(given, "compose-hash", 32);
  const appId = readBytes(given, "app-id", 20);
  return {
    registers: Object.fromEntries(registers),
    ...(composeHash === undefined ? {} : { composeHash }),
    ...(appId === undefined ? {} : { appId }),
  };
}

function readStatuses(text: string | undefined): QuotePolicy["statuses"] {
  const allowed = (text?.split(",") ?? []).map((name) => {
    const status = ACCEPTABLE_STATUSES.find((one) => one === name);
    if (status === undefined) {
      throw new UsageError(`--allow-status must be of ${ACCEPTABLE_STATUSES.join(", ")}`);
    }
    return status;
  });
  return [...STRICT_POLICY.statuses, ...allowed];
}

function readPolicy(given: Arguments): QuotePolicy {
  const { flags, values } = given;
  const least = values.get("least-evaluation") ?? "0";
  return {
    statuses: readStatuses(values.get("allow-status")),
    septVe: flags.has("allow-sept-ve") ? "any" : STRICT_POLICY.septVe,
    serviceTd: readBytes(given, "service-td", 48) ?? STRICT_POLICY.serviceTd,
    leastEvaluation: readNumber(least, { option: "least-evaluation", least: 0, most: 65_535 }),
  };
}

async function readRoot(path: string | undefined): Promise<RootCertificate | undefined> {
  if (path === undefined) return undefined;
  try {
    return parseRoot(await readInputText(path));
  } catch (error) {
    if (!(error instanceof CheckFault)) throw error;
    throw new StartRefusal(`The root cannot be read: ${error.message}`);
  }
}

async function readExpectFile(path: string): Promise<ExpectedWorkloads> {
  const text = await readInputText(path);
  try {
    refuseDuplicates(text);
    return readExpectedWorkloads(text);
  } catch (cause) {
    if (!(cause instanceof AllowListError)) throw cause;
    throw new StartRefusal(cause.message.replace("the allow-list", path), { cause });
  }
}

function chooseWorkload({ workloads }: ExpectedWorkloads, name: string | undefined): ExpectedWorkload {
  const names = [...workloads.keys()];
  if (name === undefined && names.length !== 1) {
    throw new UsageError(`--expect has ${names.length} workloads: name one by --workload`);
  }
  const chosen = workloads.get(name ?? names[0]!);
  if (chosen === undefined) throw new UsageError(`--expect has no workload ${name}`);
  return chosen;
}

function refuseBesideFile(given: Arguments): void {
  const besides = [...given.values.keys(), ...given.flags].find((option) =>
    IN_FILE.includes(option) || option === "allow-sept-ve"
  );
  if (besides !== undefined) throw new UsageError(`--${besides} does not go with --expect: the file says it`);
}

function reportOf(quote: Uint8Array): TdReport | undefined {
  try {
    return parseQuote(quote).report;
  } catch (error) {
    if (error instanceof QuoteFormatError) return undefined;
    throw error;
  }
}

async function readFileDemands(given: Arguments, path: string, quote: Uint8Array): Promise<Demands> {
  refuseBesideFile(given);
  const file = await readExpectFile(path);
  const { policy, others, ...workload } = chooseWorkload(file, given.values.get("workload"));
  const answerExpectations = await readExpectationsFile(given);
  if (others.keyProvider !== undefined && answerExpectations.keyProvider !== undefined) {
    throw new UsageError("--key-provider does not go with --expect: the file says it");
  }
  if (others.slots !== undefined && answerExpectations.slots !== undefined) {
    throw new UsageError("--slots does not go with --expect: the file says it");
  }
  if (file.root !== undefined && given.values.has("root")) {
    throw new UsageError("--root does not go with --expect: the file has one");
  }
  const registers = closestMeasurements({ policy, others, ...workload }, reportOf(quote));
  return {
    expectations: { ...others, ...answerExpectations, registers },
    policy,
    root: file.root ?? await readRoot(given.values.get("root")),
  };
}

/** Picks a file's measurements that are closest to the quote. Throws `UsageError` and `StartRefusal`. */
export async function readDemands(given: Arguments, quote: Uint8Array): Promise<Demands> {
  const path = given.values.get("expect");
  if (path !== undefined) return await readFileDemands(given, path, quote);
  if (given.values.has("workload")) throw new UsageError("--workload is one of the file of --expect");
  return {
    expectations: { ...readWorkloadExpectations(given), ...await readExpectationsFile(given) },
    policy: readPolicy(given),
    root: await readRoot(given.values.get("root")),
  };
}

export function readAt({ values }: Arguments, now: Instant): Instant {
  const text = values.get("at");
  if (text === undefined) return now;
  const instant = parseTimestamp(text);
  if (instant !== undefined) return instant;
  throw new UsageError(
    "--at must be a time like 2026-01-31T09:30:00Z or 2026-01-31T10:30:00+01:00, or a date",
  );
}
