import * as v from "valibot";
import { toSignedJson } from "../../api/signature.ts";
import { toSigningRequestJson } from "../../api/signing-request.ts";
import type {
  GivenSigningRequest,
  SigningRequestAnswer,
  SigningRequestList,
} from "../../api/signing-request.ts";
import { textOf } from "../../api/value.ts";
import type { RequestOptions } from "../../api/webauthn.ts";
import { session } from "../../http/guard/account-guards.ts";
import { createAuthorizationCheck, sessionOrTokenToAsk } from "../../http/guard/key-guards.ts";
import { keysOf, type KeyUser } from "../../http/guard/key-requester.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { deviceAndNetworkOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { type ExtraHeaders, json, noContent, retryHeader } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { AuthorizationCheck } from "../../keys/requester.ts";
import { beginApproval, finishApproval } from "../../keys/signing-requests/approve.ts";
import { endSigningRequest, readWord, WORD_LIMIT } from "../../keys/signing-requests/close.ts";
import { reviewSigningRequest } from "../../keys/signing-requests/review.ts";
import { listPendingRequests, ownerOf } from "../../keys/signing-requests/signing-request.ts";
import type {
  RequestReader,
  SigningRequest,
  WhichRequest,
} from "../../keys/signing-requests/signing-request.ts";
import { LONGEST_WAIT, waitForSigningRequest } from "../../keys/signing-requests/wait.ts";
import { networkOf } from "../../lib/ip-address.ts";

const ApproveBody = v.strictObject({ response: v.unknown() });

const DeclineBody = v.strictObject({
  word: v.optional(textOf(readWord, `Expected 1 to ${WORD_LIMIT} characters without control characters`)),
});

function readerOf({ account, requester }: KeyUser): RequestReader {
  return { accountId: account.id, requester, keys: keysOf(requester) };
}

function requestOf({ params }: RequestContext, reader: RequestReader): WhichRequest {
  return { ...reader, requestId: params.requestId! };
}

async function show(
  context: RequestContext,
  services: Services,
  { which, request }: { readonly which: WhichRequest; readonly request: SigningRequest },
  headers: ExtraHeaders,
): Promise<Response> {
  const shown = toSigningRequestJson(request);
  if (request.state !== "signed") return json<typeof GivenSigningRequest>(200, { request: shown }, headers);
  const { document, signed } = await reviewSigningRequest(services.db, services, which, context.now);
  const given = { request: { ...shown, signed: toSignedJson(document!, signed!) } };
  return json<typeof GivenSigningRequest>(200, given, headers);
}

export const listRequests = defineEndpoint(
  sessionOrTokenToAsk,
  { query: NO_MEMBERS },
  async ({ now }, user, _input, { db, authority }) => {
    const requests = await listPendingRequests(db, authority, readerOf(user), now);
    return json<typeof SigningRequestList>(200, { requests: requests.map(toSigningRequestJson) });
  },
);

export const getRequest = defineEndpoint(
  sessionOrTokenToAsk,
  { query: NO_MEMBERS },
  async (context, user, _input, services) => {
    const { request: { headers, signal }, now } = context;
    const which = requestOf(context, readerOf(user));
    const wait = readWait(headers);
    const waitOptions = { now, seconds: wait ?? 0, signal };
    const request = await waitForSigningRequest(services.db, services.authority, which, waitOptions);
    const applied = wait === undefined
      ? []
      : [["preference-applied", `wait=${Math.min(wait, LONGEST_WAIT)}`] as const];
    return await show(context, services, { which, request }, [...retryHeader(request), ...applied]);
  },
);

export const withdrawRequest = defineEndpoint(
  sessionOrTokenToAsk,
  { optionalBody: NO_MEMBERS },
  async (context, user, _input, services) => {
    const change = { state: "withdrawn", code: null, word: null } as const;
    const which = requestOf(context, readerOf(user));
    await endSigningRequest(services.db, services, { which, change, now: context.now });
    return noContent();
  },
);

/** Returns services that add `RateLimit` headers and recheck the authorization of the requester. */
function approvingWith(
  context: RequestContext,
  services: Services,
): Services & { authorizationCheck: AuthorizationCheck } {
  return withRateLimitHeaders(context, {
    ...services,
    authorizationCheck: createAuthorizationCheck(services),
  });
}

export const createApprovalOptions = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async (context, signedIn, _input, services) => {
    const { db, relyingParty, random } = services;
    const { params, clientAddress, now } = context;
    const network = networkOf(clientAddress);
    const approval = { signedIn, requestId: params.requestId!, relyingParty, now, random, network };
    const options = await beginApproval(db, approvingWith(context, services), approval);
    return json<typeof RequestOptions>(200, options);
  },
);

export const approveRequest = defineEndpoint(
  session,
  { body: ApproveBody },
  async (context, signedIn, { body: { response } }, services) => {
    const { db, relyingParty, random } = services;
    const request = await finishApproval(db, approvingWith(context, services), {
      ...deviceAndNetworkOf(context),
      signedIn,
      requestId: context.params.requestId!,
      relyingParty,
      now: context.now,
      random,
      response,
    });
    const which = requestOf(context, ownerOf(signedIn.account));
    return await show(context, services, { which, request }, []);
  },
);

export const declineRequest = defineEndpoint(
  session,
  { optionalBody: DeclineBody },
  async (context, { account }, { body: { word = null } }, services) => {
    const which = requestOf(context, ownerOf(account));
    const change = { state: "declined", code: null, word } as const;
    const request = await endSigningRequest(services.db, services, { which, change, now: context.now });
    return json<typeof SigningRequestAnswer>(200, { request: toSigningRequestJson(request) });
  },
);

/** Longer ones are ignored, because the pattern takes quadratic time: `wait` and its number are far shorter. */
const LONGEST_PREFERENCE = 100;

/** One preference (RFC 7240 section 2): a name, an optional value, and parameters, of which `wait` has none. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))?\s*)?(?:;.*)?$/;

/**
 * Returns the seconds that a client prefers to wait for its response (RFC 7240 section 4.3, `Prefer: wait=10`). Uses
 * the first of several. Returns undefined without the preference, or if its value is not a whole number: section 2
 * requires that such a preference is ignored.
 */
export function readWait(headers: Headers): number | undefined {
  for (const text of (headers.get("prefer") ?? "").split(",")) {
    if (text.length > LONGEST_PREFERENCE) continue;
    const [, name, quoted, token] = PREFERENCE.exec(text) ?? [];
    if (name?.toLowerCase() !== "wait") continue;
    const value = quoted ?? token ?? "";
    return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  }
  return undefined;
}
