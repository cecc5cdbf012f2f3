/** The reason of a fault if it is the only one: the collateral is authentic but expired. */
export type FaultReason = "stale_collateral";

/** A failed check. The message is one sentence for the user, without a final period. */
export class CheckFault extends Error {
  readonly reason: FaultReason | undefined;

  constructor(message: string, options: ErrorOptions & { readonly reason?: FaultReason } = {}) {
    super(message, options);
    this.name = "CheckFault";
    this.reason = options.reason;
  }
}

export class NotChecked extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotChecked";
  }
}

/** A check that the caller waived. The message contains the value found. */
export class Waived extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Waived";
  }
}
