import * as v from "valibot";
import type { Explanation } from "../../api/explanation.ts";
import { toSignedJson } from "../../api/signature.ts";
import type { Signed } from "../../api/signature.ts";
import { toSigningRequestJson } from "../../api/signing-request.ts";
import type { SigningRequestAnswer } from "../../api/signing-request.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { receiptHeader } from "../../http/cookie/log-receipt.ts";
import { createMandates } from "../../http/guard/key-guards.ts";
import { askerNameOf, isAllowed, keyOf, visibleTo } from "../../http/guard/key-requester.ts";
import type { KeyUser } from "../../http/guard/key-requester.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { KIB, readJson } from "../../http/request/body.ts";
import { readQuery } from "../../http/request/query.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { htmlPage, json, retryHeader } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { checkInParts } from "../../keys/digest.ts";
import type { CheckedSignRequest, SignRequest } from "../../keys/digest.ts";
import { policiesInForce, review, tellDecision } from "../../keys/enforce.ts";
import type { JointDecision } from "../../keys/enforce.ts";
import { explainSignRequest } from "../../keys/explain.ts";
import { getKey, listAllKeys } from "../../keys/key.ts";
import type { EthereumKey } from "../../keys/key.ts";
import { askOwner } from "../../keys/signing-requests/create.ts";
import { inTurns, nextTurn } from "../../lib/cooperative.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { API_LANGUAGE, LANGUAGES } from "../../lib/language.ts";
import { createLines } from "../../lib/mutex.ts";
import { reason } from "../../policy/reason.ts";
import { reviewSection } from "../../ui/section/review-section.ts";
import { shownMessage } from "../../ui/section/shown-message.ts";
import { MessageBody, readSignRequest } from "./schema.ts";
import { createSigner } from "./signer.ts";

/** The endpoints that use a key. */
export interface SigningEndpoints {
  readonly signMessage: LegacyEndpoint<KeyUser>;
  readonly signTypedData: LegacyEndpoint<KeyUser>;
  readonly signTransaction: LegacyEndpoint<KeyUser>;
  readonly signAuthorization: LegacyEndpoint<KeyUser>;
  readonly explain: LegacyEndpoint<KeyUser>;
}

type SigningServices = Pick<
  Services,
  | "db"
  | "groupCommit"
  | "vault"
  | "authority"
  | "witness"
  | "limits"
  | "directory"
  | "mailer"
  | "random"
  | "relyingParty"
>;

/** Typed data can be long: a permit over many tokens, an order book. */
export const SIGN_BODY = { limit: 1024 * KIB, texts: "signed" } as const;

/** Read by `ethereum/`, which says more of a fault than a schema could. */
export const AnyBody = v.unknown();

export const ExplainQuery = v.strictObject({
  language: v.pipe(
    v.optional(v.picklist(LANGUAGES)),
    v.description(
      "What the intent and the reason of the decision are said in: English where it is not given, whatever Accept-Language says",
    ),
  ),
});

/** What a token that may look and not sign is told. */
const MAY_NOT_SIGN: JointDecision = {
  policy: null,
  outcome: "deny",
  rule: null,
  value: null,
  reason: reason("tokenSignsNot"),
};

/** Returns true if HTML is the first media type of `Accept`: the key's page asks for the explanation as it is shown. */
function prefersHtml({ request }: RequestContext): boolean {
  const [first = ""] = request.headers.get("accept")?.split(/[,;]/) ?? [];
  return first.trim().toLowerCase() === "text/html";
}

/** Makes the signing endpoints over the given services. */
export function createSigningEndpoints(services: SigningServices): SigningEndpoints {
  const { db, groupCommit, authority, witness, directory } = services;
  const { random, relyingParty } = services;
  const mandates = createMandates(authority);
  const signFor = createSigner(services);
  const lineOf = createLines();

  /**
   * Checks what is to be signed, and says when that was. Typed data that takes long, however short its text, is read in
   * parts, and one document of an account at a time: whoever sends many waits for them, and nobody else does. Whatever
   * counts until an end is judged by the time afterwards.
   */
  async function check<C extends RequestContext>(
    context: C,
    { account }: KeyUser,
    request: SignRequest,
  ): Promise<{ readonly checked: CheckedSignRequest; readonly present: C }> {
    let leave: (() => void) | undefined;
    try {
      const checked = await inTurns(checkInParts(request), async () => {
        leave ??= await lineOf(account.id);
        await nextTurn();
      });
      return { checked, present: { ...context, now: context.clock() } };
    } finally {
      leave?.();
    }
  }

  /** Signs, or has it wait for the owner of the key: then nothing is signed, and 202 says where to look for it. */
  async function answer(context: RequestContext, user: KeyUser, request: SignRequest): Promise<Response> {
    const { checked, present } = await check(context, user, request);
    const { account, asker } = user;
    const { clientAddress, now } = present;
    const wish = await signFor(present, user, context.params.keyId!, checked);
    if (wish.outcome === "signed") {
      return json<typeof Signed>(200, toSignedJson(checked, wish.signed), receiptHeader(context, witness));
    }
    const { key, decision } = wish;
    const { reason: why } = tellDecision(decision, API_LANGUAGE);
    const askerName = askerNameOf(asker);
    const network = networkOf(clientAddress);
    const question = { account, key, asker, askerName, network, request, checked, reason: why };
    const asked = await askOwner(db, counted(context, services), { ...question, relyingParty, now, random });
    const location = ["location", `/api/signing-requests/${asked.id}`] as const;
    return json<typeof SigningRequestAnswer>(202, { request: toSigningRequestJson(asked) }, [
      location,
      ...retryHeader(asked),
    ]);
  }

  async function decisionOn(
    { now }: RequestContext,
    { account, asker }: KeyUser,
    { key, request }: { key: EthereumKey; request: CheckedSignRequest },
  ): Promise<JointDecision> {
    if (!isAllowed(asker, "sign", key.id)) return MAY_NOT_SIGN;
    const mandated = { accountId: account.id, keyId: key.id, action: "read", now } as const;
    const held = await mandates.policyNow(db, asker, mandated);
    return await review(db, authority, policiesInForce(key, asker, held, now), { act: request, now });
  }

  const signMessage: LegacyEndpoint<KeyUser> = async (context, user) =>
    await answer(context, user, { kind: "message", ...await readJson(context, MessageBody, SIGN_BODY) });

  const signTypedData: LegacyEndpoint<KeyUser> = async (context, user) => {
    const typedData = await readJson(context, AnyBody, SIGN_BODY);
    return await answer(context, user, { kind: "typed_data", typedData });
  };

  const signTransaction: LegacyEndpoint<KeyUser> = async (context, user) => {
    const transaction = await readJson(context, AnyBody, SIGN_BODY);
    return await answer(context, user, { kind: "transaction", transaction });
  };

  const signAuthorization: LegacyEndpoint<KeyUser> = async (context, user) => {
    const authorization = await readJson(context, AnyBody, SIGN_BODY);
    return await answer(context, user, { kind: "authorization", authorization });
  };

  const explain: LegacyEndpoint<KeyUser> = async (context, user) => {
    const { language = API_LANGUAGE } = readQuery(context, ExplainQuery);
    const body = await readJson(context, AnyBody, SIGN_BODY);
    // It costs as much as signing does, long typed data tens of milliseconds.
    const { limits } = counted(context, services);
    await groupCommit.run((tx) => limits.take(tx, "explain", user.account.id, context.now));
    const { checked: request, present } = await check(context, user, readSignRequest(body));
    const { now } = present;
    const key = await getKey(db, services, keyOf(context, user));
    // Labels of keys that a token does not name are none of its holder's business.
    const keys = visibleTo(user, await listAllKeys(db, authority, user.account.id));
    const labels = new Map(keys.map(({ address, label }) => [toChecksumAddress(address), label]));
    const decision = await decisionOn(present, user, { key, request });
    const surroundings = { labels, directory, now, askedBy: null, decision, language };
    const explanation = explainSignRequest(key, request, surroundings);
    return prefersHtml(context)
      ? htmlPage(200, reviewSection(explanation, shownMessage(request), language))
      : json<typeof Explanation>(200, explanation);
  };

  return { signMessage, signTypedData, signTransaction, signAuthorization, explain };
}
