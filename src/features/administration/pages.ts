import * as v from "valibot";
import type { AdminSession } from "../../accounts/admin-session.ts";
import { isUsable } from "../../accounts/invitation.ts";
import {
  disableAccount,
  doneIn,
  enableAccount,
  endSessionsFor,
  listAccounts,
  LONGEST_SEARCH,
  searchAccounts,
} from "../../accounts/manage-account.ts";
import { listInvitations, prepareInvitation, withdrawInvitation } from "../../accounts/manage-invitation.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DAY, toIso } from "../../lib/time.ts";
import { adminAccountsPage } from "./accounts-page.ts";
import { adminInvitationsPage } from "./invitations-page.ts";
import type { AdminInvitationsData } from "./invitations-page.ts";
import { toFrame } from "../../http/frame-view.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readForm } from "../../http/request/body.ts";
import { decodeCursor, encodeCursor } from "../../http/request/paging.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toKeptAccountJson } from "./accounts.ts";
import { makeByForm, newOnce, onceField } from "../../http/form-idempotency.ts";

/** The administrator's pages of accounts and invitations, and what their forms do: all of it as the API does it. */
export interface AdminPeoplePages extends
  Readonly<
    Record<
      "accounts" | "disable" | "enable" | "endSessions" | "invitations" | "invite" | "withdraw",
      LegacyEndpoint<AdminSession>
    >
  > {}

export const InviteForm = v.strictObject({
  email: v.string(),
  uses: v.string(),
  days: v.string(),
  ...onceField,
});

const PAGE = 50;
const ACCOUNTS = "/admin/accounts";
const INVITATIONS = "/admin/invitations";
const USUAL_INVITATION = { email: "", uses: "1", days: "7" } as const;

/** Makes the pages over the given services. */
export function createAdminPeoplePages(services: Services): AdminPeoplePages {
  const { db, authority, relyingParty, random, signUp } = services;

  const cursorOf = ({ url }: RequestContext): string | undefined => {
    const cursor = url.searchParams.get("cursor");
    return cursor === null ? undefined : decodeCursor(cursor);
  };
  const nextOf = (path: string, next: string | undefined, more: Record<string, string> = {}) =>
    next && `${path}?${new URLSearchParams({ ...more, cursor: encodeCursor(next) })}`;

  const accounts: LegacyEndpoint<AdminSession> = async (context) => {
    const { searchParams } = context.url;
    const search = (searchParams.get("search") ?? "").trim().slice(0, LONGEST_SEARCH);
    const part = { after: cursorOf(context), limit: PAGE };
    const { accounts, next } = search === ""
      ? await listAccounts(db, authority, part)
      : await searchAccounts(db, authority, { ...part, text: search });
    const ended = searchParams.get("ended");
    return htmlPage(
      200,
      adminAccountsPage({
        frame: toFrame(services, context),
        accounts: accounts.map(toKeptAccountJson),
        search,
        next: nextOf(ACCOUNTS, next, search === "" ? {} : { search }),
        ended: ended !== null && /^\d{1,4}$/.test(ended) ? Number(ended) : undefined,
      }),
    );
  };

  function act(job: typeof disableAccount): LegacyEndpoint<AdminSession> {
    return async (context, administrator) => {
      await readForm(context, v.strictObject({}));
      const { params, now } = context;
      const done = doneIn(administrator);
      const { id } = await job(db, services, { accountId: params.accountId!, done, now, random });
      return redirect(`${ACCOUNTS}?${new URLSearchParams({ search: id })}`);
    };
  }

  const endSessions: LegacyEndpoint<AdminSession> = async (context, administrator) => {
    await readForm(context, v.strictObject({}));
    const accountId = context.params.accountId!;
    const done = doneIn(administrator);
    const ended = await endSessionsFor(db, services, { accountId, done, now: context.now, random });
    return redirect(`${ACCOUNTS}?${new URLSearchParams({ search: accountId, ended: String(ended) })}`);
  };

  async function showInvitations(
    context: RequestContext,
    status: 200 | 400,
    more: Partial<Pick<AdminInvitationsData, "link" | "form" | "faults">> = {},
  ): Promise<Response> {
    const part = { after: cursorOf(context), limit: PAGE };
    const { invitations, next } = await listInvitations(db, authority, part);
    return htmlPage(
      status,
      adminInvitationsPage({
        frame: toFrame(services, context),
        rule: signUp,
        invitations: invitations.map((one) => ({
          ...one,
          expiresAt: toIso(one.expiresAt),
          isOver: !isUsable(one, context.now),
        })),
        link: undefined,
        form: USUAL_INVITATION,
        faults: {},
        once: newOnce(random),
        next: nextOf(INVITATIONS, next),
        ...more,
      }),
    );
  }

  const invite: LegacyEndpoint<AdminSession> = async (context) => {
    const { once, ...form } = await readForm(context, InviteForm);
    const { now } = context;
    const [uses, days] = [form.uses, form.days].map((text) => /^\d{1,4}$/.test(text) ? Number(text) : 0);
    const email = form.email.trim();
    const faults = {
      ...(uses! < 1 || uses! > 1000 ? { uses: "Expected a whole number from 1 to 1000" } : {}),
      ...(days! < 1 || days! > 365 ? { days: "Expected a whole number from 1 to 365" } : {}),
    };
    if (Object.keys(faults).length > 0) return await showInvitations(context, 400, { form, faults });
    try {
      const invited = await makeByForm(services, { once, asked: ["invite", form], now }, () => {
        const { link, make, made } = prepareInvitation(services, {
          terms: { email: email === "" ? undefined : email, uses: uses!, expiresAt: now + days! * DAY },
          mail: services.mailDelivery === "none" ? "kept" : "sent",
          language: acceptedLanguage(context.request.headers),
          relyingParty,
          now,
          random,
        });
        return { secret: link, make: async (tx) => (await make(tx)).id, made };
      });
      return invited === undefined
        ? redirect(INVITATIONS)
        : await showInvitations(context, 200, { link: invited.secret });
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.errors === undefined) throw error;
      const named = error.errors.map(({ path, message }) => [(path ?? "").slice(1), message]);
      return await showInvitations(context, 400, { form, faults: Object.fromEntries(named) });
    }
  };

  const withdraw: LegacyEndpoint<AdminSession> = async (context) => {
    await readForm(context, v.strictObject({}));
    await withdrawInvitation(db, services, { invitationId: context.params.invitationId!, now: context.now });
    return redirect(INVITATIONS);
  };

  return {
    accounts,
    disable: act(disableAccount),
    enable: act(enableAccount),
    endSessions,
    invitations: (context) => showInvitations(context, 200),
    invite,
    withdraw,
  };
}
