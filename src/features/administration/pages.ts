import { isUsable } from "../../accounts/invitation.ts";
import {
  administratorOf,
  disableAccount,
  enableAccount,
  endSessionsFor,
  listAccounts,
  LONGEST_SEARCH,
  searchAccounts,
} from "../../accounts/manage-account.ts";
import { listInvitations, prepareInvitation, withdrawInvitation } from "../../accounts/manage-invitation.ts";
import { createIdempotentByForm, newFormId } from "../../http/form-idempotency.ts";
import { toFrame } from "../../http/frame-view.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { decodeCursor, encodeCursor } from "../../http/request/paging.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DAY } from "../../lib/time.ts";
import { adminAccountsPage } from "./accounts-page.ts";
import { toKeptAccountJson } from "./accounts.ts";
import { type AdminInvitationsData, adminInvitationsPage } from "./invitations-page.ts";
import { toInvitationJson } from "./invitations.ts";
import { InviteForm } from "./schema.ts";

const PAGE = 50;
const ACCOUNTS = "/admin/accounts";
const INVITATIONS = "/admin/invitations";
const USUAL_INVITATION = { email: "", uses: "1", days: "7" } as const;

function cursorOf({ url }: RequestContext): string | undefined {
  const cursor = url.searchParams.get("cursor");
  return cursor === null ? undefined : decodeCursor(cursor);
}

function nextOf(
  path: string,
  next: string | undefined,
  more: Readonly<Record<string, string>> = {},
): string | undefined {
  return next && `${path}?${new URLSearchParams({ ...more, cursor: encodeCursor(next) })}`;
}

export const showAccounts = defineEndpoint(
  administrator,
  {},
  async (context, _principal, _input, services) => {
    const { db, authority } = services;
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
  },
);

function actOnAccountByForm(act: typeof disableAccount): Endpoint {
  return defineEndpoint(
    administrator,
    { form: NO_MEMBERS },
    async (context, session, _input, services) => {
      const accountId = context.params.accountId!;
      const value = { ...operationContextOf(context, services), accountId, done: administratorOf(session) };
      const { id } = await act(services.db, services, value);
      return redirect(`${ACCOUNTS}?${new URLSearchParams({ search: id })}`);
    },
  );
}

export const disableAccountByForm = actOnAccountByForm(disableAccount);
export const enableAccountByForm = actOnAccountByForm(enableAccount);

export const endSessionsByForm = defineEndpoint(
  administrator,
  { form: NO_MEMBERS },
  async (context, session, _input, services) => {
    const accountId = context.params.accountId!;
    const ended = await endSessionsFor(services.db, services, {
      ...operationContextOf(context, services),
      accountId,
      done: administratorOf(session),
    });
    return redirect(`${ACCOUNTS}?${new URLSearchParams({ search: accountId, ended: String(ended) })}`);
  },
);

async function invitationsPage(
  context: RequestContext,
  services: Services,
  status: 200 | 400,
  more: Partial<Pick<AdminInvitationsData, "link" | "form" | "faults">> = {},
): Promise<Response> {
  const { db, authority, random, signUp } = services;
  const part = { after: cursorOf(context), limit: PAGE };
  const { invitations, next } = await listInvitations(db, authority, part);
  return htmlPage(
    status,
    adminInvitationsPage({
      frame: toFrame(services, context),
      rule: signUp,
      invitations: invitations.map((one) => ({
        ...toInvitationJson(one),
        isUnusable: !isUsable(one, context.now),
      })),
      link: undefined,
      form: USUAL_INVITATION,
      faults: {},
      once: newFormId(random),
      next: nextOf(INVITATIONS, next),
      ...more,
    }),
  );
}

export const showInvitations = defineEndpoint(
  administrator,
  {},
  (context, _principal, _input, services) => invitationsPage(context, services, 200),
);

export const createInvitationByForm = defineEndpoint(
  administrator,
  { form: InviteForm },
  async (context, _principal, { body: { once, ...form } }, services) => {
    const { mailDelivery, relyingParty, random } = services;
    const { now } = context;
    const [uses, days] = [form.uses, form.days].map((text) => /^\d{1,4}$/.test(text) ? Number(text) : 0);
    const email = form.email.trim();
    const faults = {
      ...(uses! < 1 || uses! > 1000 ? { uses: "Expected a whole number from 1 to 1000" } : {}),
      ...(days! < 1 || days! > 365 ? { days: "Expected a whole number from 1 to 365" } : {}),
    };
    if (Object.keys(faults).length > 0) {
      return await invitationsPage(context, services, 400, { form, faults });
    }
    try {
      const invited = await createIdempotentByForm(
        services,
        { once, requested: ["invite", form], now },
        () => {
          const { link, make, made } = prepareInvitation(services, {
            settings: { email: email === "" ? undefined : email, uses: uses!, expiresAt: now + days! * DAY },
            mail: mailDelivery === "none" ? "kept" : "sent",
            language: acceptedLanguage(context.request.headers),
            relyingParty,
            now,
            random,
          });
          return { secret: link, make: async (tx) => (await make(tx)).id, made };
        },
      );
      return invited === undefined
        ? redirect(INVITATIONS)
        : await invitationsPage(context, services, 200, { link: invited.secret });
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.errors === undefined) throw error;
      const named = error.errors.map(({ path, message }) => [(path ?? "").slice(1), message]);
      return await invitationsPage(context, services, 400, { form, faults: Object.fromEntries(named) });
    }
  },
);

export const revokeInvitationByForm = defineEndpoint(
  administrator,
  { form: NO_MEMBERS },
  async ({ params, now }, _principal, _input, services) => {
    await withdrawInvitation(services.db, services, { invitationId: params.invitationId!, now });
    return redirect(INVITATIONS);
  },
);
