import type { Of } from "../../api/value.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { authorizationVisitor } from "../../http/guard/oauth-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { pendingPath } from "../../http/request/return-to.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { Language } from "../../lib/language.ts";
import type { ConsentRequest } from "../../oauth/authorize/authorization-step.ts";
import { continueAuthorization, decideAuthorization } from "../../oauth/authorize/authorize.ts";
import type { KeyChoice, KeyOptions } from "../../oauth/authorize/key-choice.ts";
import { describeRules } from "../../oauth/authorize/policy-rules.ts";
import { fillTemplate } from "../../policy/fill-template.ts";
import type { Policy } from "../../policy/policy.ts";
import { ProtocolError } from "../../lib/error.ts";
import { includesScope } from "../../oauth/scope.ts";
import { sharedWith } from "../../ui/section/shared-access.ts";
import { stepRedirect } from "./authorize.ts";
import type { KeyRightsData } from "./key-rights-section.ts";
import { consentPage, noAccessPage } from "./page.ts";
import { ConsentForm, RequestQuery, USUAL_LENGTH } from "./schema.ts";

const LENGTHS = ConsentForm.entries.end.wrapped.options;

/** Returns the names of the ticked boxes with this prefix, without it. */
function ticked(form: Readonly<Record<string, string>>, prefix: string): readonly string[] {
  return Object.keys(form).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** Returns the policy of the template that the owner picked. Throws `invalid_request`, with a return link. */
function pickedPolicy(form: Of<typeof ConsentForm>): Policy {
  const prefix = `value:${form.template}:`;
  const values = Object.entries(form).filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value ?? ""] as const);
  try {
    return fillTemplate(form.template, new Map(values), { asksElse: form.otherwise === "ask" });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const [fault] = error.errors ?? [];
    throw new ProtocolError("invalid_request", fault?.message ?? error.message, {
      returnLink: { path: pendingPath("/consent", form.request), to: "consent" },
    });
  }
}

function choiceOf(form: Of<typeof ConsentForm>): KeyChoice {
  return {
    keys: ticked(form, "key:"),
    rules: new Set(ticked(form, "rule:")),
    length: form.end,
    picked: () => pickedPolicy(form),
  };
}

function keyRightsOf({ keys, reads, wallets, policy, picks }: KeyOptions, language: Language): KeyRightsData {
  return {
    keys: keys.map(({ id, label, address }) => ({ id, label, address: toChecksumAddress(address) })),
    reads,
    wallets,
    picks,
    signing: policy === undefined ? undefined : describeRules(policy, language),
    // The addresses of keys are shown as long as the client has access.
    lengths: reads || picks || policy !== undefined
      ? LENGTHS.map((id) => ({ id, chosen: id === USUAL_LENGTH }))
      : [],
  };
}

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

export const decideConsent = defineEndpoint(
  authorizationVisitor,
  { form: ConsentForm },
  async (context, { browserHash, signedIn }, { body: form }, services) => {
    const { request: requestId, decision } = form;
    if (signedIn === undefined) return redirect(pendingPath("/sign-in", requestId));
    const value = {
      requestId,
      browserHash,
      signedIn,
      decision,
      choice: choiceOf(form),
      now: context.now,
      random: services.random,
    };
    return stepRedirect(await decideAuthorization(withRateLimitHeaders(context, services), value), []);
  },
);
