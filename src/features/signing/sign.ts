import { type Signed, toSignedJson } from "../../api/signature.ts";
import { type SigningRequestAnswer, toSigningRequestJson } from "../../api/signing-request.ts";
import { sessionOrTokenToSign } from "../../http/guard/key-guards.ts";
import { askerNameOf, type KeyUser } from "../../http/guard/key-requester.ts";
import { readJson } from "../../http/request/body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json, retryHeader } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { SignRequest } from "../../keys/digest.ts";
import { localizeDecision } from "../../keys/enforce.ts";
import { askOwner } from "../../keys/signing-requests/create.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { API_LANGUAGE } from "../../lib/language.ts";
import { AnyBody, Message, SIGN_BODY } from "./schema.ts";
import { checkCooperatively, signFor } from "./signer.ts";

/** Signs. Creates a signing request if the owner of the key must approve, and responds 202 with its location. */
async function signAndRespond(
  context: RequestContext,
  services: Services,
  user: KeyUser,
  request: SignRequest,
): Promise<Response> {
  const { checked, parts, present } = await checkCooperatively(context, services, user, request);
  const { account, asker } = user;
  const { clientAddress, now } = present;
  const outcome = await signFor(present, services, user, { keyId: context.params.keyId!, checked, parts });
  if (outcome.outcome === "signed") {
    return json<typeof Signed>(200, toSignedJson(checked, outcome.signed));
  }
  const { key, decision } = outcome;
  const { db, relyingParty, random } = services;
  const { reason } = localizeDecision(decision, API_LANGUAGE);
  const askerName = askerNameOf(asker);
  const network = networkOf(clientAddress);
  const input = { account, key, asker, askerName, network, request, checked, reason };
  const pending = await askOwner(db, counted(context, services), { ...input, relyingParty, now, random });
  return json<typeof SigningRequestAnswer>(202, { request: toSigningRequestJson(pending) }, [
    ["location", `/api/signing-requests/${pending.id}`],
    ...retryHeader(pending),
  ]);
}

export const signMessage = defineEndpoint(
  sessionOrTokenToSign,
  {},
  async (context, user, _input, services) => {
    const message = await readJson(context, Message, SIGN_BODY);
    return await signAndRespond(context, services, user, { kind: "message", ...message });
  },
);

export const signTypedData = defineEndpoint(
  sessionOrTokenToSign,
  {},
  async (context, user, _input, services) => {
    const typedData = await readJson(context, AnyBody, SIGN_BODY);
    return await signAndRespond(context, services, user, { kind: "typed_data", typedData });
  },
);

export const signTransaction = defineEndpoint(
  sessionOrTokenToSign,
  {},
  async (context, user, _input, services) => {
    const transaction = await readJson(context, AnyBody, SIGN_BODY);
    return await signAndRespond(context, services, user, { kind: "transaction", transaction });
  },
);

export const signAuthorization = defineEndpoint(
  sessionOrTokenToSign,
  {},
  async (context, user, _input, services) => {
    const authorization = await readJson(context, AnyBody, SIGN_BODY);
    return await signAndRespond(context, services, user, { kind: "authorization", authorization });
  },
);
