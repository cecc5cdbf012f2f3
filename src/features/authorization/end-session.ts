import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
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
import type { OAuthServices } from "../../oauth/services.ts";
import { endSessionPage } from "./page.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { readForm } from "../../http/request/body.ts";
import { endSession } from "../../http/guard/sign-out.ts";
import { readOAuthForm, readOAuthQuery } from "../../http/request/oauth-parameters.ts";
import type { ReceivedParameters } from "../../http/request/oauth-parameters.ts";
import { readPageQuery } from "../../http/request/query.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { htmlPage, redirect, redirectElsewhere } from "../../http/response/respond.ts";
import { counted } from "../../http/response/rate-limit.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

type Visitor = SignedIn | undefined;

/** RP-initiated logout: what applications call, and the page that asks the person. */
export interface EndSessionEndpoints {
  readonly get: LegacyEndpoint<Visitor>;
  /** Reads no cookie, as at the authorization endpoint: the browser comes back with GET. */
  readonly post: LegacyEndpoint<undefined>;
  readonly page: LegacyEndpoint<Visitor>;
  readonly decide: LegacyEndpoint<Visitor>;
}

export const PageQuery = v.strictObject({ request: v.string() });
export const Decision = v.strictObject({ request: v.string(), decision: v.picklist(["sign_out", "stay"]) });

function pendingPath(requestId: string): string {
  return `/end-session?request=${encodeURIComponent(requestId)}`;
}

/** Makes the endpoints of RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0) over the given services. */
export function createEndSessionEndpoints(
  services: OAuthServices & Pick<Services, "db" | "random" | "baseUrl" | "tee">,
): EndSessionEndpoints {
  const { db, random, groupCommit } = services;

  async function read(context: RequestContext, received: ReceivedParameters): Promise<LogoutRequest> {
    return await readLogoutRequest(db, services, { ...received, now: context.now });
  }

  async function hold(context: RequestContext, request: LogoutRequest): Promise<Response> {
    const { clientAddress, now } = context;
    const value = { request, network: networkOf(clientAddress), now, random };
    return redirect(pendingPath(await storeLogoutRequest(counted(context, services), value)));
  }

  async function signOut(
    context: RequestContext,
    signedIn: Visitor,
    request: LogoutRequest,
  ): Promise<Response> {
    const headers = await endSession(services, context, signedIn);
    const uri = logoutRedirectUri(request);
    return uri === undefined ? redirect("/signed-out", headers) : redirectElsewhere(new URL(uri), headers);
  }

  const get: LegacyEndpoint<Visitor> = async (context, signedIn) => {
    const request = await read(context, readOAuthQuery(context));
    return await mustConfirmLogout(db, services, request, signedIn)
      ? await hold(context, request)
      : await signOut(context, signedIn, request);
  };

  const post: LegacyEndpoint<undefined> = async (context) =>
    await hold(context, await read(context, await readOAuthForm(context)));

  async function take(requestId: string, { now }: RequestContext): Promise<LogoutRequest> {
    const request = await groupCommit.run((tx) => consumeLogoutRequest(tx, services, { requestId, now }));
    if (request === undefined) throw overAndDone();
    return request;
  }

  const page: LegacyEndpoint<Visitor> = async (context, signedIn) => {
    const { request: requestId } = readPageQuery(context, PageQuery);
    const request = await findLogoutRequest(db, services, { requestId, now: context.now });
    if (request === undefined) throw overAndDone();
    if (signedIn === undefined || !await mustConfirmLogout(db, services, request, signedIn)) {
      return await signOut(context, signedIn, await take(requestId, context));
    }
    const account = toAccountView(signedIn.account, services, context);
    return htmlPage(200, endSessionPage({ account, request: requestId, clientName: request.client?.name }));
  };

  const decide: LegacyEndpoint<Visitor> = async (context, signedIn) => {
    const { request: requestId, decision } = await readForm(context, Decision);
    const request = await take(requestId, context);
    return decision === "stay" ? redirect("/") : await signOut(context, signedIn, request);
  };

  return { get, post, page, decide };
}

function overAndDone(): ProtocolError {
  return new ProtocolError("invalid_request", "This request to sign out was answered or has expired");
}
