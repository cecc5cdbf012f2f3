import type { Op } from "./op.ts";

/** The test plans of the OpenID Foundation from which modules come. */
export type Plan = "Basic" | "Config" | "Dynamic" | "Logout" | "FAPI 2";

/** How a module ends that finds no fault. */
export interface Outcome {
  readonly verdict: "passed" | "warning" | "skipped";
  /** Empty for a module that passed. */
  readonly reason: string;
}

/** One test of the Foundation's, in our own code, under the Foundation's name. It throws what it finds wrong. */
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

/** The module found what a standard advises against, or misses what it only recommends. */
export function warning(reason: string): Outcome {
  return { verdict: "warning", reason };
}

/** The module asks for what this provider does not offer, and the provider says so by the standard's own means. */
export function skipped(reason: string): Outcome {
  return { verdict: "skipped", reason };
}

/** Runs a module to its verdict; a fault is an outcome here, not an exception. */
export async function runModule({ name, plan, run }: Module, op: Op): Promise<Result> {
  try {
    return { name, plan, ...await run(op) };
  } catch (error) {
    return { name, plan, verdict: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}
