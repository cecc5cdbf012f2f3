import * as v from "valibot";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { toAccountView } from "../../http/frame-view.ts";
import type { AuthorizationVisitor } from "../../http/guard/oauth-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readForm } from "../../http/request/body.ts";
import { readPageQuery } from "../../http/request/query.ts";
import { pendingPath } from "../../http/request/return-to.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { Language } from "../../lib/language.ts";
import type { ConsentQuestion } from "../../oauth/authorize/authorization-step.ts";
import { continueAuthorization, decideAuthorization } from "../../oauth/authorize/authorize.ts";
import { GRANT_LENGTHS } from "../../oauth/authorize/key-choice.ts";
import type { GrantLength, KeyChoice, KeyQuestion } from "../../oauth/authorize/key-choice.ts";
import { describeRules } from "../../oauth/authorize/policy-rules.ts";
import type { OAuthServices } from "../../oauth/services.ts";
import { sharedWith } from "../../ui/section/shared-access.ts";
import { stepRedirect } from "./authorize.ts";
import type { KeyRightsData } from "./key-rights-section.ts";
import { consentPage } from "./page.ts";

/** The page on which a person decides, and their decision. */
export interface ConsentEndpoints {
  readonly page: LegacyEndpoint<AuthorizationVisitor>;
  readonly decide: LegacyEndpoint<AuthorizationVisitor>;
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

  const page: LegacyEndpoint<AuthorizationVisitor> = async (context, visitor) => {
    const { request: requestId } = readPageQuery(context, PageQuery);
    const { now } = context;
    const step = await continueAuthorization(counted(context, services), { requestId, visitor, now, random });
    // Asked under another id, the page has that address, so that it can be loaded again.
    if (step.kind !== "consent" || step.requestId !== requestId) return stepRedirect(step, visitor.cookies);
    const response = questionPage(services, step.question, requestId, context);
    for (const [name, value] of visitor.cookies) response.headers.append(name, value);
    return response;
  };

  const decide: LegacyEndpoint<AuthorizationVisitor> = async (context, { browserHash, signedIn }) => {
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
