import type { SignedIn } from "../../accounts/session/session.ts";
import { type KeyPolicyAnswer, toKeyPolicyJson } from "../../api/policy.ts";
import { formSession, session } from "../../http/guard/account-guards.ts";
import { deviceAndNetworkOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { cancelPolicyChange, type PolicyRequest, setKeyPolicy } from "../../keys/change-policy.ts";
import { type EthereumKey, getKey } from "../../keys/key.ts";
import type { KeyPolicy } from "../../policy/policy.ts";
import { readKeyPolicy } from "../../policy/read-policy.ts";
import { ownKeyOf } from "./keys.ts";
import { PolicyBody } from "./schema.ts";

function requestOf(
  context: RequestContext,
  signedIn: SignedIn,
  { relyingParty, random }: Services,
): PolicyRequest {
  const { keyId } = ownKeyOf(context, signedIn);
  return {
    signedIn,
    keyId,
    requestedFrom: deviceAndNetworkOf(context),
    relyingParty,
    now: context.now,
    random,
  };
}

async function change(
  context: RequestContext,
  signedIn: SignedIn,
  services: Services,
  policy: KeyPolicy | null,
): Promise<Response> {
  const request = requestOf(context, signedIn, services);
  return policyResponse(
    await setKeyPolicy(services.db, withRateLimitHeaders(context, services), request, policy),
    context,
  );
}

async function cancel(
  context: RequestContext,
  signedIn: SignedIn,
  services: Services,
): Promise<EthereumKey> {
  const request = requestOf(context, signedIn, services);
  return await cancelPolicyChange(services.db, withRateLimitHeaders(context, services), request);
}

/** Responds 202 while a change is pending. */
function policyResponse(key: EthereumKey, { now }: RequestContext): Response {
  const policy = toKeyPolicyJson(key, now);
  return json<typeof KeyPolicyAnswer>(policy.change === null ? 200 : 202, policy);
}

export const getPolicy = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async (context, signedIn, _input, services) => {
    const key = await getKey(services.db, services, ownKeyOf(context, signedIn));
    return json<typeof KeyPolicyAnswer>(200, toKeyPolicyJson(key, context.now));
  },
);

export const replacePolicy = defineEndpoint(
  session,
  { body: PolicyBody },
  (context, signedIn, { body }, services) =>
    change(context, signedIn, services, readKeyPolicy(body.policy, "/policy")),
);

export const removePolicy = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  (context, signedIn, _input, services) => change(context, signedIn, services, null),
);

export const cancelChange = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async (context, signedIn, _input, services) =>
    policyResponse(await cancel(context, signedIn, services), context),
);

/** The cancel button on the key's page. Needs no script. */
export const cancelChangeByForm = defineEndpoint(
  formSession("/keys"),
  { form: NO_MEMBERS },
  async (context, signedIn, _input, services) => {
    const { id } = await cancel(context, signedIn, services);
    return redirect(`/keys/${id}#policy`);
  },
);
