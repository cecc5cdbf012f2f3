import type { SignedIn } from "../../accounts/session/session.ts";
import { decisionOn, reviewSigningRequest } from "../../keys/signing-requests/review.ts";
import { listPendingRequests } from "../../keys/signing-requests/signing-request.ts";
import { explainSignRequest } from "../../keys/explain.ts";
import { listAllKeys } from "../../keys/key.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { requestPage } from "./request-page.ts";
import { requestsPage } from "./requests-page.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { toKeyJson } from "../../api/key.ts";
import { htmlPage } from "../../http/response/respond.ts";
import { shownMessage } from "../../ui/section/shown-message.ts";
import { toSignedJson } from "../../api/signature.ts";
import { toSigningRequestJson } from "../../api/signing-request.ts";
import { createMandates } from "../../http/guard/key-guards.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The pages on which owners see what is asked of them. */
export interface RequestPageEndpoints {
  readonly list: LegacyEndpoint<SignedIn>;
  readonly one: LegacyEndpoint<SignedIn>;
}

/** The values of a signature that a page shows. */
const VALUES: readonly string[] = ["signature", "serializedTransaction", "hash", "r", "s", "yParity"];

/** Makes the pages of asked signatures over the given services. */
export function createRequestPages(
  services: Pick<Services, "db" | "vault" | "authority" | "directory" | "tee">,
): RequestPageEndpoints {
  const { db, authority, directory } = services;
  const mandates = createMandates(authority);

  const list: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { now } = context;
    const asker = { kind: "owner" } as const;
    const requests = await listPendingRequests(db, authority, { accountId: account.id, asker, now });
    const keys = requests.length === 0 ? [] : await listAllKeys(db, authority, account.id);
    return htmlPage(
      200,
      requestsPage({
        account: toAccountView(account, services, context),
        requests: requests.map(toSigningRequestJson),
        labels: new Map(keys.map(({ id, label }) => [id, label])),
      }),
    );
  };

  const one: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { params, now } = context;
    const asker = { kind: "owner" } as const;
    const which = { accountId: account.id, requestId: params.requestId!, asker };
    const reviewed = await reviewSigningRequest(db, services, which, now);
    const { request, key, document, signed } = reviewed;
    const keys = await listAllKeys(db, authority, account.id);
    const labels = new Map(keys.map(({ address, label }) => [toChecksumAddress(address), label]));
    const { language } = account;
    const surroundings = { labels, directory, now, askedBy: null, language };
    const review = document && {
      explanation: explainSignRequest(key, document, {
        ...surroundings,
        decision: await decisionOn(db, { authority, mandates }, reviewed, { act: document, now }),
      }),
      message: shownMessage(document),
    };
    const values = document && signed && Object.entries(toSignedJson(document, signed))
      .filter(([name]) => VALUES.includes(name))
      .map(([name, value]) => [name, String(value)] as const);
    return htmlPage(
      200,
      requestPage({
        account: toAccountView(account, services, context),
        request: toSigningRequestJson(request),
        key: toKeyJson(key),
        review,
        signed: values,
      }),
    );
  };

  return { list, one };
}
