import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
import { cancelPolicyChange, setKeyPolicy } from "../../keys/change-policy.ts";
import type { PolicyRequest } from "../../keys/change-policy.ts";
import { getKey } from "../../keys/key.ts";
import type { EthereumKey } from "../../keys/key.ts";
import { readKeyPolicy } from "../../policy/read-policy.ts";
import { toKeyPolicyJson } from "../../api/policy.ts";
import type { KeyPolicyAnswer } from "../../api/policy.ts";
import { json, redirect } from "../../http/response/respond.ts";
import { counted } from "../../http/response/rate-limit.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readForm, readJson, readNoBody } from "../../http/request/body.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { placeOf } from "../../http/request/client-info.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ownKeyOf } from "./keys.ts";

/** The endpoints through which the owner of a key says what it may sign. */
export interface KeyPolicyEndpoints {
  readonly get: LegacyEndpoint<SignedIn>;
  readonly set: LegacyEndpoint<SignedIn>;
  readonly remove: LegacyEndpoint<SignedIn>;
  readonly cancelChange: LegacyEndpoint<SignedIn>;
  /** The button on the key's page, which works without a script. */
  readonly cancelForm: LegacyEndpoint<SignedIn>;
}

type PolicyEndpointServices = Pick<
  Services,
  "db" | "vault" | "authority" | "limits" | "mailer" | "random" | "relyingParty"
>;

/** What a key is given. It is read by `policy/`, which says more of a fault than a schema could. */
export const PolicyBody = v.strictObject({
  policy: v.pipe(v.unknown(), v.description("What the key may sign: docs/policies.md has the vocabulary")),
});

/** What the button on the key's page sends: nothing. */
export const CancelForm = v.strictObject({});

/** Makes the endpoints of keys' policies over the given services. */
export function createKeyPolicyEndpoints(services: PolicyEndpointServices): KeyPolicyEndpoints {
  const { db, random, relyingParty } = services;

  function requestOf(context: RequestContext, signedIn: SignedIn): PolicyRequest {
    const { keyId } = ownKeyOf(context, signedIn);
    return { signedIn, keyId, place: placeOf(context), relyingParty, now: context.now, random };
  }

  /** 202 where something waits. */
  function answer(key: EthereumKey, { now }: RequestContext): Response {
    const view = toKeyPolicyJson(key, now);
    return json<typeof KeyPolicyAnswer>(view.change === null ? 200 : 202, view);
  }

  const get: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    readNoQuery(context);
    const key = await getKey(db, services, ownKeyOf(context, signedIn));
    return json<typeof KeyPolicyAnswer>(200, toKeyPolicyJson(key, context.now));
  };

  const set: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { policy } = await readJson(context, PolicyBody);
    const wanted = readKeyPolicy(policy, "/policy");
    return answer(
      await setKeyPolicy(db, counted(context, services), requestOf(context, signedIn), wanted),
      context,
    );
  };

  const remove: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    return answer(
      await setKeyPolicy(db, counted(context, services), requestOf(context, signedIn), null),
      context,
    );
  };

  const cancelChange: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    return answer(
      await cancelPolicyChange(db, counted(context, services), requestOf(context, signedIn)),
      context,
    );
  };

  const cancelForm: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readForm(context, CancelForm);
    const { id } = await cancelPolicyChange(db, counted(context, services), requestOf(context, signedIn));
    return redirect(`/keys/${id}#policy`);
  };

  return { get, set, remove, cancelChange, cancelForm };
}
