/** What is wrong where it is nothing else: the collateral is authentic, and no longer in force. */
export type FaultReason = "stale_collateral";

/** A check failed. The message is one sentence for a person, without a final period. */
export class CheckFault extends Error {
  readonly reason: FaultReason | undefined;

  constructor(message: string, options: ErrorOptions & { readonly reason?: FaultReason } = {}) {
    super(message, options);
    this.name = "CheckFault";
    this.reason = options.reason;
  }
}

/** A check could not be made, for want of something. The message says of what. */
export class NotChecked extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotChecked";
  }
}

/** A check was not made, because the caller said that it need not be. The message says what was there. */
export class Waived extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Waived";
  }
}
