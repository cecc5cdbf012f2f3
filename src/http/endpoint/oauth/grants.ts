import type { SignedIn } from "../../../accounts/session/session.ts";
import { ProtocolError } from "../../../lib/error.ts";
import { API_LANGUAGE } from "../../../lib/language.ts";
import type { Language } from "../../../lib/language.ts";
import { toIso } from "../../../lib/time.ts";
import { listApplications, withdrawConsent } from "../../../oauth/authorize/consent.ts";
import type { ConnectedKeys } from "../../../oauth/authorize/consent.ts";
import { describePolicy } from "../../../policy/describe.ts";
import type { KeyGrantView } from "../../../ui/view.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import { readNoBody } from "../../request/body.ts";
import { readNoQuery } from "../../request/query.ts";
import type { GrantList } from "../../answer/schema/account.ts";
import { json, noContent } from "../../answer/respond.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";

/** The endpoints through which a person keeps the applications that were let in. */
export interface GrantEndpoints {
  readonly list: Endpoint<SignedIn>;
  readonly withdraw: Endpoint<SignedIn>;
}

/** What an application may do with keys, as answers show it, and pages in their reader's language. */
export function toKeyGrantJson(granted: ConnectedKeys, language: Language = API_LANGUAGE): KeyGrantView {
  const { scope, keys, policy, createdAt, endsAt } = granted;
  return {
    scope,
    keys,
    policy: policy ?? null,
    policyWords: policy === undefined ? null : describePolicy(policy, language),
    createdAt: toIso(createdAt),
    endsAt: toIso(endsAt),
  };
}

/** Makes the endpoints of the person's own grants over the given services. */
export function createGrantEndpoints(services: OAuthServices & Pick<Services, "db">): GrantEndpoints {
  const { db, authority, groupCommit } = services;

  const list: Endpoint<SignedIn> = async (context, { account }) => {
    readNoQuery(context);
    const applications = await listApplications(db, authority, { accountId: account.id, now: context.now });
    const grants = applications.map(({ client: { clientId, name, uri }, scope, consentedAt, keyGrants }) => ({
      clientId,
      name,
      uri,
      scope,
      consentedAt: toIso(consentedAt),
      keyGrants: keyGrants.map((granted) => toKeyGrantJson(granted)),
    }));
    return json<typeof GrantList>(200, { grants });
  };

  const withdraw: Endpoint<SignedIn> = async (context, { account }) => {
    await readNoBody(context);
    const { params, now } = context;
    const value = { accountId: account.id, clientId: params.clientId!, now };
    const isWithdrawn = await groupCommit.run((tx) => withdrawConsent(tx, services, value));
    if (!isWithdrawn) throw new ProtocolError("not_found", "There is no such application");
    return noContent();
  };

  return { list, withdraw };
}
