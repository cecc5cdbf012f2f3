import * as v from "valibot";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { RootCertificate } from "../tee/quote/certificate.ts";
import { readKeyProvider } from "../tee/quote/key-provider.ts";
import type { Expectations, Expected, QuotePolicy } from "../tee/quote/evidence.ts";
import type { TdReport } from "../tee/quote/parse.ts";
import { MEASUREMENTS, POLICY, readWorkloads, RegisterSchema, UNSET } from "./allow-list.ts";

// The file that `verify-quote --expect` reads: an allow-list whose registers may be `any` and which may describe a
// dstack app.

export type ExpectedMeasurements = Readonly<Record<(typeof MEASUREMENTS)[number], Expected<Uint8Array>>>;

export interface ExpectedWorkload {
  /** Accepted versions, at least one. */
  readonly measurements: readonly ExpectedMeasurements[];
  readonly policy: QuotePolicy;
  readonly others: Pick<Expectations, "composeHash" | "appId" | "keyProvider" | "slots">;
}

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
  slots: v.optional(v.array(v.strictObject({
    source: v.string(),
    keyId: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits")),
  }))),
});

function toWorkload(
  { measurements, composeHash, appId, keyProvider, slots, ...policy }: v.InferOutput<typeof WorkloadSchema>,
): ExpectedWorkload {
  return {
    measurements,
    policy,
    others: {
      ...(composeHash === undefined ? {} : { composeHash }),
      ...(appId === undefined ? {} : { appId }),
      ...(slots === undefined ? {} : { slots }),
      ...(keyProvider === undefined
        ? {}
        : { keyProvider: keyProvider === "any" ? "any" : readKeyProvider(keyProvider) }),
    },
  };
}

/** Throws `AllowListError` if the text is invalid or has unknown members. */
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
