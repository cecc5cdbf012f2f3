import type { Account } from "../../accounts/account.ts";
import { PolicyExplanation, type PolicyExplanationView } from "../../api/policy-explanation.ts";
import { pageSession, session } from "../../http/guard/account-guards.ts";
import { readJson } from "../../http/request/body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { htmlPage, json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { localizeDecision, policiesInForce, type PolicyOwner, review } from "../../keys/enforce.ts";
import { refusalOf } from "../../keys/explain.ts";
import { type EthereumKey, getKey } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { API_LANGUAGE, type Language } from "../../lib/language.ts";
import { describePolicy } from "../../policy/describe.ts";
import { describeRules } from "../../policy/describe-rules.ts";
import type { KeyPolicy, Policy } from "../../policy/policy.ts";
import { readKeyPolicy, readPolicy } from "../../policy/read-policy.ts";
import { ruleDialog } from "../../ui/section/policy-builder.ts";
import { policyExplanationSection } from "../../ui/section/policy-explanation.ts";
import { prefersHtml } from "./explain.ts";
import { ExplainQuery, PolicyToExplain, readSignRequest, SIGN_BODY } from "./schema.ts";
import { checkCooperatively } from "./signer.ts";

/** The signer of a request without a key: an address that no key has. */
const NO_SIGNER = new Uint8Array(20);

interface Draft {
  readonly policy: Policy | KeyPolicy;
  readonly of: PolicyOwner;
  readonly key: EthereumKey | undefined;
}

/** Runs a check of `request`. Throws its errors with pointers from the root of the body. */
async function checkMember<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, errors = [] } = error;
    const faults = errors.map((fault) => ({ path: `/request${fault.path ?? ""}`, message: fault.message }));
    throw new ProtocolError(code, message, { cause: error, errors: faults });
  }
}

function explainRules(policy: Policy | KeyPolicy, language: Language) {
  const { rules, limits } = describeRules(policy, language);
  return {
    policy,
    rules: rules.map(({ pointer, sentence, outcome, level = null }) => (
      { rule: pointer, sentence, outcome, level }
    )),
    limits: rules.length === 0 ? describePolicy(policy, language) : limits,
  };
}

/** Decides on a request by a draft that has counted nothing. For a program, the key's own policy applies as well. */
async function tryDraft(
  context: RequestContext,
  services: Services,
  account: Account,
  { draft: { policy, of, key }, request, language }: {
    readonly draft: Draft;
    readonly request: unknown;
    readonly language: Language;
  },
): Promise<Pick<PolicyExplanationView, "decision" | "refusal">> {
  const { checked, present: { now } } = await checkMember(async () =>
    await checkCooperatively(context, services, { account }, readSignRequest(request))
  );
  const ofKey = key === undefined || of === "key" ? [] : policiesInForce(key, { kind: "owner" }, null, now);
  const draft = { of, holderId: null, policy, signer: key?.address ?? NO_SIGNER };
  const value = { accountId: account.id, act: checked, now };
  return {
    decision: localizeDecision(await review(services.db, services, [draft, ...ofKey], value), language),
    refusal: key === undefined ? null : refusalOf(key, checked),
  };
}

/** The form of a rule, for the script of a page that has a policy. */
export const showRuleForm = defineEndpoint(
  pageSession,
  {},
  (_context, { account: { language } }) => Promise.resolve(htmlPage(200, ruleDialog(language))),
);

/** Explains a policy before it is saved. Signs, counts and stores nothing. */
export const explainPolicy = defineEndpoint(
  session,
  { query: ExplainQuery },
  async (context, { account }, { query: { language = API_LANGUAGE } }, services) => {
    const { db, groupCommit } = services;
    const { limits } = withRateLimitHeaders(context, services);
    await limits.check(db, "explain", account.id, context.now);
    const { policy: written, of, keyId, request } = await readJson(context, PolicyToExplain, SIGN_BODY);
    // Counted because it costs as much as signing.
    await groupCommit.run((tx) => limits.take(tx, "explain", account.id, context.now));
    const policy = of === "key" ? readKeyPolicy(written, "/policy") : readPolicy(written, "/policy");
    const key = keyId === undefined
      ? undefined
      : await getKey(db, services, { accountId: account.id, keyId });
    const tried = request === undefined
      ? { decision: null, refusal: null }
      : await tryDraft(context, services, account, { draft: { policy, of, key }, request, language });
    const explanation = { ...explainRules(policy, language), ...tried };
    return prefersHtml(context)
      ? htmlPage(200, policyExplanationSection(explanation, of, language))
      : json<typeof PolicyExplanation>(200, explanation);
  },
);
