/** A check failed. The message is one sentence for a person, without a final period. */
export class CheckFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CheckFault";
  }
}
