/** A check failed. The message is one sentence for a person, without a final period. */
export class CheckFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CheckFault";
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
