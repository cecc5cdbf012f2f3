import type { AuditEvent } from "../audit/event.ts";
import { toChecksumAddress } from "../ethereum/address.ts";
import { standardOf } from "../ethereum/intent/recognise.ts";
import { selectorOf } from "../ethereum/transaction/explain.ts";
import type { Transaction } from "../ethereum/transaction/transaction.ts";
import { toHex } from "../lib/bytes.ts";
import type { CheckedSignRequest } from "./digest.ts";

/** Whose key signed. */
type Whose = Pick<AuditEvent, "accountId" | "subject">;

/** What every such entry says beyond that; nothing of a token where there was none. */
function factsOf(by: string | undefined, request: CheckedSignRequest): { digest: string; by?: string } {
  const digest = toHex(request.digest);
  return by === undefined ? { digest } : { digest, by };
}

/**
 * What the log says of a signature over this request: its digest, of a transaction what chains show anyway, and `by`,
 * the id of the token that asked for it.
 */
export function signedEvent(whose: Whose, by: string | undefined, request: CheckedSignRequest): AuditEvent {
  const facts = factsOf(by, request);
  switch (request.kind) {
    case "message":
      return { ...whose, event: "message_signed", detail: { ...facts, format: request.format } };
    case "typed_data": {
      const standard = standardOf(request.typedData);
      const detail = standard === undefined ? facts : { ...facts, standard };
      return { ...whose, event: "typed_data_signed", detail };
    }
    case "transaction":
      return {
        ...whose,
        event: "transaction_signed",
        detail: { ...facts, ...summaryOf(request.transaction) },
      };
    case "authorization": {
      const { chainId, address } = request.authorization;
      const detail = { ...facts, chainId: chainId.toString(), delegate: toChecksumAddress(address) };
      return { ...whose, event: "authorization_signed", detail };
    }
  }
}

function summaryOf(
  transaction: Transaction,
): { chainId: string; recipient: string | null; value: string; selector: string | null } {
  const selector = selectorOf(transaction);
  return {
    chainId: transaction.chainId.toString(),
    recipient: transaction.to === null ? null : toChecksumAddress(transaction.to),
    value: transaction.value.toString(),
    selector: selector === undefined ? null : toHex(selector),
  };
}
