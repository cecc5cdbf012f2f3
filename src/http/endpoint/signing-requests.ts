import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
import { beginApproval, finishApproval } from "../../approval/approve.ts";
import { end, readWord, WORD_LIMIT } from "../../approval/end.ts";
import { reviewSigningRequest } from "../../approval/review.ts";
import { listPendingRequests } from "../../approval/signing-request.ts";
import type { SigningRequest, WhichRequest } from "../../approval/signing-request.ts";
import { LONGEST_WAIT, waitForSigningRequest } from "../../approval/wait.ts";
import { networkOf } from "../../lib/ip-address.ts";
import type {
  GivenSigningRequest,
  SigningRequestAnswer,
  SigningRequestList,
} from "../answer/schema/signing-request.ts";
import type { RequestOptions } from "../answer/schema/webauthn.ts";
import { json, noContent } from "../answer/respond.ts";
import type { ExtraHeaders } from "../answer/respond.ts";
import { toSignedJson } from "../answer/signed-json.ts";
import { toSigningRequestJson } from "../answer/signing-request-json.ts";
import { counted } from "../answer/rate-limit.ts";
import { receiptHeader } from "../cookie/witness.ts";
import { createMandates } from "../guard/key-guards.ts";
import type { KeyUser } from "../guard/key-asker.ts";
import { readJson, readNoBody } from "../request/body.ts";
import { readWait } from "../request/prefer.ts";
import { readNoQuery } from "../request/query.ts";
import { textOf } from "../request/schema.ts";
import { placeOf } from "../request/whereabouts.ts";
import type { RequestContext } from "../request-context.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";

/** The endpoints of asked signatures: for whoever asks, and for the owner, who alone decides. */
export interface SigningRequestEndpoints {
  readonly list: Endpoint<KeyUser>;
  readonly get: Endpoint<KeyUser>;
  readonly withdraw: Endpoint<KeyUser>;
  readonly approvalOptions: Endpoint<SignedIn>;
  readonly approve: Endpoint<SignedIn>;
  readonly decline: Endpoint<SignedIn>;
}

type SigningRequestServices = Pick<
  Services,
  "db" | "groupCommit" | "vault" | "authority" | "witness" | "limits" | "mailer" | "random" | "relyingParty"
>;

export const ApproveBody = v.strictObject({ response: v.unknown() });
export const DeclineBody = v.strictObject({
  word: v.optional(textOf(readWord, `Expected 1 to ${WORD_LIMIT} characters without control characters`)),
});

/** When to look again, in seconds. */
const RETRY_AFTER = 5;

/** The path parameter, and who wants it. */
function whichOf(
  { params }: RequestContext,
  { account, asker }: Pick<KeyUser, "account" | "asker">,
): WhichRequest {
  return { accountId: account.id, requestId: params.requestId!, asker };
}

/** Of a request that waits: when to look again. */
export function retryHeader({ state }: SigningRequest): ExtraHeaders {
  return state === "pending" ? [["retry-after", String(RETRY_AFTER)]] : [];
}

/** Makes the endpoints of asked signatures over the given services. */
export function createSigningRequestEndpoints(services: SigningRequestServices): SigningRequestEndpoints {
  const { db, groupCommit, vault, authority, witness, limits, mailer, random, relyingParty } = services;
  const signing = { groupCommit, vault, authority, limits, mailer, mandates: createMandates(authority) };

  const list: Endpoint<KeyUser> = async (context, { account, asker }) => {
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

  const get: Endpoint<KeyUser> = async (context, user) => {
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

  const withdraw: Endpoint<KeyUser> = async (context, user) => {
    await readNoBody(context);
    const change = { state: "withdrawn", code: null, word: null } as const;
    await end(db, services, { which: whichOf(context, user), change, now: context.now });
    return noContent();
  };

  const approvalOptions: Endpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    const { params, clientAddress, now } = context;
    const approval = { signedIn, requestId: params.requestId!, relyingParty, now, random };
    return json<typeof RequestOptions>(
      200,
      await beginApproval(db, counted(context, signing), { ...approval, network: networkOf(clientAddress) }),
    );
  };

  const approve: Endpoint<SignedIn> = async (context, signedIn) => {
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

  const decline: Endpoint<SignedIn> = async (context, { account }) => {
    const { word = null } = await readJson(context, DeclineBody, { content: "empty-allowed" });
    const which = whichOf(context, { account, asker: { kind: "owner" } });
    const change = { state: "declined", code: null, word } as const;
    const request = await end(db, services, { which, change, now: context.now });
    return json<typeof SigningRequestAnswer>(200, { request: toSigningRequestJson(request) });
  };

  return { list, get, withdraw, approvalOptions, approve, decline };
}
