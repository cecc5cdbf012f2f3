import type { AuditEvent } from "../audit/event.ts";
import { toChecksumAddress } from "../ethereum/address.ts";
import { selectorOf } from "../ethereum/transaction/explain.ts";
import type { Transaction } from "../ethereum/transaction/transaction.ts";
import { toHex } from "../lib/bytes.ts";
import type { CheckedSignRequest } from "./digest.ts";

/** Whose key signed. */
type Whose = Pick<AuditEvent, "accountId" | "subject">;

/** What the log says of a signature over this request: its digest, and of a transaction what chains show anyway. */
export function signedEvent(whose: Whose, request: CheckedSignRequest): AuditEvent {
  const digest = toHex(request.digest);
  switch (request.kind) {
    case "message":
      return { ...whose, event: "message_signed", detail: { format: request.format, digest } };
    case "typed_data":
      return { ...whose, event: "typed_data_signed", detail: { digest } };
    case "transaction":
      return { ...whose, event: "transaction_signed", detail: { digest, ...summaryOf(request.transaction) } };
    case "authorization": {
      const { chainId, address } = request.authorization;
      const detail = { digest, chainId: chainId.toString(), delegate: toChecksumAddress(address) };
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
