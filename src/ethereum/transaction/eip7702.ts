import { SIGNED_AUTHORIZATION } from "./authorization-tuple.ts";
import { checkFees } from "./eip1559.ts";
import { type Envelope, sealedWithParity } from "./envelope.ts";
import { checked, listOf } from "./member.ts";
import { ACCESS_LIST, CHAIN_ID, DATA, GAS_LIMIT, NONCE, PRICE, RECIPIENT, VALUE } from "./members.ts";
import { refuse } from "./transaction-reading.ts";
import { tableOf } from "./struct.ts";
import type { Eip7702Transaction } from "./transaction.ts";

const AUTHORIZATION_LIST = checked(listOf(SIGNED_AUTHORIZATION), (reading, authorizations) => {
  if (authorizations.length === 0) {
    refuse(reading, "A transaction that sets code has at least one authorization");
  }
});

/** Type 4: sets the code of accounts (EIP-7702). Does not check which accounts signed the authorizations. */
export const EIP7702: Envelope<Eip7702Transaction> = {
  type: "eip7702",
  lead: Uint8Array.of(4),
  table: tableOf({
    chainId: CHAIN_ID,
    nonce: NONCE,
    maxPriorityFeePerGas: PRICE,
    maxFeePerGas: PRICE,
    gasLimit: GAS_LIMIT,
    to: RECIPIENT,
    value: VALUE,
    data: DATA,
    accessList: ACCESS_LIST,
    authorizationList: AUTHORIZATION_LIST,
  }),
  unsignedTail: [],
  sealed: sealedWithParity,
  check: checkFees,
};
