import * as v from "valibot";
import type { Account } from "../../../accounts/account.ts";
import { continueAuthorization, decideAuthorization } from "../../../oauth/authorize/authorize.ts";
import type { ConsentQuestion } from "../../../oauth/authorize/authorize.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import { consentPage } from "../../../ui/page/consent-page.ts";
import { toAccountView } from "../../answer/account-view.ts";
import { readForm } from "../../request/body.ts";
import type { AuthorizationVisitor } from "../../guard/oauth-guards.ts";
import { readPageQuery } from "../../request/query.ts";
import { htmlPage, redirect } from "../../answer/respond.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";
import { pendingPath, stepRedirect } from "./authorize.ts";

/** The page on which a person decides, and their decision. */
export interface ConsentEndpoints {
  readonly page: Endpoint<AuthorizationVisitor>;
  readonly decide: Endpoint<AuthorizationVisitor>;
}

export const PageQuery = v.strictObject({ request: v.string() });
export const Decision = v.strictObject({ request: v.string(), decision: v.picklist(["approve", "deny"]) });

/** What an application gets to see, as a person reads it: the claims of `userClaims`. */
export function sharedWith({ email, name }: Account): readonly string[] {
  return [
    ...(name === null ? [] : [`Your name: ${name}`]),
    ...(email === null ? [] : [`Your e-mail address: ${email}`]),
    "The id of your account",
  ];
}

function questionPage(
  services: Pick<Services, "tee">,
  { client, target, account }: ConsentQuestion,
  request: string,
): Response {
  const page = consentPage({
    account: toAccountView(account, services),
    request,
    client,
    redirectTarget: target.text,
    shared: sharedWith(account),
  });
  return htmlPage(200, page);
}

/** Makes the endpoints of consent (OpenID Connect Core section 3.1.2.4) over the given services. */
export function createConsentEndpoints(
  services: OAuthServices & Pick<Services, "random" | "tee">,
): ConsentEndpoints {
  const { random } = services;

  const page: Endpoint<AuthorizationVisitor> = async (context, visitor) => {
    const { request: requestId } = readPageQuery(context, PageQuery);
    const { now } = context;
    const step = await continueAuthorization(services, { requestId, visitor, now, random });
    // Asked under another id, the page has that address, so that it can be loaded again.
    if (step.kind !== "consent" || step.requestId !== requestId) return stepRedirect(step, visitor.cookies);
    const response = questionPage(services, step.question, requestId);
    for (const [name, value] of visitor.cookies) response.headers.append(name, value);
    return response;
  };

  const decide: Endpoint<AuthorizationVisitor> = async (context, { browserHash, signedIn }) => {
    const { request: requestId, decision } = await readForm(context, Decision);
    if (signedIn === undefined) return redirect(pendingPath("/sign-in", requestId));
    const value = { requestId, browserHash, signedIn, decision, now: context.now, random };
    return stepRedirect(await decideAuthorization(services, value), []);
  };

  return { page, decide };
}
