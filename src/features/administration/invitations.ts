import type { Invitation } from "../../accounts/invitation.ts";
import { listInvitations, prepareInvitation, withdrawInvitation } from "../../accounts/manage-invitation.ts";
import type { Done, Of } from "../../api/value.ts";
import { admin, ADMINISTRATOR } from "../../http/guard/admin-guard.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { decodeCursor, encodeCursor, nextPageLink } from "../../http/request/paging.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { toIso } from "../../lib/time.ts";
import { createIdempotent } from "../../limits/idempotency.ts";
import { InvitationBody, InvitationsQuery } from "./schema.ts";
import type { AdminInvitation, InvitationList, InvitationMade } from "./schema.ts";

/** Formats an invitation without its link. */
export function toInvitationJson(
  { id, email, uses, used, ...times }: Invitation,
): Of<typeof AdminInvitation> {
  return { id, email, uses, used, createdAt: toIso(times.createdAt), expiresAt: toIso(times.expiresAt) };
}

export const createInvitation = defineEndpoint(
  admin,
  { optionalBody: InvitationBody },
  async (context, _principal, { body: { email, uses, expiresAt } }, services) => {
    const { db, mailDelivery, relyingParty, random } = services;
    const { now } = context;
    const settings = { email, uses, expiresAt };
    const idempotencyKey = readIdempotencyKey(context);
    const requested = JSON.stringify(["invitations", settings]);
    const once = idempotencyKey === undefined
      ? undefined
      : { holder: ADMINISTRATOR, accountId: null, idempotencyKey, request: requested, now };
    const { answer, secret } = await createIdempotent(db, services, once, () => {
      const { link, make, made } = prepareInvitation(services, {
        settings,
        mail: mailDelivery === "none" ? "kept" : "sent",
        language: acceptedLanguage(context.request.headers),
        relyingParty,
        now,
        random,
      });
      return { secret: link, make: async (tx) => JSON.stringify(toInvitationJson(await make(tx))), made };
    });
    const invitation = JSON.parse(answer) as Of<typeof AdminInvitation>;
    return json<typeof InvitationMade>(201, { invitation, link: secret! });
  },
);

export const listAllInvitations = defineEndpoint(
  admin,
  { query: InvitationsQuery },
  async ({ url }, _principal, { query: { limit, cursor } }, { db, authority }) => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const { invitations, next } = await listInvitations(db, authority, { after, limit });
    const nextCursor = next === undefined ? null : encodeCursor(next);
    const body = { invitations: invitations.map(toInvitationJson), nextCursor };
    return json<typeof InvitationList>(200, body, nextPageLink(url, nextCursor));
  },
);

export const revokeInvitation = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, _principal, _input, services) => {
    await withdrawInvitation(services.db, services, { invitationId: params.invitationId!, now });
    return json<typeof Done>(200, { success: true });
  },
);
