import { type GrantList, toApplicationJson } from "../../api/application.ts";
import { session } from "../../http/guard/account-guards.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { ProtocolError } from "../../lib/error.ts";
import { listApplications, withdrawConsent } from "../../oauth/authorize/consent.ts";

export const listGrants = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async ({ now }, { account }, _input, { db, authority }) => {
    const applications = await listApplications(db, authority, { accountId: account.id, now });
    return json<typeof GrantList>(200, { grants: applications.map((one) => toApplicationJson(one)) });
  },
);

export const withdrawGrant = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, { account }, _input, services) => {
    const value = { accountId: account.id, clientId: params.clientId!, now };
    const isWithdrawn = await services.groupCommit.run((tx) => withdrawConsent(tx, services, value));
    if (!isWithdrawn) throw new ProtocolError("not_found", "There is no such application");
    return noContent();
  },
);
