import * as v from "valibot";
import type { Language } from "../../../lib/language.ts";
import type { Account } from "../../../accounts/account.ts";
import { toChecksumAddress } from "../../../ethereum/address.ts";
import { continueAuthorization, decideAuthorization } from "../../../oauth/authorize/authorize.ts";
import type { ConsentQuestion } from "../../../oauth/authorize/authorization-step.ts";
import { GRANT_LENGTHS } from "../../../oauth/authorize/key-choice.ts";
import type { GrantLength, KeyChoice, KeyQuestion } from "../../../oauth/authorize/key-choice.ts";
import { describeRules } from "../../../oauth/authorize/policy-rules.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import { consentPage } from "../../../ui/page/consent-page.ts";
import type { SharedView } from "../../../ui/section/applications-section.ts";
import type { KeyRightsData } from "../../../ui/section/key-rights-section.ts";
import { toAccountView } from "../../answer/account-view.ts";
import { readForm } from "../../request/body.ts";
import type { AuthorizationVisitor } from "../../guard/oauth-guards.ts";
import { readPageQuery } from "../../request/query.ts";
import { htmlPage, redirect } from "../../answer/respond.ts";
import { counted } from "../../answer/rate-limit.ts";
import type { RequestContext } from "../../request-context.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";
import { pendingPath, stepRedirect } from "./authorize.ts";

/** The page on which a person decides, and their decision. */
export interface ConsentEndpoints {
  readonly page: Endpoint<AuthorizationVisitor>;
  readonly decide: Endpoint<AuthorizationVisitor>;
}

/** What the form proposes. */
const USUAL_LENGTH: GrantLength = "month";

const LENGTHS = Object.keys(GRANT_LENGTHS) as GrantLength[];

export const PageQuery = v.strictObject({ request: v.string() });
/** What is ticked comes as `key:<id>` and `rule:<name>`. */
export const Decision = v.objectWithRest({
  request: v.string(),
  decision: v.picklist(["approve", "deny"]),
  end: v.optional(v.picklist(LENGTHS), USUAL_LENGTH),
}, v.literal("on"));

/** What an application gets to see, as a page shows it: the claims of `userClaims`. */
export function sharedWith({ email, name }: Account): SharedView {
  return { email, name };
}

/** What the person ticked under names with this prefix, which stands before each. */
function ticked(form: Readonly<Record<string, string>>, prefix: string): readonly string[] {
  return Object.keys(form).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

function choiceOf(form: v.InferOutput<typeof Decision>): KeyChoice {
  return { keys: ticked(form, "key:"), rules: new Set(ticked(form, "rule:")), length: form.end };
}

function keyRightsOf({ keys, reads, policy }: KeyQuestion, language: Language): KeyRightsData {
  return {
    keys: keys.map(({ id, label, address }) => ({ id, label, address: toChecksumAddress(address) })),
    reads,
    signing: policy === undefined ? undefined : describeRules(policy, language),
    lengths: LENGTHS.map((id) => ({ id, chosen: id === USUAL_LENGTH })),
  };
}

function questionPage(
  services: Pick<Services, "tee">,
  { client, target, account, keys }: ConsentQuestion,
  request: string,
  context: RequestContext,
): Response {
  const page = consentPage({
    account: toAccountView(account, services, context),
    request,
    client,
    redirectTarget: target.text,
    shared: sharedWith(account),
    keyRights: keys === undefined ? undefined : keyRightsOf(keys, account.language),
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
    const step = await continueAuthorization(counted(context, services), { requestId, visitor, now, random });
    // Asked under another id, the page has that address, so that it can be loaded again.
    if (step.kind !== "consent" || step.requestId !== requestId) return stepRedirect(step, visitor.cookies);
    const response = questionPage(services, step.question, requestId, context);
    for (const [name, value] of visitor.cookies) response.headers.append(name, value);
    return response;
  };

  const decide: Endpoint<AuthorizationVisitor> = async (context, { browserHash, signedIn }) => {
    const form = await readForm(context, Decision);
    const { request: requestId, decision } = form;
    if (signedIn === undefined) return redirect(pendingPath("/sign-in", requestId));
    const value = {
      requestId,
      browserHash,
      signedIn,
      decision,
      choice: choiceOf(form),
      now: context.now,
      random,
    };
    return stepRedirect(await decideAuthorization(counted(context, services), value), []);
  };

  return { page, decide };
}
