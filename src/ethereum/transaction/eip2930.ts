import { type Envelope, sealedWithParity } from "./envelope.ts";
import { ACCESS_LIST, CHAIN_ID, DATA, GAS_LIMIT, NONCE, PRICE, RECIPIENT_OR_NULL, VALUE } from "./members.ts";
import { tableOf } from "./struct.ts";
import type { Eip2930Transaction } from "./transaction.ts";

/** Type 1: optional access lists (EIP-2930). */
export const EIP2930: Envelope<Eip2930Transaction> = {
  type: "eip2930",
  lead: Uint8Array.of(1),
  table: tableOf({
    chainId: CHAIN_ID,
    nonce: NONCE,
    gasPrice: PRICE,
    gasLimit: GAS_LIMIT,
    to: RECIPIENT_OR_NULL,
    value: VALUE,
    data: DATA,
    accessList: ACCESS_LIST,
  }),
  unsignedTail: [],
  sealed: sealedWithParity,
};
