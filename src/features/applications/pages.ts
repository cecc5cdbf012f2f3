import { listGroups } from "../../accounts/group.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import { newFormId } from "../../http/form-idempotency.ts";
import { toFrame } from "../../http/frame-view.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { decodeCursor, encodeCursor } from "../../http/request/paging.ts";
import { htmlPage } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { Html } from "../../lib/html.ts";
import { toIso } from "../../lib/time.ts";
import { previousSecretEnd } from "../../oauth/client/client-secret.ts";
import { type Client, getClient, isPublicClient, listClients } from "../../oauth/client/client.ts";
import type { ApplicationForm } from "./application-form.ts";
import { adminApplicationPage, adminNewApplicationPage } from "./application-page.ts";
import { adminApplicationsPage } from "./applications-page.ts";
import { connectionOf, EMPTY_FORM, toForm } from "./form.ts";

/** Applications on a page, and the number that one search step looks through. */
const PAGE = 50;
const LOOKED_THROUGH = 1000;

/** Returns the page of an application: 400 with faults in its form, 409 if the sent form is stale. */
export async function applicationPage(
  context: RequestContext,
  services: Services,
  client: Client,
  more: { secret?: string | undefined; form?: ApplicationForm; state?: "saved" | "stale" } = {},
): Promise<Response> {
  const end = previousSecretEnd(client, context.now);
  const { form = toForm(client), secret, state } = more;
  const hasFaults = Object.keys(form.faults).length > 0;
  return htmlPage(
    hasFaults ? 400 : state === "stale" ? 409 : 200,
    adminApplicationPage({
      frame: toFrame(services, context),
      form,
      connection: connectionOf(client, services.baseUrl, secret),
      isPublic: isPublicClient(client),
      isDisabled: client.disabled,
      isDeclared: client.declared,
      groups: await listGroups(services.db, services.authority),
      previousSecretEnd: end === undefined ? null : toIso(end),
      isSaved: state === "saved",
      isStale: state === "stale",
      once: newFormId(services.random),
    }),
  );
}

/** Renders the page of the form that registers an application. */
export async function newApplicationPage(
  context: RequestContext,
  services: Services,
  form: ApplicationForm,
): Promise<Html> {
  const { db, authority, random } = services;
  const groups = await listGroups(db, authority);
  return adminNewApplicationPage({
    frame: toFrame(services, context),
    form,
    groups,
    once: newFormId(random),
  });
}

/** Returns the client named in the path. Throws `not_found`. */
export function clientOf({ params }: RequestContext, { db, authority }: Services): Promise<Client> {
  return getClient(db, authority, params.clientId!);
}

/** Returns a page of clients. With a search, returns the matches among the next `LOOKED_THROUGH`. */
async function findClients({ db, authority }: Services, search: string, after: string | undefined) {
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

export const showApplications = defineEndpoint(
  administrator,
  {},
  async (context, _principal, _input, services) => {
    const { searchParams } = context.url;
    const search = (searchParams.get("search") ?? "").trim();
    const cursor = searchParams.get("cursor");
    const after = cursor === null ? undefined : decodeCursor(cursor);
    const { clients, next } = await findClients(services, search, after);
    const more = next &&
      `/admin/applications?${new URLSearchParams({
        ...(search !== "" && { search }),
        cursor: encodeCursor(next),
      })}`;
    const applications = clients.map((client) => ({ ...client, createdAt: toIso(client.createdAt) }));
    const frame = toFrame(services, context);
    return htmlPage(200, adminApplicationsPage({ frame, applications, search, next: more }));
  },
);

export const showNewApplication = defineEndpoint(
  administrator,
  {},
  async (context, _principal, _input, services) =>
    htmlPage(200, await newApplicationPage(context, services, EMPTY_FORM)),
);

export const showApplication = defineEndpoint(
  administrator,
  {},
  async (context, _principal, _input, services) =>
    applicationPage(context, services, await clientOf(context, services)),
);
