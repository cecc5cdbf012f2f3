import type { Explanation } from "../../api/explanation.ts";
import { createAuthorizationCheck, sessionOrTokenToRead } from "../../http/guard/key-guards.ts";
import { isAllowed, keyOf, keysOf, type KeyUser, requireKey } from "../../http/guard/key-requester.ts";
import { readJson } from "../../http/request/body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { htmlPage, json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { CheckedSignRequest } from "../../keys/digest.ts";
import { type JointDecision, policiesInForce, review } from "../../keys/enforce.ts";
import { explainSignRequest } from "../../keys/explain.ts";
import { type EthereumKey, findKey, getKey } from "../../keys/key.ts";
import { holderOf } from "../../keys/requester.ts";
import { ProtocolError } from "../../lib/error.ts";
import { API_LANGUAGE } from "../../lib/language.ts";
import { reason } from "../../policy/reason.ts";
import { reviewSection } from "../../ui/section/review-section.ts";
import { shownMessage } from "../../ui/section/explanation.ts";
import { ExplainQuery, readSignRequest, SIGN_BODY, UncheckedBody } from "./schema.ts";
import { checkCooperatively } from "./signer.ts";

/** The decision for a token that may read but not sign. */
const MAY_NOT_SIGN: JointDecision = {
  policy: null,
  outcome: "deny",
  rule: null,
  value: null,
  reason: reason("tokenSignsNot"),
};

/** Returns true if HTML is the first media type of `Accept`. The key's page asks for the rendered explanation. */
export function prefersHtml({ request }: RequestContext): boolean {
  const [first = ""] = request.headers.get("accept")?.split(/[,;]/) ?? [];
  return first.trim().toLowerCase() === "text/html";
}

/** Maximum characters outside printable ASCII on a page. A mark beside a character takes a microsecond to write. */
const SHOWN_LIMIT = 32_768;

/** Throws `body_too_large` for a document that takes long to show. */
function checkShowable(body: unknown): void {
  const unusual = JSON.stringify(body).match(/[^ -~]|\\[bfru]/g)?.length ?? 0;
  if (unusual <= SHOWN_LIMIT) return;
  throw new ProtocolError(
    "body_too_large",
    `Cannot show: the texts have more than ${SHOWN_LIMIT} characters outside ASCII`,
  );
}

async function decisionOn(
  { now }: RequestContext,
  services: Services,
  { account, requester, use }: KeyUser,
  { key, request }: { readonly key: EthereumKey; readonly request: CheckedSignRequest },
): Promise<JointDecision> {
  if (!isAllowed(requester, "sign", key.id)) return MAY_NOT_SIGN;
  const { db } = services;
  const keyUse = { accountId: account.id, keyId: key.id, action: "read", now } as const;
  const requesterPolicy = await createAuthorizationCheck(services, use).recheckAuthorization(
    db,
    requester,
    keyUse,
  );
  const inForce = policiesInForce(key, requester, requesterPolicy, now);
  return await review(db, services, inForce, { accountId: account.id, act: request, now });
}

export const explainRequest = defineEndpoint(
  sessionOrTokenToRead,
  { query: ExplainQuery },
  async (context, user, { query: { language = API_LANGUAGE } }, services) => {
    const { db, groupCommit, authority, directory } = services;
    const { limits } = withRateLimitHeaders(context, services);
    const which = keyOf(context, user);
    requireKey(user, await findKey(db, authority, which));
    const holder = holderOf(user.requester);
    await limits.check(db, "explain", which.accountId, context.now, holder);
    const body = await readJson(context, UncheckedBody, SIGN_BODY);
    if (prefersHtml(context)) checkShowable(body);
    // Counted because it costs as much as signing: tens of milliseconds for long typed data.
    await groupCommit.run((tx) => limits.take(tx, "explain", which.accountId, context.now, holder));
    const { checked: request, present } = await checkCooperatively(
      context,
      services,
      user,
      readSignRequest(body),
    );
    const { now } = present;
    const key = await getKey(db, services, which);
    const decision = await decisionOn(present, services, user, { key, request });
    const askedBy = user.requester.kind === "application" ? user.requester.site : null;
    // A token's holder must not see the labels of keys that the token does not name.
    const explainContext = { keys: keysOf(user.requester), directory, now, askedBy, decision, language };
    const explanation = await explainSignRequest(db, authority, { key, request }, explainContext);
    return prefersHtml(context)
      ? htmlPage(200, reviewSection(explanation, shownMessage(request), language))
      : json<typeof Explanation>(200, explanation);
  },
);
