import { type Signed, toSignedJson } from "../../api/signature.ts";
import { type SigningRequestAnswer, toSigningRequestJson } from "../../api/signing-request.ts";
import { sessionOrTokenToSign } from "../../http/guard/key-guards.ts";
import { type KeyUser, programOf, requesterNameOf } from "../../http/guard/key-requester.ts";
import { readJson } from "../../http/request/body.ts";
import type { Schema } from "../../http/request/input.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json, retryHeader } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { SignRequest } from "../../keys/digest.ts";
import { localizeDecision } from "../../keys/enforce.ts";
import { createSigningRequest } from "../../keys/signing-requests/create.ts";
import type { Work } from "../../keys/work.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { API_LANGUAGE } from "../../lib/language.ts";
import { Message, UncheckedBody } from "./schema.ts";
import { chargeAttempt, signBodyOf, signFor } from "./signer.ts";

/** Signs. Creates a signing request if the owner of the key must approve, and responds 202 with its location. */
async function signAndRespond(
  context: RequestContext,
  services: Services,
  user: KeyUser,
  how: { readonly work: Work; readonly read: () => Promise<SignRequest> },
): Promise<Response> {
  const choice = { keyId: context.params.keyId! };
  const { request, checked, now, outcome } = await signFor(context, services, user, { choice, ...how });
  if (outcome.outcome === "signed") {
    return json<typeof Signed>(200, toSignedJson(checked, outcome.signed));
  }
  const { account, requester } = user;
  const { key, decision } = outcome;
  const { db, relyingParty, random } = services;
  const { reason } = localizeDecision(decision, API_LANGUAGE);
  const requesterName = requesterNameOf(requester);
  const network = networkOf(context.clientAddress);
  const purpose = programOf(context)?.purpose;
  const input = { account, key, requester, requesterName, network, request, checked, reason, purpose };
  const pending = await createSigningRequest(db, withRateLimitHeaders(context, services), {
    ...input,
    relyingParty,
    now,
    random,
  });
  return json<typeof SigningRequestAnswer>(202, { request: toSigningRequestJson(pending) }, [
    ["location", `/api/signing-requests/${pending.id}`],
    ...retryHeader(pending),
  ]);
}

/** Creates the endpoint of a kind. Only a message is validated by its schema: `ethereum/` validates the others. */
function signing<T>(schema: Schema<T>, toRequest: (body: T) => SignRequest): Endpoint {
  return defineEndpoint(
    sessionOrTokenToSign,
    {},
    (context, user, _input, services) =>
      chargeAttempt(context, services, user, (work) =>
        signAndRespond(context, services, user, {
          work,
          read: async () => toRequest(await readJson(context, schema, signBodyOf(work))),
        })),
  );
}

export const signMessage = signing(Message, (message) => ({ kind: "message", ...message }));
export const signTypedData = signing(UncheckedBody, (typedData) => ({ kind: "typed_data", typedData }));
export const signTransaction = signing(
  UncheckedBody,
  (transaction) => ({ kind: "transaction", transaction }),
);
export const signAuthorization = signing(
  UncheckedBody,
  (authorization) => ({ kind: "authorization", authorization }),
);
