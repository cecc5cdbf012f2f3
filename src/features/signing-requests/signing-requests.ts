import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
import { toSignedJson } from "../../api/signature.ts";
import { toSigningRequestJson } from "../../api/signing-request.ts";
import type {
  GivenSigningRequest,
  SigningRequestAnswer,
  SigningRequestList,
} from "../../api/signing-request.ts";
import { textOf } from "../../api/value.ts";
import type { RequestOptions } from "../../api/webauthn.ts";
import { receiptHeader } from "../../http/cookie/log-receipt.ts";
import { createMandates } from "../../http/guard/key-guards.ts";
import type { KeyUser } from "../../http/guard/key-requester.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { placeOf } from "../../http/request/client-info.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json, noContent, retryHeader } from "../../http/response/respond.ts";
import type { ExtraHeaders } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { beginApproval, finishApproval } from "../../keys/signing-requests/approve.ts";
import { end, readWord, WORD_LIMIT } from "../../keys/signing-requests/close.ts";
import { reviewSigningRequest } from "../../keys/signing-requests/review.ts";
import { listPendingRequests } from "../../keys/signing-requests/signing-request.ts";
import type { SigningRequest, WhichRequest } from "../../keys/signing-requests/signing-request.ts";
import { LONGEST_WAIT, waitForSigningRequest } from "../../keys/signing-requests/wait.ts";
import { networkOf } from "../../lib/ip-address.ts";

/** The endpoints of asked signatures: for whoever asks, and for the owner, who alone decides. */
export interface SigningRequestEndpoints {
  readonly list: LegacyEndpoint<KeyUser>;
  readonly get: LegacyEndpoint<KeyUser>;
  readonly withdraw: LegacyEndpoint<KeyUser>;
  readonly approvalOptions: LegacyEndpoint<SignedIn>;
  readonly approve: LegacyEndpoint<SignedIn>;
  readonly decline: LegacyEndpoint<SignedIn>;
}

type SigningRequestServices = Pick<
  Services,
  "db" | "groupCommit" | "vault" | "authority" | "witness" | "limits" | "mailer" | "random" | "relyingParty"
>;

export const ApproveBody = v.strictObject({ response: v.unknown() });

export const DeclineBody = v.strictObject({
  word: v.optional(textOf(readWord, `Expected 1 to ${WORD_LIMIT} characters without control characters`)),
});

/** The path parameter, and who wants it. */
function whichOf(
  { params }: RequestContext,
  { account, asker }: Pick<KeyUser, "account" | "asker">,
): WhichRequest {
  return { accountId: account.id, requestId: params.requestId!, asker };
}

/** Makes the endpoints of asked signatures over the given services. */
export function createSigningRequestEndpoints(services: SigningRequestServices): SigningRequestEndpoints {
  const { db, groupCommit, vault, authority, witness, limits, mailer, random, relyingParty } = services;
  const signing = { groupCommit, vault, authority, limits, mailer, mandates: createMandates(authority) };

  const list: LegacyEndpoint<KeyUser> = async (context, { account, asker }) => {
    readNoQuery(context);
    const which = { accountId: account.id, asker, now: context.now };
    const requests = await listPendingRequests(db, authority, which);
    return json<typeof SigningRequestList>(200, { requests: requests.map(toSigningRequestJson) });
  };

  /** A request, and its signature with a receipt of the log where it has one. */
  async function show(
    context: RequestContext,
    which: WhichRequest,
    request: SigningRequest,
    headers: ExtraHeaders,
  ): Promise<Response> {
    const shown = toSigningRequestJson(request);
    if (request.state !== "signed") return json<typeof GivenSigningRequest>(200, { request: shown }, headers);
    const { document, signed } = await reviewSigningRequest(db, services, which, context.now);
    const given = { request: { ...shown, signed: toSignedJson(document!, signed!) } };
    return json<typeof GivenSigningRequest>(200, given, [...headers, ...receiptHeader(context, witness)]);
  }

  const get: LegacyEndpoint<KeyUser> = async (context, user) => {
    readNoQuery(context);
    const { request: { headers, signal }, now } = context;
    const which = whichOf(context, user);
    const wait = readWait(headers);
    const patience = { now, seconds: wait ?? 0, signal };
    const request = await waitForSigningRequest(db, authority, which, patience);
    const applied = wait === undefined
      ? []
      : [["preference-applied", `wait=${Math.min(wait, LONGEST_WAIT)}`] as const];
    return await show(context, which, request, [...retryHeader(request), ...applied]);
  };

  const withdraw: LegacyEndpoint<KeyUser> = async (context, user) => {
    await readNoBody(context);
    const change = { state: "withdrawn", code: null, word: null } as const;
    await end(db, services, { which: whichOf(context, user), change, now: context.now });
    return noContent();
  };

  const approvalOptions: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    const { params, clientAddress, now } = context;
    const approval = { signedIn, requestId: params.requestId!, relyingParty, now, random };
    return json<typeof RequestOptions>(
      200,
      await beginApproval(db, counted(context, signing), { ...approval, network: networkOf(clientAddress) }),
    );
  };

  const approve: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { response } = await readJson(context, ApproveBody);
    const approval = {
      ...placeOf(context),
      signedIn,
      requestId: context.params.requestId!,
      relyingParty,
      now: context.now,
      random,
    };
    const request = await finishApproval(db, counted(context, signing), { ...approval, response });
    const which = whichOf(context, { account: signedIn.account, asker: { kind: "owner" } });
    return await show(context, which, request, []);
  };

  const decline: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { word = null } = await readJson(context, DeclineBody, { content: "empty-allowed" });
    const which = whichOf(context, { account, asker: { kind: "owner" } });
    const change = { state: "declined", code: null, word } as const;
    const request = await end(db, services, { which, change, now: context.now });
    return json<typeof SigningRequestAnswer>(200, { request: toSigningRequestJson(request) });
  };

  return { list, get, withdraw, approvalOptions, approve, decline };
}

/** One preference (RFC 7240 section 2): a name, perhaps a value, perhaps parameters, which none that we know has. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))?\s*)?(?:;.*)?$/;

/**
 * The seconds that a client would wait for its answer (RFC 7240 section 4.3, `Prefer: wait=10`); undefined where it says
 * none, or no whole number: a preference that is not understood is ignored (section 2). Of several the first counts.
 */
export function readWait(headers: Headers): number | undefined {
  for (const text of (headers.get("prefer") ?? "").split(",")) {
    const [, name, quoted, token] = PREFERENCE.exec(text) ?? [];
    if (name?.toLowerCase() !== "wait") continue;
    const value = quoted ?? token ?? "";
    return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  }
  return undefined;
}
