import * as v from "valibot";
import { GivenSigningRequest, SigningRequestAnswer, SigningRequestList } from "../../api/signing-request.ts";
import { RequestOptions } from "../../api/webauthn.ts";
import { ApproveBody, DeclineBody } from "../../features/signing-requests/signing-requests.ts";
import type { Operations } from "../../http/description.ts";

const tag = "Requests";
const nothing = { bodyIs: "optional", body: v.strictObject({}) } as const;

/** Signatures that owners are asked for. */
export const SIGNING_REQUEST_OPERATIONS: Operations = {
  "GET /api/signing-requests": {
    id: "listSigningRequests",
    tag,
    summary: "List what waits: of a program what it asked, for the owner everything",
    answers: { 200: SigningRequestList },
  },
  "GET /api/signing-requests/:requestId": {
    id: "getSigningRequest",
    tag,
    summary: "See what became of a request, and fetch its signature",
    description:
      "With `Prefer: wait=8` it answers as soon as the owner has decided, and after 8 seconds at the latest.",
    headers: ["Prefer", "Holdfast-Witness"],
    answers: { 200: GivenSigningRequest },
    answerHeaders: ["Retry-After", "Preference-Applied", "Holdfast-Witness"],
  },
  "DELETE /api/signing-requests/:requestId": {
    id: "withdrawSigningRequest",
    tag,
    summary: "Take a request back",
    ...nothing,
    answers: { 204: null },
    codes: ["signing_request_over"],
  },
  "POST /api/signing-requests/:requestId/approval/options": {
    id: "getApprovalOptions",
    tag,
    summary: "Begin to approve a request: options for a passkey, for this one alone",
    ...nothing,
    answers: { 200: RequestOptions },
    limits: ["passkey_ceremony"],
    codes: ["signing_request_over"],
  },
  "POST /api/signing-requests/:requestId/approval": {
    id: "approveSigningRequest",
    tag,
    summary: "Approve a request with a passkey",
    description:
      "Keys, rules and whoever asked are looked at again: what they forbid by now ends the request.",
    body: ApproveBody,
    answers: { 200: GivenSigningRequest },
    answerHeaders: ["Holdfast-Witness"],
    limits: ["sign"],
    codes: ["signing_request_over", "invalid_passkey", "policy_denied"],
  },
  "POST /api/signing-requests/:requestId/decline": {
    id: "declineSigningRequest",
    tag,
    summary: "Decline a request, with a word if you like",
    bodyIs: "optional",
    body: DeclineBody,
    answers: { 200: SigningRequestAnswer },
    codes: ["signing_request_over"],
  },
};
