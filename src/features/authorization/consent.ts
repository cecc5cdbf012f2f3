import { toAccountView } from "../../http/frame-view.ts";
import { authorizationVisitor } from "../../http/guard/oauth-guards.ts";
import { KIB } from "../../http/request/body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { pendingPath } from "../../http/request/return-to.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { ConsentRequest } from "../../oauth/authorize/authorization-step.ts";
import { continueAuthorization, decideAuthorization } from "../../oauth/authorize/authorize.ts";
import { includesScope } from "../../oauth/scope.ts";
import { sharedWith } from "../../ui/section/shared-access.ts";
import { stepRedirect } from "./authorize.ts";
import { choiceOf, formChoiceOf, keyRightsOf } from "./choice.ts";
import { consentPage, noAccessPage } from "./page.ts";
import { ConsentForm, RequestQuery } from "./schema.ts";

function consentResponse(
  services: Services,
  { client, target, scope, account, claims, keys }: ConsentRequest,
  request: string,
  context: RequestContext,
): Response {
  const page = consentPage({
    account: toAccountView(account, services, context),
    request,
    client,
    asksWho: includesScope(scope, "openid"),
    redirectTarget: target.text,
    shared: sharedWith(account, claims),
    keyRights: keys === undefined ? undefined : keyRightsOf(keys, account.language),
  });
  return htmlPage(200, page);
}

/** The page on which the user decides (OpenID Connect Core section 3.1.2.4). */
export const showConsent = defineEndpoint(
  authorizationVisitor,
  { pageQuery: RequestQuery },
  async (context, visitor, { query: { request: requestId } }, services) => {
    const { now } = context;
    const { random } = services;
    const step = await continueAuthorization(withRateLimitHeaders(context, services), {
      requestId,
      visitor,
      now,
      random,
    });
    if (step.kind === "no_access" && step.requestId === requestId) {
      const account = toAccountView(step.account, services, context);
      const page = noAccessPage({ account, clientName: step.client.name, uri: step.uri });
      return htmlPage(200, page, visitor.cookies);
    }
    // If the request got another id, redirects to its address, so that the page can be reloaded.
    if (step.kind !== "consent" || step.requestId !== requestId) return stepRedirect(step, visitor.cookies);
    const response = consentResponse(services, step.consentRequest, requestId, context);
    for (const [name, value] of visitor.cookies) response.headers.append(name, value);
    return response;
  },
);

/** Maximum bytes of the form: a policy of the greatest length, indented and percent-encoded. */
const FORM_LIMIT = 192 * KIB;

export const decideConsent = defineEndpoint(
  authorizationVisitor,
  { form: ConsentForm, formLimit: FORM_LIMIT },
  async (context, { browserHash, signedIn }, { body: form }, services) => {
    const { request: requestId, decision } = form;
    if (signedIn === undefined) return redirect(pendingPath("/sign-in", requestId));
    const value = {
      requestId,
      browserHash,
      signedIn,
      decision,
      choice: choiceOf(formChoiceOf(form), pendingPath("/consent", requestId)),
      now: context.now,
      random: services.random,
    };
    return stepRedirect(await decideAuthorization(withRateLimitHeaders(context, services), value), []);
  },
);
