import type { SignedIn } from "../../accounts/session/session.ts";
import { toKeyGrantJson } from "../../api/application.ts";
import type { GrantList } from "../../api/application.ts";
import { readNoBody } from "../../http/request/body.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { json, noContent } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { toIso } from "../../lib/time.ts";
import { listApplications, withdrawConsent } from "../../oauth/authorize/consent.ts";
import type { OAuthServices } from "../../oauth/services.ts";

/** The endpoints through which a person keeps the applications that were let in. */
export interface GrantEndpoints {
  readonly list: LegacyEndpoint<SignedIn>;
  readonly withdraw: LegacyEndpoint<SignedIn>;
}

/** Makes the endpoints of the person's own grants over the given services. */
export function createGrantEndpoints(services: OAuthServices & Pick<Services, "db">): GrantEndpoints {
  const { db, authority, groupCommit } = services;

  const list: LegacyEndpoint<SignedIn> = async (context, { account }) => {
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

  const withdraw: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    await readNoBody(context);
    const { params, now } = context;
    const value = { accountId: account.id, clientId: params.clientId!, now };
    const isWithdrawn = await groupCommit.run((tx) => withdrawConsent(tx, services, value));
    if (!isWithdrawn) throw new ProtocolError("not_found", "There is no such application");
    return noContent();
  };

  return { list, withdraw };
}
