import * as v from "valibot";
import type { Invitation } from "../../accounts/invitation.ts";
import {
  listInvitations,
  MOST_USES,
  prepareInvitation,
  withdrawInvitation,
} from "../../accounts/manage-invitation.ts";
import { parseInstant, toIso } from "../../lib/time.ts";
import { makeOnce } from "../../limits/idempotency.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { json } from "../../http/response/respond.ts";
import type { InvitationList, InvitationMade, KeptInvitation } from "./schema.ts";
import type { Done, Of } from "../../api/value.ts";
import type { Admin } from "../../http/guard/admin-guard.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { decodeCursor, encodeCursor, nextPageLink, pageParameters } from "../../http/request/paging.ts";
import { readQuery } from "../../http/request/query.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ADMINISTRATOR } from "../../http/guard/admin-guard.ts";

/** The endpoints through which an administrator keeps invitations. */
export interface AdminInvitationEndpoints {
  readonly make: LegacyEndpoint<Admin>;
  readonly list: LegacyEndpoint<Admin>;
  readonly withdraw: LegacyEndpoint<Admin>;
}

const instant = v.pipe(
  v.string(),
  v.check((text) => parseInstant(text) !== undefined, "Expected a time in UTC, such as 2027-01-31T00:00:00Z"),
  v.transform((text) => parseInstant(text)!),
);

export const InvitationBody = v.strictObject({
  email: v.exactOptional(v.string()),
  uses: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_USES))),
  expiresAt: v.exactOptional(instant),
});
export const ListQuery = v.strictObject(pageParameters);

/** The public shape of an invitation. Its link is no part of it. */
export function toInvitationJson({ id, email, uses, used, ...times }: Invitation): Of<typeof KeptInvitation> {
  return { id, email, uses, used, createdAt: toIso(times.createdAt), expiresAt: toIso(times.expiresAt) };
}

/** Makes the endpoints of invitations over the given services. */
export function createAdminInvitationEndpoints(
  services: Pick<
    Services,
    "db" | "vault" | "authority" | "mailer" | "mailDelivery" | "relyingParty" | "random"
  >,
): AdminInvitationEndpoints {
  const { db, authority, mailDelivery, relyingParty, random } = services;

  const make: LegacyEndpoint<Admin> = async (context) => {
    const { email, uses, expiresAt } = await readJson(context, InvitationBody, { content: "empty-allowed" });
    const { now } = context;
    const terms = { email, uses, expiresAt };
    const idempotencyKey = readIdempotencyKey(context);
    const asked = JSON.stringify(["invitations", terms]);
    const once = idempotencyKey === undefined
      ? undefined
      : { holder: ADMINISTRATOR, accountId: null, idempotencyKey, request: asked, now };
    const { answer, secret } = await makeOnce(db, services, once, () => {
      const { link, make, made } = prepareInvitation(services, {
        terms,
        mail: mailDelivery === "none" ? "kept" : "sent",
        language: acceptedLanguage(context.request.headers),
        relyingParty,
        now,
        random,
      });
      return { secret: link, make: async (tx) => JSON.stringify(toInvitationJson(await make(tx))), made };
    });
    const invitation = JSON.parse(answer) as Of<typeof KeptInvitation>;
    return json<typeof InvitationMade>(201, { invitation, link: secret! });
  };

  const list: LegacyEndpoint<Admin> = async (context) => {
    const { limit, cursor } = readQuery(context, ListQuery);
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const { invitations, next } = await listInvitations(db, authority, { after, limit });
    const nextCursor = next === undefined ? null : encodeCursor(next);
    const body = { invitations: invitations.map(toInvitationJson), nextCursor };
    return json<typeof InvitationList>(200, body, nextPageLink(context.url, nextCursor));
  };

  const withdraw: LegacyEndpoint<Admin> = async (context) => {
    await readNoBody(context);
    const { params, now } = context;
    await withdrawInvitation(db, services, { invitationId: params.invitationId!, now });
    return json<typeof Done>(200, { success: true });
  };

  return { make, list, withdraw };
}
