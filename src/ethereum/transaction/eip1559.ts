import { type Envelope, sealedWithParity } from "./envelope.ts";
import { ACCESS_LIST, CHAIN_ID, DATA, GAS_LIMIT, NONCE, PRICE, RECIPIENT_OR_NULL, VALUE } from "./members.ts";
import { type Reading, refuse } from "./transaction-reading.ts";
import { tableOf } from "./struct.ts";
import type { Eip1559Transaction } from "./transaction.ts";

/** Refuses a priority fee above the maximum fee, because every node drops such a transaction (EIP-1559). */
export function checkFees(
  reading: Reading,
  fees: Pick<Eip1559Transaction, "maxPriorityFeePerGas" | "maxFeePerGas">,
): void {
  if (fees.maxPriorityFeePerGas <= fees.maxFeePerGas) return;
  refuse(reading, "maxPriorityFeePerGas is larger than maxFeePerGas", "maxPriorityFeePerGas");
}

/** Type 2: a fee market (EIP-1559). */
export const EIP1559: Envelope<Eip1559Transaction> = {
  type: "eip1559",
  lead: Uint8Array.of(2),
  table: tableOf({
    chainId: CHAIN_ID,
    nonce: NONCE,
    maxPriorityFeePerGas: PRICE,
    maxFeePerGas: PRICE,
    gasLimit: GAS_LIMIT,
    to: RECIPIENT_OR_NULL,
    value: VALUE,
    data: DATA,
    accessList: ACCESS_LIST,
  }),
  unsignedTail: [],
  sealed: sealedWithParity,
  check: checkFees,
};
