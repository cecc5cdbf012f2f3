import type { Op } from "./op.ts";

/** The test plans of the OpenID Foundation that the modules belong to. */
export type Plan = "Basic" | "Config" | "Dynamic" | "Logout" | "FAPI 2";

/** The result of a module that finds no fault. */
export interface Outcome {
  readonly verdict: "passed" | "warning" | "skipped";
  /** Empty if the module passed. */
  readonly reason: string;
}

/** A module of the Foundation's tests, reimplemented under its name. `run` throws on a fault. */
export interface Module {
  readonly name: string;
  readonly plan: Plan;
  readonly run: (op: Op) => Promise<Outcome>;
}

export interface Result {
  readonly name: string;
  readonly plan: Plan;
  readonly verdict: Outcome["verdict"] | "failed";
  readonly reason: string;
}

export const PASSED: Outcome = { verdict: "passed", reason: "" };

/** Returns a warning: the provider does something that a standard advises against, or omits a recommendation. */
export function warning(reason: string): Outcome {
  return { verdict: "warning", reason };
}

/** Returns a skip: the provider does not offer the feature, and announces that as the standard defines. */
export function skipped(reason: string): Outcome {
  return { verdict: "skipped", reason };
}

/** Runs a module. Returns a fault as the verdict `failed` instead of throwing it. */
export async function runModule({ name, plan, run }: Module, op: Op): Promise<Result> {
  try {
    return { name, plan, ...await run(op) };
  } catch (error) {
    return { name, plan, verdict: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}
