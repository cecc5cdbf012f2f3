import { toKeyJson } from "../../api/key.ts";
import { toSignedJson } from "../../api/signature.ts";
import { toSigningRequestJson } from "../../api/signing-request.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { pageSession } from "../../http/guard/account-guards.ts";
import { createAuthorizationCheck } from "../../http/guard/key-guards.ts";
import { htmlPage } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { explainSignRequest } from "../../keys/explain.ts";
import { findKey } from "../../keys/key.ts";
import { decisionOn, reviewSigningRequest } from "../../keys/signing-requests/review.ts";
import { listPendingRequests, ownerOf } from "../../keys/signing-requests/signing-request.ts";
import { findClient, siteOf } from "../../oauth/client/client.ts";
import { shownMessage } from "../../ui/section/explanation.ts";
import { requestPage } from "./request-page.ts";
import { requestsPage } from "./requests-page.ts";

const SHOWN_MEMBERS: readonly string[] = ["signature", "serializedTransaction", "hash", "r", "s", "yParity"];

export const showRequests = defineEndpoint(
  pageSession,
  {},
  async (context, { account }, _input, services) => {
    const { db, authority } = services;
    const { now } = context;
    const requests = await listPendingRequests(db, authority, ownerOf(account), now);
    const labels = new Map<string, string>();
    for (const keyId of new Set(requests.map(({ keyId }) => keyId))) {
      const key = await findKey(db, authority, { accountId: account.id, keyId });
      if (key !== undefined) labels.set(keyId, key.label);
    }
    return htmlPage(
      200,
      requestsPage({
        account: toAccountView(account, services, context),
        requests: requests.map(toSigningRequestJson),
        labels,
      }),
    );
  },
);

export const showRequest = defineEndpoint(pageSession, {}, async (context, { account }, _input, services) => {
  const { db, authority, groupCommit, directory } = services;
  const { params, now } = context;
  const which = { ...ownerOf(account), requestId: params.requestId! };
  const reviewed = await reviewSigningRequest(db, services, which, now);
  const { request, key, document, signed } = reviewed;
  const { language } = account;
  const authorizationCheck = createAuthorizationCheck(services);
  const { requester } = request;
  const client = requester.kind === "application"
    ? await findClient(db, authority, requester.clientId)
    : undefined;
  const askedBy = client === undefined ? null : siteOf(client);
  const review = document && {
    explanation: await explainSignRequest(db, authority, { key, request: document }, {
      keys: "all",
      directory,
      now,
      askedBy,
      language,
      decision: await decisionOn(db, { authority, groupCommit, authorizationCheck }, reviewed, {
        act: document,
        now,
      }),
    }),
    message: shownMessage(document),
  };
  const values = document && signed && Object.entries(toSignedJson(document, signed))
    .filter(([name]) => SHOWN_MEMBERS.includes(name))
    .map(([name, value]) => [name, String(value)] as const);
  return htmlPage(
    200,
    requestPage({
      account: toAccountView(account, services, context),
      request: toSigningRequestJson(request),
      askedBy,
      key: toKeyJson(key),
      review,
      signed: values,
    }),
  );
});
