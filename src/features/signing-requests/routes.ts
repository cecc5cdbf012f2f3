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
    summary: "List pending signing requests: a program's own, or all for the owner",
    returns: { 200: SigningRequestList },
  }, FOR_TOKENS),
  route("GET", "/api/signing-requests/:requestId", getRequest, {
    id: "getSigningRequest",
    tag,
    summary: "Get a signing request and, if it was approved, its signature",
    description:
      "With `Prefer: wait=8`, the response comes when the owner decides, at the latest after 8 seconds.",
    headers: ["Prefer", "Holdfast-Witness"],
    returns: { 200: GivenSigningRequest },
    responseHeaders: { 200: ["Retry-After", "Preference-Applied"] },
    receipt: true,
  }, FOR_TOKENS),
  route("DELETE", "/api/signing-requests/:requestId", withdrawRequest, {
    id: "withdrawSigningRequest",
    tag,
    summary: "Withdraw a signing request",
    returns: { 204: null },
    codes: ["signing_request_over"],
  }, FOR_TOKENS),
  route("POST", "/api/signing-requests/:requestId/approval/options", createApprovalOptions, {
    id: "getApprovalOptions",
    tag,
    summary: "Get passkey options that approve this signing request only",
    returns: { 200: RequestOptions },
    limits: ["passkey_ceremony"],
    codes: ["signing_request_over"],
  }),
  route("POST", "/api/signing-requests/:requestId/approval", approveRequest, {
    id: "approveSigningRequest",
    tag,
    summary: "Approve a signing request with a passkey",
    description:
      "Checks the key, the policies and the requester again. If they no longer allow the signature, the request ends. " +
      "While a limit of a policy is used up, it stays pending.",
    returns: { 200: GivenSigningRequest },
    limits: ["sign"],
    receipt: true,
    codes: ["signing_request_over", "limit_used_up", "invalid_passkey"],
  }),
  route("POST", "/api/signing-requests/:requestId/decline", declineRequest, {
    id: "declineSigningRequest",
    tag,
    summary: "Decline a signing request, with an optional message",
    returns: { 200: SigningRequestAnswer },
    codes: ["signing_request_over"],
  }),
  pageRoute("GET", "/requests", showRequests, {
    id: "requestsPage",
    summary: "Your pending signing requests",
  }),
  pageRoute("GET", "/requests/:requestId", showRequest, { id: "requestPage", summary: "A signing request" }),
  preflightRoute("/api/signing-requests", "GET", FOR_TOKENS),
  preflightRoute("/api/signing-requests/:requestId", "GET, DELETE", FOR_TOKENS),
];

export const SIGNING_REQUEST_SCRIPTS: readonly Script[] = [REQUEST_SCRIPT];
