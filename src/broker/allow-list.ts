import * as v from "valibot";
import { constantTimeEqual } from "../lib/bytes.ts";
import { isWorkloadName } from "../tee/broker/broker-protocol.ts";
import { parseRoot, type RootCertificate } from "../tee/quote/certificate.ts";
import { CheckFault } from "../tee/quote/fault.ts";
import type { TdReport } from "../tee/quote/parse.ts";
import { ACCEPTABLE_STATUSES, type QuotePolicy } from "../tee/quote/evidence.ts";

export const MEASUREMENTS = [
  "mrTd",
  "rtmr0",
  "rtmr1",
  "rtmr2",
  "rtmr3",
  "mrConfigId",
  "mrOwner",
  "mrOwnerConfig",
] as const;

/** The registers of an allowed trust domain, 48 bytes each. */
export type Measurements = Readonly<Record<(typeof MEASUREMENTS)[number], Uint8Array>>;

export interface AllowedWorkload {
  /** Accepted versions. A report must match all registers of one. */
  readonly measurements: readonly Measurements[];
  readonly policy: QuotePolicy;
}

export interface AllowList {
  readonly workloads: ReadonlyMap<string, AllowedWorkload>;
  /** Trusted root in place of Intel's, for tests without hardware. */
  readonly root: RootCertificate | undefined;
}

export class AllowListError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`Cannot use the allow-list: ${message}`, options);
    this.name = "AllowListError";
  }
}

export const RegisterSchema = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{96}$/, "must be 96 hexadecimal digits"),
  v.transform((text): Uint8Array => Uint8Array.fromHex(text)),
);
export const UNSET = "00".repeat(48);

/** An omitted register must be zero, which it is unless the host sets it. */
const MeasurementsSchema = v.strictObject({
  mrTd: RegisterSchema,
  rtmr0: RegisterSchema,
  rtmr1: RegisterSchema,
  rtmr2: RegisterSchema,
  rtmr3: RegisterSchema,
  mrConfigId: v.optional(RegisterSchema, UNSET),
  mrOwner: v.optional(RegisterSchema, UNSET),
  mrOwnerConfig: v.optional(RegisterSchema, UNSET),
});

export const POLICY = {
  statuses: v.optional(v.pipe(v.array(v.picklist(ACCEPTABLE_STATUSES)), v.minLength(1)), ["UpToDate"]),
  septVe: v.optional(v.picklist(["disabled", "any"]), "disabled"),
  serviceTd: v.optional(v.union([v.literal("none"), RegisterSchema]), "none"),
  leastEvaluation: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
} as const;

const WorkloadSchema = v.strictObject({ measurements: v.array(MeasurementsSchema), ...POLICY });
const NameSchema = v.pipe(v.string(), v.check(isWorkloadName, "is not the name of a workload"));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AllowListError("it is not JSON", { cause });
  }
}

function readRoot(pem: string): RootCertificate {
  try {
    return parseRoot(pem);
  } catch (cause) {
    if (!(cause instanceof CheckFault)) throw cause;
    throw new AllowListError(`root: ${cause.message}`, { cause });
  }
}

/** Throws `AllowListError` if the text is invalid or has unknown members. */
export function readWorkloads<S extends v.GenericSchema<unknown, object>>(
  text: string,
  workload: S,
): {
  readonly workloads: readonly (readonly [name: string, workload: v.InferOutput<S>])[];
  readonly root: RootCertificate | undefined;
} {
  const schema = v.strictObject({ workloads: v.record(NameSchema, workload), root: v.optional(v.string()) });
  const result = v.safeParse(schema, parseJson(text));
  if (!result.success) {
    const [issue] = result.issues;
    throw new AllowListError(`${v.getDotPath(issue) ?? "it"}: ${issue.message}`);
  }
  const { workloads, root } = result.output;
  return { workloads: Object.entries(workloads), root: root === undefined ? undefined : readRoot(root) };
}

export function readAllowList(text: string): AllowList {
  const { workloads, root } = readWorkloads(text, WorkloadSchema);
  const entries = workloads.map(([name, { measurements, ...policy }]) =>
    [name, { measurements, policy }] as const
  );
  return { workloads: new Map(entries), root };
}

/** Returns the measurements that equal the report's in every register. Does not verify the report. */
export function findMeasurements(
  { measurements }: AllowedWorkload,
  report: TdReport,
): Measurements | undefined {
  return measurements.find((allowed) =>
    MEASUREMENTS.every((name) => constantTimeEqual(allowed[name], report[name]))
  );
}
