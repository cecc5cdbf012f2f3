import * as v from "valibot";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { RootCertificate } from "../tee/quote/certificate.ts";
import { readKeyProvider } from "../tee/quote/key-provider.ts";
import type { Expectations, Expected, Policy } from "../tee/quote/evidence.ts";
import type { TdReport } from "../tee/quote/parse.ts";
import { MEASUREMENTS, POLICY, readWorkloads, RegisterSchema, UNSET } from "./allow-list.ts";

// What `verify-quote --expect` reads: an allow-list in which a register may be anything and a dstack app is described.

/** What one version of a workload is measured as. */
export type ExpectedMeasurements = Readonly<Record<(typeof MEASUREMENTS)[number], Expected<Uint8Array>>>;

/** What somebody expects of a trust domain. */
export interface ExpectedWorkload {
  /** Any one of them, at least one. */
  readonly measurements: readonly ExpectedMeasurements[];
  readonly policy: Policy;
  readonly others: Pick<Expectations, "composeHash" | "appId" | "keyProvider">;
}

/** Workloads by their names, and whose certificates count in place of Intel's. */
export interface ExpectedWorkloads {
  readonly workloads: ReadonlyMap<string, ExpectedWorkload>;
  readonly root: RootCertificate | undefined;
}

function bytesOf(length: number) {
  return v.pipe(
    v.string(),
    v.regex(new RegExp(`^[0-9a-fA-F]{${2 * length}}$`), `must be ${2 * length} hexadecimal digits`),
    v.transform((text): Uint8Array => Uint8Array.fromHex(text)),
  );
}

const register = v.union([v.literal("any"), RegisterSchema], "must be 96 hexadecimal digits or any");
const unset = v.optional(register, UNSET);

const MeasurementsSchema = v.strictObject({
  mrTd: register,
  rtmr0: register,
  rtmr1: register,
  rtmr2: register,
  rtmr3: register,
  mrConfigId: unset,
  mrOwner: unset,
  mrOwnerConfig: unset,
});

const WorkloadSchema = v.strictObject({
  measurements: v.pipe(v.array(MeasurementsSchema), v.minLength(1)),
  ...POLICY,
  composeHash: v.optional(bytesOf(32)),
  appId: v.optional(bytesOf(20)),
  keyProvider: v.optional(v.pipe(v.string(), v.minLength(1))),
});

function toWorkload(
  { measurements, composeHash, appId, keyProvider, ...policy }: v.InferOutput<typeof WorkloadSchema>,
): ExpectedWorkload {
  return {
    measurements,
    policy,
    others: {
      ...(composeHash === undefined ? {} : { composeHash }),
      ...(appId === undefined ? {} : { appId }),
      ...(keyProvider === undefined
        ? {}
        : { keyProvider: keyProvider === "any" ? "any" : readKeyProvider(keyProvider) }),
    },
  };
}

/** Reads expectations: the allow-list's form, and more. Throws `AllowListError` for anything that is not exactly one. */
export function readExpectedWorkloads(text: string): ExpectedWorkloads {
  const { workloads, root } = readWorkloads(text, WorkloadSchema);
  return {
    workloads: new Map(workloads.map(([name, workload]) => [name, toWorkload(workload)] as const)),
    root,
  };
}

function isAsExpected(expected: Expected<Uint8Array>, found: Uint8Array): boolean {
  return expected === "any" || constantTimeEqual(expected, found);
}

/** The measurements that a report agrees with in the most registers: all of them, where any are its own. */
export function closestMeasurements(
  { measurements }: ExpectedWorkload,
  report: TdReport | undefined,
): ExpectedMeasurements {
  const agreement = (expected: ExpectedMeasurements): number =>
    report === undefined
      ? 0
      : MEASUREMENTS.filter((name) => isAsExpected(expected[name], report[name])).length;
  return measurements.reduce((best, one) => agreement(one) > agreement(best) ? one : best);
}
