import { type Envelope, scalarItem } from "./envelope.ts";
import { CHAIN_ID, DATA, GAS_LIMIT, NONCE, PRICE, RECIPIENT_OR_NULL, VALUE } from "./members.ts";
import { tableOf } from "./struct.ts";
import type { LegacyTransaction } from "./transaction.ts";

const NO_BYTES = new Uint8Array(0);

/** The transaction without a type (Yellow Paper, section 4.3), for one chain (EIP-155). */
export const LEGACY: Envelope<LegacyTransaction> = {
  type: "legacy",
  lead: NO_BYTES,
  table: tableOf({
    nonce: NONCE,
    gasPrice: PRICE,
    gasLimit: GAS_LIMIT,
    to: RECIPIENT_OR_NULL,
    value: VALUE,
    data: DATA,
    chainId: CHAIN_ID,
  }),
  unsignedTail: [NO_BYTES, NO_BYTES],
  sealed: (members, { chainId }, { yParity, r, s }) => {
    const v = 2n * chainId + 35n + BigInt(yParity);
    return [...members.slice(0, -1), v, scalarItem(r), scalarItem(s)];
  },
};
