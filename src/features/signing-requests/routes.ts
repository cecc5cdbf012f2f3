import { GivenSigningRequest, SigningRequestAnswer, SigningRequestList } from "../../api/signing-request.ts";
import { RequestOptions } from "../../api/webauthn.ts";
import { preflightRoute } from "../../http/preflight.ts";
import { FOR_TOKENS } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { showRequest, showRequests } from "./pages.ts";
import { REQUEST_SCRIPT } from "./request-page.ts";
import {
  approveRequest,
  createApprovalOptions,
  declineRequest,
  getRequest,
  listRequests,
  withdrawRequest,
} from "./signing-requests.ts";

const tag = "Requests";

export const SIGNING_REQUEST_ROUTES: readonly Route[] = [
  route("GET", "/api/signing-requests", listRequests, {
    id: "listSigningRequests",
    tag,
    summary: "List what waits: of a program what it asked, for the owner everything",
    answers: { 200: SigningRequestList },
  }, FOR_TOKENS),
  route("GET", "/api/signing-requests/:requestId", getRequest, {
    id: "getSigningRequest",
    tag,
    summary: "See what became of a request, and fetch its signature",
    description:
      "With `Prefer: wait=8` it answers as soon as the owner has decided, and after 8 seconds at the latest.",
    headers: ["Prefer", "Holdfast-Witness"],
    answers: { 200: GivenSigningRequest },
    answerHeaders: ["Retry-After", "Preference-Applied"],
    receipt: true,
  }, FOR_TOKENS),
  route("DELETE", "/api/signing-requests/:requestId", withdrawRequest, {
    id: "withdrawSigningRequest",
    tag,
    summary: "Take a request back",
    answers: { 204: null },
    codes: ["signing_request_over"],
  }, FOR_TOKENS),
  route("POST", "/api/signing-requests/:requestId/approval/options", createApprovalOptions, {
    id: "getApprovalOptions",
    tag,
    summary: "Begin to approve a request: options for a passkey, for this one alone",
    answers: { 200: RequestOptions },
    limits: ["passkey_ceremony"],
    codes: ["signing_request_over"],
  }),
  route("POST", "/api/signing-requests/:requestId/approval", approveRequest, {
    id: "approveSigningRequest",
    tag,
    summary: "Approve a request with a passkey",
    description:
      "Keys, rules and whoever asked are looked at again: what they forbid by now ends the request.",
    answers: { 200: GivenSigningRequest },
    limits: ["sign"],
    receipt: true,
    codes: ["signing_request_over", "invalid_passkey", "policy_denied"],
  }),
  route("POST", "/api/signing-requests/:requestId/decline", declineRequest, {
    id: "declineSigningRequest",
    tag,
    summary: "Decline a request, with a word if you like",
    answers: { 200: SigningRequestAnswer },
    codes: ["signing_request_over"],
  }),
  pageRoute("GET", "/requests", showRequests, {
    id: "requestsPage",
    summary: "The signatures that wait for one",
  }),
  pageRoute("GET", "/requests/:requestId", showRequest, { id: "requestPage", summary: "One of them" }),
  preflightRoute("/api/signing-requests", "GET", FOR_TOKENS),
  preflightRoute("/api/signing-requests/:requestId", "GET, DELETE", FOR_TOKENS),
];

export const SIGNING_REQUEST_SCRIPTS: readonly Script[] = [REQUEST_SCRIPT];
