import type { SignedIn } from "../../accounts/session/session.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { pageVisitor } from "../../http/guard/account-guards.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { endSession } from "../../http/guard/sign-out.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readOAuthForm, readOAuthQuery } from "../../http/request/oauth-parameters.ts";
import type { ReceivedParameters } from "../../http/request/oauth-parameters.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { htmlPage, redirect, redirectToUrl } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { networkOf } from "../../lib/ip-address.ts";
import {
  consumeLogoutRequest,
  findLogoutRequest,
  logoutRedirectUri,
  mustConfirmLogout,
  readLogoutRequest,
  storeLogoutRequest,
} from "../../oauth/end-session.ts";
import type { LogoutRequest } from "../../oauth/end-session.ts";
import { endSessionPage } from "./page.ts";
import { EndSessionForm, RequestQuery } from "./schema.ts";

function read(
  { now }: RequestContext,
  services: Services,
  received: ReceivedParameters,
): Promise<LogoutRequest> {
  return readLogoutRequest(services.db, services, { ...received, now });
}

async function askUser(
  context: RequestContext,
  services: Services,
  request: LogoutRequest,
): Promise<Response> {
  const { clientAddress, now } = context;
  const value = { request, network: networkOf(clientAddress), now, random: services.random };
  const requestId = await storeLogoutRequest(withRateLimitHeaders(context, services), value);
  return redirect(`/end-session?request=${encodeURIComponent(requestId)}`);
}

async function signOut(
  context: RequestContext,
  services: Services,
  signedIn: SignedIn | undefined,
  request: LogoutRequest,
): Promise<Response> {
  const headers = await endSession(services, context, signedIn);
  const uri = logoutRedirectUri(request);
  return uri === undefined ? redirect("/signed-out", headers) : redirectToUrl(new URL(uri), headers);
}

function usedOrExpired(): ProtocolError {
  return new ProtocolError("invalid_request", "This request to sign out was answered or has expired");
}

/** Consumes a pending logout request. Throws `invalid_request` if it was answered or has expired. */
async function consume(
  { now }: RequestContext,
  services: Services,
  requestId: string,
): Promise<LogoutRequest> {
  const request = await services.groupCommit.run((tx) =>
    consumeLogoutRequest(tx, services, { requestId, now })
  );
  if (request === undefined) throw usedOrExpired();
  return request;
}

/** The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0) for GET. */
export const endSessionByQuery = defineEndpoint(
  pageVisitor,
  {},
  async (context, signedIn, _input, services) => {
    const request = await read(context, services, readOAuthQuery(context));
    return await mustConfirmLogout(services.db, services, request, signedIn)
      ? await askUser(context, services, request)
      : await signOut(context, services, signedIn, request);
  },
);

/** The end-session endpoint for POST. Reads no cookie, as `authorizeByForm`. */
export const endSessionByForm = defineEndpoint(
  publicAccess,
  {},
  async (context, _principal, _input, services) =>
    askUser(context, services, await read(context, services, await readOAuthForm(context))),
);

export const showEndSession = defineEndpoint(
  pageVisitor,
  { pageQuery: RequestQuery },
  async (context, signedIn, { query: { request: requestId } }, services) => {
    const { db } = services;
    const request = await findLogoutRequest(db, services, { requestId, now: context.now });
    if (request === undefined) throw usedOrExpired();
    if (signedIn === undefined || !await mustConfirmLogout(db, services, request, signedIn)) {
      return await signOut(context, services, signedIn, await consume(context, services, requestId));
    }
    const account = toAccountView(signedIn.account, services, context);
    return htmlPage(200, endSessionPage({ account, request: requestId, clientName: request.client?.name }));
  },
);

export const decideEndSession = defineEndpoint(
  pageVisitor,
  { form: EndSessionForm },
  async (context, signedIn, { body: { request: requestId, decision } }, services) => {
    const request = await consume(context, services, requestId);
    return decision === "stay" ? redirect("/") : await signOut(context, services, signedIn, request);
  },
);
