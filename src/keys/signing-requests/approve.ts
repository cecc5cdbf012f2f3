import { beginConfirmation, finishConfirmation } from "../../accounts/passkey-confirmation.ts";
import type { Confirmation, ConfirmationResponse } from "../../accounts/passkey-confirmation.ts";
import type { RelyingParty } from "../../accounts/services.ts";
import { requireSession, type SignedIn } from "../../accounts/session/session.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { CheckedSignRequest } from "../digest.ts";
import type { FindMatch } from "../enforce.ts";
import { countRefusal } from "../refusal-rule.ts";
import { withPolicy } from "../requester.ts";
import { decideApproved, signApproved, type Signing, type SignValue } from "../sign.ts";
import { type ProblemCode, ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { sameValue } from "../../lib/object.ts";
import type { Instant } from "../../lib/time.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { Policy } from "../../policy/policy.ts";
import { PolicyDenial } from "../../policy/reason.ts";
import type { Authentic } from "../../store/authentic.ts";
import { replaceRow } from "../../store/write.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "../../webauthn/options.ts";
import { openDocument } from "./sealed-document.ts";
import { endSigningRequest } from "./close.ts";
import {
  getSigningRequestRow,
  isPending,
  ownerOf,
  requestEnded,
  toSigningRequest,
} from "./signing-request.ts";
import type { SigningRequest } from "./signing-request.ts";

export interface Approval {
  readonly signedIn: SignedIn;
  readonly requestId: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

type Row = Authentic<"signing_request">;

/** Binds the confirmation to this request and its digest, which the passkey signs. */
function confirmationOf(approval: Approval, { id, digest }: Row): Confirmation {
  return { ...approval, purpose: `approve:${id}`, boundData: digest };
}

async function getPendingRow(
  db: Db,
  { authority }: Pick<Signing, "authority">,
  { signedIn: { account }, requestId, now }: Approval,
): Promise<Row> {
  const which = { ...ownerOf(account), requestId };
  const row = await getSigningRequestRow(db, authority, which);
  if (!isPending(row, now)) throw requestEnded(toSigningRequest(row, now));
  return row;
}

/**
 * Begins an approval. The challenge ends with the digest and is valid for this request only. Requires a ceremony even
 * right after a sign-in. Throws `not_found`, `signing_request_over` and `rate_limited`.
 */
export async function beginApproval(
  db: Db,
  services: Signing,
  approval: Approval & { readonly network: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const row = await getPendingRow(db, services, approval);
  return await beginConfirmation(db, services, {
    ...confirmationOf(approval, row),
    network: approval.network,
  });
}

/** Refusals that end a request. Others, such as rate limits, leave it pending. */
const ENDING: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "policy_denied",
  "blind_signing_denied",
  "looks_like_transaction",
  "key_archived",
  "authentication_required",
  "insufficient_scope",
  "not_found",
]);

/** Returns true if a policy would allow the request but for a count or a budget, which has room again later. */
function isUsedUp({ cause }: ProtocolError): boolean {
  return cause instanceof PolicyDenial && cause.code === "usedUp";
}

/**
 * Approves a request in the transaction that records the passkey's use. Parses and hashes the document again. Checks
 * session, request, requester, key and current policies again. Then records the signature, which the requester can
 * fetch.
 *
 * A check that now fails ends the request and throws `signing_request_over`. Throws `limit_used_up` if a count or a
 * budget of a policy is used up: the request stays pending. Throws `not_found`, and the errors of
 * `finishConfirmation`. `db` must be the outer handle.
 */
export async function finishApproval(
  db: Db,
  services: Signing & { readonly mailer: Mailer },
  approval: Approval & ConfirmationResponse,
): Promise<SigningRequest> {
  const { signedIn: { account, session }, requestId, response, device, network, now } = approval;
  const row = await getPendingRow(db, services, approval);
  const { request, policy } = await openDocument(services, row);
  const findMatch = await decideApproved(db, services, signValueOf(row, { policy, now }), request);
  const confirmation = { ...confirmationOf(approval, row), response, device, network };
  try {
    const approved = await finishConfirmation(db, services, confirmation, {
      perform: async (tx, passkey) => {
        await requireSession(tx, services.authority, session);
        return await record(tx, services, approval, {
          row,
          request,
          policy,
          findMatch,
          passkeyId: passkey.id,
        });
      },
      refused: (reason) => ({
        event: "approval_refused",
        accountId: account.id,
        subject: row.key_id,
        detail: { request: requestId, reason },
      }),
    });
    services.metrics.count("holdfast_signatures_total", request.kind);
    return approved;
  } catch (error) {
    if (!(error instanceof ApprovalRefusal)) throw error;
    countRefusal(services.metrics, error.refusal);
    const { code, message } = error.refusal;
    const which = { ...ownerOf(account), requestId };
    await endSigningRequest(db, services, { which, now, change: { state: "refused", code, word: message } });
    throw new ProtocolError("signing_request_over", `Refused, and the request is closed: ${message}`, {
      cause: error.refusal,
    });
  }
}

function signValueOf(
  row: Row,
  { policy, now }: { readonly policy: Policy | undefined; readonly now: Instant },
): SignValue {
  const { accountId, keyId, requester } = toSigningRequest(row, now);
  return { accountId, keyId, requester: withPolicy(requester, policy), now };
}

/** Thrown if the approved request may no longer be signed. */
class ApprovalRefusal extends Error {
  readonly refusal: ProtocolError;

  constructor(refusal: ProtocolError) {
    super("Cannot sign what was approved", { cause: refusal });
    this.refusal = refusal;
  }
}

async function record(
  tx: Db,
  services: Signing,
  approval: Approval,
  { row, request, policy, findMatch, passkeyId }: {
    readonly row: Row;
    readonly request: CheckedSignRequest;
    readonly policy: Policy | undefined;
    readonly findMatch: FindMatch;
    readonly passkeyId: string;
  },
): Promise<SigningRequest> {
  const { now } = approval;
  const present = await getPendingRow(tx, services, approval);
  if (!sameValue(present.mac, row.mac)) throw requestEnded(toSigningRequest(present, now));
  try {
    const by = { ...signValueOf(present, { policy, now }), approvedBy: passkeyId, findMatch };
    await signApproved(tx, services, by, request);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { message, members } = error;
    if (isUsedUp(error)) {
      throw new ProtocolError("limit_used_up", message, { cause: error, members: members! });
    }
    throw ENDING.has(error.code) ? new ApprovalRefusal(error) : error;
  }
  const signed = await replaceRow(tx, services.authority, "signing_request", present, {
    state: "signed",
    ended_at: now,
  });
  return toSigningRequest(signed, now);
}
