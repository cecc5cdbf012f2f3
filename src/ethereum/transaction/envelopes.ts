import { EIP1559 } from "./eip1559.ts";
import { EIP2930 } from "./eip2930.ts";
import { EIP4844 } from "./eip4844.ts";
import { EIP7702 } from "./eip7702.ts";
import type { Envelope } from "./envelope.ts";
import { LEGACY } from "./legacy.ts";
import type { Transaction, TransactionType } from "./transaction.ts";

type Envelopes = {
  readonly [T in TransactionType]: Envelope<Extract<Transaction, { readonly type: T }>>;
};

const ENVELOPES: Envelopes = {
  legacy: LEGACY,
  eip2930: EIP2930,
  eip1559: EIP1559,
  eip4844: EIP4844,
  eip7702: EIP7702,
};

export const TRANSACTION_TYPES = Object.keys(ENVELOPES) as readonly TransactionType[];

/** Returns the envelope of a type. Pass it only transactions of that type: the compiler cannot check this. */
export function envelopeOf(type: TransactionType): Envelope<Transaction> {
  return ENVELOPES[type] as unknown as Envelope<Transaction>;
}

/** Returns the type whose bytes begin with this byte (EIP-2718), or undefined if it is unknown. */
export function typeOfLead(lead: number): TransactionType | undefined {
  return TRANSACTION_TYPES.find((type) => envelopeOf(type).lead[0] === lead);
}
