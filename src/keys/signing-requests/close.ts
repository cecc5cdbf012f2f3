import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { holderOf } from "../requester.ts";
import type { ProblemCode } from "../../lib/error.ts";
import { readName } from "../../lib/text.ts";
import type { Instant } from "../../lib/time.ts";
import { replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { getSigningRequestRow, isPending, requestEnded, toSigningRequest } from "./signing-request.ts";
import type { SigningRequest, WhichRequest } from "./signing-request.ts";

/** Maximum length of the owner's message when declining, in Unicode code points. */
export const WORD_LIMIT = 200;

export function readWord(text: string): string | undefined {
  return readName(text, WORD_LIMIT);
}

export interface SigningRequestEnd {
  readonly which: WhichRequest;
  readonly change: {
    readonly state: "declined" | "refused" | "withdrawn";
    readonly code: ProblemCode | null;
    readonly word: string | null;
  };
  readonly now: Instant;
}

/** Ends a pending request and deletes its document. Throws `not_found` and `signing_request_over`. */
export async function endSigningRequest(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  { which, change, now }: SigningRequestEnd,
): Promise<SigningRequest> {
  return await transaction(db, async (tx) => {
    const row = await getSigningRequestRow(tx, authority, which);
    if (!isPending(row, now)) throw requestEnded(toSigningRequest(row, now));
    const ended = await replaceRow(tx, authority, "signing_request", row, {
      ...change,
      document: null,
      ended_at: now,
    });
    const request = toSigningRequest(ended, now);
    const by = holderOf(request.requester);
    await appendAudit(tx, vault, now, {
      event: "signing_request_ended",
      accountId: request.accountId,
      subject: request.keyId,
      detail: {
        request: request.id,
        how: change.state,
        reason: change.code,
        ...(by === undefined ? {} : { by }),
      },
    });
    return request;
  });
}
