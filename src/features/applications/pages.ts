import * as v from "valibot";
import type { AdminSession } from "../../accounts/admin-session.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newSecret } from "../../lib/id.ts";
import { SECOND, toIso } from "../../lib/time.ts";
import {
  changeClient,
  deleteClient,
  endPreviousSecret,
  newClientSecret,
  registerClient,
  rotateClientSecret,
} from "../../oauth/client/client-administration.ts";
import type { IssuedClient } from "../../oauth/client/client-administration.ts";
import { previousSecretEnd } from "../../oauth/client/client-secret.ts";
import { AUTHENTICATION_METHODS, getClient, listClients } from "../../oauth/client/client.ts";
import type { Client } from "../../oauth/client/client.ts";
import { adminApplicationPage, adminNewApplicationPage } from "./application-page.ts";
import { adminApplicationsPage } from "./applications-page.ts";
import type { ApplicationForm } from "./application-form.ts";
import { toFrame } from "../../http/frame-view.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readForm } from "../../http/request/body.ts";
import { decodeCursor, encodeCursor } from "../../http/request/paging.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import {
  ChangeForm,
  connectionOf,
  EMPTY_FORM,
  faultsOf,
  isStale,
  metadataOf,
  RegisterForm,
  toForm,
  toSentForm,
} from "./form.ts";
import type { SentForm } from "./form.ts";
import { makeByForm, newOnce, onceField } from "../../http/form-idempotency.ts";

/** The administrator's pages of applications, and what their forms do: all of it as the API does it. */
export interface AdminApplicationPages extends
  Readonly<
    Record<
      | "list"
      | "newPage"
      | "register"
      | "page"
      | "change"
      | "disable"
      | "enable"
      | "rotate"
      | "endSecret"
      | "remove",
      LegacyEndpoint<AdminSession>
    >
  > {}

export const SecretForm = v.strictObject({
  overlap: v.picklist(["0", "3600", "86400", "604800"]),
  ...onceField,
});

/** Applications of a page, and how many are looked through for those that are searched. */
const PAGE = 50;
const LOOKED_THROUGH = 1000;

/** Makes a client, or its secret, and answers which client it is. */
function idOf(make: (tx: Db) => Promise<IssuedClient>): (tx: Db) => Promise<string> {
  return async (tx) => (await make(tx)).client.clientId;
}

/** Makes the pages over the given services. */
export function createAdminApplicationPages(services: Services): AdminApplicationPages {
  const { db, authority, random, baseUrl } = services;

  function show(
    context: RequestContext,
    client: Client,
    more: { secret?: string | undefined; form?: ApplicationForm; state?: "saved" | "stale" } = {},
  ): Response {
    const end = previousSecretEnd(client, context.now);
    const { form = toForm(client), secret, state } = more;
    const hasFaults = Object.keys(form.faults).length > 0;
    return htmlPage(
      hasFaults ? 400 : state === "stale" ? 409 : 200,
      adminApplicationPage({
        frame: toFrame(services, context),
        form,
        connection: connectionOf(client, baseUrl, secret),
        isPublic: AUTHENTICATION_METHODS[client.type] === "none",
        isDisabled: client.disabled,
        isDeclared: client.declared,
        previousSecretEnd: end === undefined ? null : toIso(end),
        isSaved: state === "saved",
        isStale: state === "stale",
        once: newOnce(random),
      }),
    );
  }

  const pathOf = (context: RequestContext): string => `/admin/applications/${context.params.clientId!}`;
  const clientOf = (context: RequestContext): Promise<Client> =>
    getClient(db, authority, context.params.clientId!);

  async function find(search: string, after: string | undefined) {
    if (search === "") return await listClients(db, authority, { after, limit: PAGE });
    const { clients, next } = await listClients(db, authority, { after, limit: LOOKED_THROUGH });
    const sought = search.toLowerCase();
    return {
      clients: clients.filter(({ clientId, name }) =>
        clientId === search || name.toLowerCase().includes(sought)
      ),
      next,
    };
  }

  const list: LegacyEndpoint<AdminSession> = async (context) => {
    const { searchParams } = context.url;
    const search = (searchParams.get("search") ?? "").trim();
    const cursor = searchParams.get("cursor");
    const { clients, next } = await find(search, cursor === null ? undefined : decodeCursor(cursor));
    const more = next &&
      `/admin/applications?${new URLSearchParams({
        ...(search !== "" && { search }),
        cursor: encodeCursor(next),
      })}`;
    const applications = clients.map((client) => ({ ...client, createdAt: toIso(client.createdAt) }));
    const frame = toFrame(services, context);
    return htmlPage(200, adminApplicationsPage({ frame, applications, search, next: more }));
  };

  const newPage: LegacyEndpoint<AdminSession> = (context) =>
    Promise.resolve(
      htmlPage(
        200,
        adminNewApplicationPage({
          frame: toFrame(services, context),
          form: EMPTY_FORM,
          once: newOnce(random),
        }),
      ),
    );

  const register: LegacyEndpoint<AdminSession> = async (context) => {
    const { type, once, ...form } = await readForm(context, RegisterForm);
    const { now } = context;
    try {
      const metadata = { ...metadataOf(form as SentForm), type };
      const made = await makeByForm(services, { once, asked: ["register", type, form], now }, () => {
        const clientSecret = newClientSecret(type, random);
        const make = (tx: Db) => registerClient(tx, services, { metadata, clientSecret, now, random });
        return { secret: clientSecret, make: idOf(make), made: () => {} };
      });
      if (made === undefined) return redirect("/admin/applications");
      const client = await getClient(db, authority, made.answer);
      return show(context, client, { secret: made.secret, state: "saved" });
    } catch (error) {
      const faults = faultsIn(form as SentForm, error);
      const frame = toFrame(services, context);
      const sent = toSentForm(form as SentForm, type, faults);
      return htmlPage(400, adminNewApplicationPage({ frame, form: sent, once: newOnce(random) }));
    }
  };

  const change: LegacyEndpoint<AdminSession> = async (context) => {
    const form = await readForm(context, ChangeForm);
    const { clientId } = context.params;
    try {
      const value = { clientId: clientId!, change: metadataOf(form), now: context.now };
      const changed = await transaction(db, async (tx) => {
        const isOld = isStale(form, await getClient(tx, authority, clientId!));
        return isOld ? undefined : await changeClient(tx, services, value);
      });
      return changed === undefined
        ? show(context, await clientOf(context), { state: "stale" })
        : show(context, changed, { state: "saved" });
    } catch (error) {
      const faults = faultsIn(form, error);
      const client = await clientOf(context);
      return show(context, client, { form: toSentForm(form, client.type, faults) });
    }
  };

  function toggle(disabled: boolean): LegacyEndpoint<AdminSession> {
    return async (context) => {
      await readForm(context, v.strictObject({}));
      const value = { clientId: context.params.clientId!, change: { disabled }, now: context.now };
      await transaction(db, (tx) => changeClient(tx, services, value));
      return redirect(pathOf(context));
    };
  }

  const rotate: LegacyEndpoint<AdminSession> = async (context) => {
    const { overlap: seconds, once } = await readForm(context, SecretForm);
    const { now } = context;
    const clientId = context.params.clientId!;
    const overlap = Number(seconds);
    const previousUntil = overlap === 0 ? undefined : now + overlap * SECOND;
    const made = await makeByForm(services, { once, asked: ["rotate", clientId, overlap], now }, () => {
      const clientSecret = newSecret(random);
      const value = { clientId, clientSecret, previousUntil, now };
      const make = (tx: Db) => rotateClientSecret(tx, services, value);
      return { secret: clientSecret, make: idOf(make), made: () => {} };
    });
    if (made === undefined) return redirect(pathOf(context));
    return show(context, await clientOf(context), { secret: made.secret });
  };

  const endSecret: LegacyEndpoint<AdminSession> = async (context) => {
    await readForm(context, v.strictObject({}));
    const value = { clientId: context.params.clientId!, now: context.now };
    await transaction(db, (tx) => endPreviousSecret(tx, services, value));
    return redirect(pathOf(context));
  };

  const remove: LegacyEndpoint<AdminSession> = async (context) => {
    await readForm(context, v.strictObject({}));
    const value = { clientId: context.params.clientId!, now: context.now };
    await transaction(db, (tx) => deleteClient(tx, services, value));
    return redirect("/admin/applications");
  };

  return {
    list,
    newPage,
    register,
    page: async (context) => show(context, await clientOf(context)),
    change,
    disable: toggle(true),
    enable: toggle(false),
    rotate,
    endSecret,
    remove,
  };
}

/** What is wrong with a form, where that is what was thrown; anything else is thrown on. */
function faultsIn(form: SentForm, error: unknown): Record<string, string> {
  if (error instanceof ProtocolError && error.code === "invalid_request" && error.errors !== undefined) {
    return faultsOf(form, error.errors);
  }
  throw error;
}
