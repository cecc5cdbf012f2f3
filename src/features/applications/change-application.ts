import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { createIdempotentByForm } from "../../http/form-idempotency.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newSecret, type RandomBytes } from "../../lib/id.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import {
  changeClient,
  deleteClient,
  endPreviousSecret,
  newClientSecret,
  registerClient,
  rotateClientSecret,
} from "../../oauth/client/client-administration.ts";
import type { IssuedClient } from "../../oauth/client/client-administration.ts";
import { getClient } from "../../oauth/client/client.ts";
import { faultsOf, isStale, metadataOf, type SentForm, toSentForm } from "./form.ts";
import { applicationPage, clientOf, newApplicationPage } from "./pages.ts";
import { ChangeForm, RegisterForm, SecretForm } from "./schema.ts";

function pathOf(clientId: string): string {
  return `/admin/applications/${clientId}`;
}

function idOf(make: (tx: Db) => Promise<IssuedClient>): (tx: Db) => Promise<string> {
  return async (tx) => (await make(tx)).client.clientId;
}

/** Returns the faults of a form that the error names. Rethrows any other error. */
function faultsIn(form: SentForm, error: unknown): Record<string, string> {
  if (error instanceof ProtocolError && error.code === "invalid_request" && error.errors !== undefined) {
    return faultsOf(form, error.errors);
  }
  throw error;
}

export const registerApplication = defineEndpoint(
  administrator,
  { form: RegisterForm },
  async (context, _principal, { body: { type, once, ...form } }, services) => {
    const { db, authority, random } = services;
    const { now } = context;
    try {
      const metadata = { ...metadataOf(form as SentForm), type };
      const made = await createIdempotentByForm(
        services,
        { once, requested: ["register", type, form], now },
        () => {
          const clientSecret = newClientSecret(metadata, random);
          const make = (tx: Db) => registerClient(tx, services, { metadata, clientSecret, now, random });
          return { secret: clientSecret, make: idOf(make), made: () => {} };
        },
      );
      if (made === undefined) return redirect("/admin/applications");
      const client = await getClient(db, authority, made.answer);
      return await applicationPage(context, services, client, { secret: made.secret, state: "saved" });
    } catch (error) {
      const faults = faultsIn(form as SentForm, error);
      const sent = toSentForm(form as SentForm, type, faults);
      return htmlPage(400, await newApplicationPage(context, services, sent));
    }
  },
);

export const changeApplication = defineEndpoint(
  administrator,
  { form: ChangeForm },
  async (context, _principal, { body: form }, services) => {
    const clientId = context.params.clientId!;
    try {
      const { random } = services;
      const value = { clientId, change: metadataOf(form), now: context.now, random };
      const changed = await transaction(services.db, async (tx) => {
        const isOld = isStale(form, await getClient(tx, services.authority, clientId));
        return isOld ? undefined : await changeClient(tx, services, value);
      });
      return changed === undefined
        ? await applicationPage(context, services, await clientOf(context, services), { state: "stale" })
        : await applicationPage(context, services, changed, { state: "saved" });
    } catch (error) {
      const faults = faultsIn(form, error);
      const client = await clientOf(context, services);
      return await applicationPage(context, services, client, {
        form: toSentForm(form, client.type, faults),
      });
    }
  },
);

/** Creates the endpoint of a form without fields, which changes one client and redirects to `next`. */
function actOnClient(
  act: (
    tx: Db,
    services: Services,
    value: { readonly clientId: string; readonly now: Instant; readonly random: RandomBytes },
  ) => Promise<unknown>,
  next: (clientId: string) => string,
): Endpoint {
  return defineEndpoint(
    administrator,
    { form: NO_MEMBERS },
    async ({ params, now }, _principal, _input, services) => {
      const clientId = params.clientId!;
      await transaction(services.db, (tx) => act(tx, services, { clientId, now, random: services.random }));
      return redirect(next(clientId));
    },
  );
}

export const disableApplication = actOnClient(
  (tx, services, value) => changeClient(tx, services, { ...value, change: { disabled: true } }),
  pathOf,
);

export const enableApplication = actOnClient(
  (tx, services, value) => changeClient(tx, services, { ...value, change: { disabled: false } }),
  pathOf,
);

export const endPreviousApplicationSecret = actOnClient(endPreviousSecret, pathOf);

export const deleteApplication = actOnClient(deleteClient, () => "/admin/applications");

export const rotateApplicationSecret = defineEndpoint(
  administrator,
  { form: SecretForm },
  async (context, _principal, { body: { overlap: seconds, once } }, services) => {
    const { params, now } = context;
    const clientId = params.clientId!;
    const overlap = Number(seconds);
    const previousUntil = overlap === 0 ? undefined : now + overlap * SECOND;
    const made = await createIdempotentByForm(
      services,
      { once, requested: ["rotate", clientId, overlap], now },
      () => {
        const clientSecret = newSecret(services.random);
        const value = { clientId, clientSecret, previousUntil, now };
        const make = (tx: Db) => rotateClientSecret(tx, services, value);
        return { secret: clientSecret, make: idOf(make), made: () => {} };
      },
    );
    if (made === undefined) return redirect(pathOf(clientId));
    const client = await clientOf(context, services);
    return await applicationPage(context, services, client, { secret: made.secret });
  },
);
