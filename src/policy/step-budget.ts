/** The steps of one decision, well under 0.1 s. docs/reference/policies.md publishes it. */
export const DECISION_STEPS = 200_000;

/** The steps of the first part. Few decisions take more, and one part runs in the transaction that signs. */
const FIRST_PART_STEPS = 250;

/** The steps of each further part, about a millisecond. Between parts, other requests can run. */
const PART_STEPS = 2_000;

/** The characters of a value, or bytes of a call, that count as one step. */
const STEP_LENGTH = 64;

/** Thrown when a decision has used up its steps. */
export class StepBudgetError extends Error {}

/** A counter of a decision's steps. It counts values that are read or compared, and depends on no clock. */
export interface StepBudget {
  /** Counts steps. Returns true at the end of a part: yield then. Throws `StepBudgetError`. */
  take(steps: number): boolean;
}

/** Returns the steps of reading `length` characters or bytes. */
export function stepsOfLength(length: number): number {
  return Math.ceil(length / STEP_LENGTH);
}

export function createStepBudget(): StepBudget {
  let taken = 0;
  let partEnd = FIRST_PART_STEPS;
  return {
    take(steps) {
      taken += steps;
      if (taken > DECISION_STEPS) throw new StepBudgetError();
      if (taken < partEnd) return false;
      partEnd = taken + PART_STEPS;
      return true;
    },
  };
}
