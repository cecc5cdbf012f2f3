import * as v from "valibot";
import type { Done, Of } from "../../api/value.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ADMINISTRATOR } from "../../http/guard/admin-guard.ts";
import type { Admin } from "../../http/guard/admin-guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { decodeCursor, encodeCursor, nextPageLink, pageParameters } from "../../http/request/paging.ts";
import { readQuery } from "../../http/request/query.ts";
import { json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { newSecret } from "../../lib/id.ts";
import { SECOND, toIso } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { makeOnce } from "../../limits/idempotency.ts";
import {
  changeClient,
  deleteClient,
  endPreviousSecret,
  newClientSecret,
  registerClient,
  rotateClientSecret,
} from "../../oauth/client/client-administration.ts";
import type { IssuedClient } from "../../oauth/client/client-administration.ts";
import type { ClientChange, ClientMetadata } from "../../oauth/client/client-metadata.ts";
import { LONGEST_OVERLAP, previousSecretEnd } from "../../oauth/client/client-secret.ts";
import { AUTHENTICATION_METHODS, getClient, listClients } from "../../oauth/client/client.ts";
import type { Client } from "../../oauth/client/client.ts";
import { SCOPES } from "../../oauth/scope.ts";
import type { ClientAnswer, ClientDone, ClientList, OAuthClient } from "./schema.ts";

/** The endpoints through which an administrator keeps OAuth clients. */
export interface AdminClientEndpoints {
  readonly register: LegacyEndpoint<Admin>;
  readonly list: LegacyEndpoint<Admin>;
  readonly get: LegacyEndpoint<Admin>;
  readonly change: LegacyEndpoint<Admin>;
  readonly rotateSecret: LegacyEndpoint<Admin>;
  /** Ends the secret before the present one. */
  readonly endSecret: LegacyEndpoint<Admin>;
  readonly remove: LegacyEndpoint<Admin>;
}

const uris = v.array(v.string());

const optionalMembers = {
  backchannelLogoutUri: v.exactOptional(v.nullable(v.string())),
  backchannelLogoutSessionRequired: v.exactOptional(v.boolean()),
  postLogoutRedirectUris: v.exactOptional(uris),
  idTokenSignedResponseAlg: v.exactOptional(v.picklist(["ES256", "RS256", "EdDSA"])),
  scopes: v.exactOptional(v.array(v.picklist(SCOPES))),
  dpopBoundAccessTokens: v.exactOptional(v.boolean()),
};

export const RegisterBody = v.strictObject({
  name: v.string(),
  redirectUris: uris,
  uri: v.string(),
  type: v.picklist(["spa", "native", "web"]),
  ...optionalMembers,
});

export const ChangeBody = v.strictObject({
  name: v.exactOptional(v.string()),
  redirectUris: v.exactOptional(uris),
  uri: v.exactOptional(v.string()),
  disabled: v.exactOptional(v.boolean()),
  ...optionalMembers,
});

/** Clients as a file declares them: as registering takes them, and what is said of them elsewhere. */
export const DeclaredEntries = v.array(v.strictObject({
  ...RegisterBody.entries,
  clientId: v.pipe(v.string(), v.regex(/^[0-9a-v]{26}$/, "Expected 26 characters of [0-9a-v]")),
  /** The path of its secret. */
  clientSecretFile: v.exactOptional(v.string()),
  disabled: v.exactOptional(v.boolean()),
}));

export type DeclaredEntry = v.InferOutput<typeof DeclaredEntries>[number];

/** Seconds for which the secret before the new one goes on to count; it stops at once unless given. */
const overlap = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LONGEST_OVERLAP / SECOND));

export const RotateBody = v.strictObject({ previousExpiresIn: v.exactOptional(overlap) });

export const ListQuery = v.strictObject(pageParameters);

/** The public shape of a client. The secret's hash is no part of it. */
function clientJson(client: Client, now: Instant): Of<typeof OAuthClient> {
  const previousEnd = previousSecretEnd(client, now);
  const tokenEndpointAuthMethod = AUTHENTICATION_METHODS[client.type];
  return {
    id: client.clientId,
    clientId: client.clientId,
    name: client.name,
    redirectUris: client.redirectUris,
    postLogoutRedirectUris: client.postLogoutRedirectUris,
    backchannelLogoutUri: client.backchannelLogoutUri ?? null,
    backchannelLogoutSessionRequired: client.backchannelLogoutSessionRequired,
    uri: client.uri,
    type: client.type,
    public: tokenEndpointAuthMethod === "none",
    tokenEndpointAuthMethod,
    idTokenSignedResponseAlg: client.idTokenSignedResponseAlg,
    scopes: ["openid", ...client.keyScopes],
    dpopBoundAccessTokens: client.dpopBoundAccessTokens,
    disabled: client.disabled,
    declared: client.declared,
    previousSecretExpiresAt: previousEnd === undefined ? null : toIso(previousEnd),
    createdAt: toIso(client.createdAt),
    updatedAt: toIso(client.updatedAt),
  };
}

/** Makes the endpoints of OAuth clients over the given services. */
export function createAdminClientEndpoints(
  services: Pick<Services, "db" | "vault" | "authority" | "random" | "logoutHosts">,
): AdminClientEndpoints {
  const { db, authority, random } = services;

  /** Under an `Idempotency-Key` once: the client as it is shown, with the secret that it was just given. */
  async function once(
    context: RequestContext,
    asked: readonly unknown[],
    draw: () => {
      readonly clientSecret: string | undefined;
      readonly make: (tx: Db) => Promise<IssuedClient>;
    },
  ): Promise<Of<typeof OAuthClient>> {
    const idempotencyKey = readIdempotencyKey(context);
    const holder = { holder: ADMINISTRATOR, accountId: null };
    const request = idempotencyKey === undefined
      ? undefined
      : { ...holder, idempotencyKey, request: JSON.stringify(asked), now: context.now };
    const { answer, secret } = await makeOnce(db, services, request, () => {
      const { clientSecret, make } = draw();
      const shown = async (tx: Db) => JSON.stringify(clientJson((await make(tx)).client, context.now));
      return { secret: clientSecret, make: shown, made: () => {} };
    });
    const client = JSON.parse(answer) as Of<typeof OAuthClient>;
    return secret === undefined ? client : { ...client, clientSecret: secret };
  }

  const register: LegacyEndpoint<Admin> = async (context) => {
    const metadata: ClientMetadata = await readJson(context, RegisterBody);
    const { now } = context;
    const client = await once(context, ["clients", metadata], () => {
      const clientSecret = newClientSecret(metadata.type, random);
      const make = (tx: Db) => registerClient(tx, services, { metadata, clientSecret, now, random });
      return { clientSecret, make };
    });
    return json<typeof ClientDone>(201, { success: true, client }, [
      ["location", `/api/admin/oauth/clients/${client.clientId}`],
    ]);
  };

  const list: LegacyEndpoint<Admin> = async (context) => {
    const { limit, cursor } = readQuery(context, ListQuery);
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const { clients, next } = await listClients(db, authority, { after, limit });
    const nextCursor = next === undefined ? null : encodeCursor(next);
    const body = { clients: clients.map((client) => clientJson(client, context.now)), nextCursor };
    return json<typeof ClientList>(200, body, nextPageLink(context.url, nextCursor));
  };

  const get: LegacyEndpoint<Admin> = async ({ params, now }) => {
    const client = await getClient(db, authority, params.clientId!);
    return json<typeof ClientAnswer>(200, { client: clientJson(client, now) });
  };

  const change: LegacyEndpoint<Admin> = async (context) => {
    const change: ClientChange = await readJson(context, ChangeBody);
    const value = { clientId: context.params.clientId!, change, now: context.now };
    const client = await transaction(db, (tx) => changeClient(tx, services, value));
    return json<typeof ClientDone>(200, { success: true, client: clientJson(client, context.now) });
  };

  const rotateSecret: LegacyEndpoint<Admin> = async (context) => {
    const { previousExpiresIn = 0 } = await readJson(context, RotateBody, { content: "empty-allowed" });
    const { params, now } = context;
    const clientId = params.clientId!;
    const previousUntil = previousExpiresIn === 0 ? undefined : now + previousExpiresIn * SECOND;
    const client = await once(context, ["clients/secret", clientId, previousExpiresIn], () => {
      const clientSecret = newSecret(random);
      const value = { clientId, clientSecret, previousUntil, now };
      return { clientSecret, make: (tx) => rotateClientSecret(tx, services, value) };
    });
    return json<typeof ClientDone>(200, { success: true, client });
  };

  const endSecret: LegacyEndpoint<Admin> = async (context) => {
    await readNoBody(context);
    const { params, now } = context;
    const value = { clientId: params.clientId!, now };
    const client = await transaction(db, (tx) => endPreviousSecret(tx, services, value));
    return json<typeof ClientDone>(200, { success: true, client: clientJson(client, now) });
  };

  const remove: LegacyEndpoint<Admin> = async (context) => {
    await readNoBody(context);
    const value = { clientId: context.params.clientId!, now: context.now };
    await transaction(db, (tx) => deleteClient(tx, services, value));
    return json<typeof Done>(200, { success: true });
  };

  return { register, list, get, change, rotateSecret, endSecret, remove };
}
