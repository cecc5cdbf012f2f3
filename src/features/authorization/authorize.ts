import { publicAccess } from "../../http/guard/guard.ts";
import { authorizationVisitor } from "../../http/guard/oauth-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readOAuthForm, readOAuthQuery } from "../../http/request/oauth-parameters.ts";
import type { ReceivedParameters } from "../../http/request/oauth-parameters.ts";
import { pendingPath } from "../../http/request/return-to.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { type ExtraHeaders, redirect, redirectToUrl } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { networkOf } from "../../lib/ip-address.ts";
import type { AuthorizationStep, Visitor } from "../../oauth/authorize/authorization-step.ts";
import { authorize } from "../../oauth/authorize/authorize.ts";

/** Redirects with 303. 302 and 307 could repeat a form (RFC 9700 section 4.12). */
export function stepRedirect(step: AuthorizationStep, cookies: ExtraHeaders): Response {
  switch (step.kind) {
    case "redirect":
      return redirectToUrl(new URL(step.uri));
    case "sign_in":
      return redirect(pendingPath("/sign-in", step.requestId), cookies);
    case "continue":
    case "consent":
    case "no_access":
      return redirect(pendingPath("/consent", step.requestId), cookies);
  }
}

function nextStep(
  context: RequestContext,
  services: Services,
  received: ReceivedParameters,
  visitor: Visitor | undefined,
): Promise<AuthorizationStep> {
  const { clientAddress, now, traceparent } = context;
  const { db, random } = services;
  const network = networkOf(clientAddress);
  return authorize(db, withRateLimitHeaders(context, services), {
    ...received,
    network,
    now,
    random,
    visitor,
    traceparent,
  });
}

/** The authorization endpoint (OpenID Connect Core section 3.1.2.1) for GET. */
export const authorizeByQuery = defineEndpoint(
  authorizationVisitor,
  {},
  async (context, visitor, _input, services) =>
    stepRedirect(await nextStep(context, services, readOAuthQuery(context), visitor), visitor.cookies),
);

/** The endpoint for POST. Reads no cookie, because a cross-site form has none. The redirect continues with GET. */
export const authorizeByForm = defineEndpoint(
  publicAccess,
  {},
  async (context, _principal, _input, services) =>
    stepRedirect(await nextStep(context, services, await readOAuthForm(context), undefined), []),
);
