import type { AuditEvent } from "../audit/event.ts";
import { toChecksumAddress } from "../ethereum/address.ts";
import { matchStandard } from "../clear-signing/match-standard.ts";
import { selectorOf } from "../ethereum/transaction/explain.ts";
import type { Transaction } from "../ethereum/transaction/transaction.ts";
import { toHex } from "../lib/bytes.ts";
import { holderOf, type Requester } from "./requester.ts";
import type { CheckedSignRequest } from "./digest.ts";

type EventSubject = Pick<AuditEvent, "accountId" | "subject">;

/** The requester of a signature, and the passkey with which the owner approved it. */
export interface SignedBy {
  readonly requester: Requester;
  readonly approvedBy?: string | undefined;
}

/** Returns the common details. Omits requester, client and passkey if there is none. */
function commonDetails(
  { requester, approvedBy }: SignedBy,
  request: CheckedSignRequest,
): { digest: string; by?: string; client?: string; approvedBy?: string } {
  return {
    digest: toHex(request.digest),
    ...(requester.kind === "owner" ? {} : { by: holderOf(requester) }),
    ...(requester.kind === "application" ? { client: requester.clientId } : {}),
    ...(approvedBy === undefined ? {} : { approvedBy }),
  };
}

/** Records the digest, the requester, and of a transaction only data that the chain publishes. */
export function signedEvent(
  subject: EventSubject,
  signedBy: SignedBy,
  request: CheckedSignRequest,
): AuditEvent {
  const common = commonDetails(signedBy, request);
  switch (request.kind) {
    case "message":
      return { ...subject, event: "message_signed", detail: { ...common, format: request.format } };
    case "typed_data": {
      const standard = matchStandard(request.typedData);
      const detail = standard === undefined ? common : { ...common, standard };
      return { ...subject, event: "typed_data_signed", detail };
    }
    case "transaction":
      return {
        ...subject,
        event: "transaction_signed",
        detail: { ...common, ...summaryOf(request.transaction) },
      };
    case "authorization": {
      const { chainId, address } = request.authorization;
      const detail = { ...common, chainId: chainId.toString(), delegate: toChecksumAddress(address) };
      return { ...subject, event: "authorization_signed", detail };
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
