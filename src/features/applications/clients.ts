import type { Done, Of } from "../../api/value.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { admin, ADMINISTRATOR } from "../../http/guard/admin-guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { decodeCursor, encodeCursor, nextPageLink } from "../../http/request/paging.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { newSecret } from "../../lib/id.ts";
import { type Instant, SECOND, toIso } from "../../lib/time.ts";
import { createIdempotent } from "../../limits/idempotency.ts";
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
import { previousSecretEnd } from "../../oauth/client/client-secret.ts";
import { type Client, getClient, isPublicClient, listClients } from "../../oauth/client/client.ts";
import { ChangeBody, ListQuery, RegisterBody, RotateBody } from "./schema.ts";
import type { ClientAnswer, ClientDone, ClientList, OAuthClient } from "./schema.ts";

/** Formats a client without the hash of its secret. */
function clientJson(client: Client, now: Instant): Of<typeof OAuthClient> {
  const previousEnd = previousSecretEnd(client, now);
  const { tokenEndpointAuthMethod, keys } = client;
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
    public: isPublicClient(client),
    tokenEndpointAuthMethod,
    jwks: keys?.jwks === undefined ? null : { keys: keys.jwks },
    jwksUri: keys?.jwksUri ?? null,
    idTokenSignedResponseAlg: client.idTokenSignedResponseAlg,
    scopes: ["openid", ...client.claimScopes, ...client.keyScopes],
    dpopBoundAccessTokens: client.dpopBoundAccessTokens,
    groups: client.groups,
    requirePushedAuthorizationRequests: client.requirePushedAuthorizationRequests,
    deviceGrant: client.deviceGrant,
    disabled: client.disabled,
    declared: client.declared,
    previousSecretExpiresAt: previousEnd === undefined ? null : toIso(previousEnd),
    createdAt: toIso(client.createdAt),
    updatedAt: toIso(client.updatedAt),
  };
}

/** Issues a secret, once for each `Idempotency-Key`. Returns the client in its API form, with the new secret. */
async function issueOnce(
  context: RequestContext,
  services: Services,
  requested: readonly unknown[],
  draw: () => {
    readonly clientSecret: string | undefined;
    readonly make: (tx: Db) => Promise<IssuedClient>;
  },
): Promise<Of<typeof OAuthClient>> {
  const idempotencyKey = readIdempotencyKey(context);
  const holder = { holder: ADMINISTRATOR, accountId: null };
  const request = idempotencyKey === undefined
    ? undefined
    : { ...holder, idempotencyKey, request: JSON.stringify(requested), now: context.now };
  const { answer, secret } = await createIdempotent(services.db, services, request, () => {
    const { clientSecret, make } = draw();
    const shown = async (tx: Db) => JSON.stringify(clientJson((await make(tx)).client, context.now));
    return { secret: clientSecret, make: shown, made: () => {} };
  });
  const client = JSON.parse(answer) as Of<typeof OAuthClient>;
  return secret === undefined ? client : { ...client, clientSecret: secret };
}

export const registerOAuthClient = defineEndpoint(
  admin,
  { body: RegisterBody },
  async (context, _principal, { body }, services) => {
    const metadata: ClientMetadata = body;
    const { random } = services;
    const { now } = context;
    const client = await issueOnce(context, services, ["clients", metadata], () => {
      const clientSecret = newClientSecret(metadata, random);
      const make = (tx: Db) => registerClient(tx, services, { metadata, clientSecret, now, random });
      return { clientSecret, make };
    });
    return json<typeof ClientDone>(201, { success: true, client }, [
      ["location", `/api/admin/oauth/clients/${client.clientId}`],
    ]);
  },
);

export const listOAuthClients = defineEndpoint(
  admin,
  { query: ListQuery },
  async ({ url, now }, _principal, { query: { limit, cursor } }, { db, authority }) => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const { clients, next } = await listClients(db, authority, { after, limit });
    const nextCursor = next === undefined ? null : encodeCursor(next);
    const body = { clients: clients.map((client) => clientJson(client, now)), nextCursor };
    return json<typeof ClientList>(200, body, nextPageLink(url, nextCursor));
  },
);

export const getOAuthClient = defineEndpoint(
  admin,
  {},
  async ({ params, now }, _principal, _input, services) => {
    const client = await getClient(services.db, services.authority, params.clientId!);
    return json<typeof ClientAnswer>(200, { client: clientJson(client, now) });
  },
);

export const changeOAuthClient = defineEndpoint(
  admin,
  { body: ChangeBody },
  async ({ params, now }, _principal, { body }, services) => {
    const change: ClientChange = body;
    const { random } = services;
    const value = { clientId: params.clientId!, change, now, random };
    const client = await transaction(services.db, (tx) => changeClient(tx, services, value));
    return json<typeof ClientDone>(200, { success: true, client: clientJson(client, now) });
  },
);

export const rotateOAuthClientSecret = defineEndpoint(
  admin,
  { optionalBody: RotateBody },
  async (context, _principal, { body: { previousExpiresIn = 0 } }, services) => {
    const { params, now } = context;
    const clientId = params.clientId!;
    const previousUntil = previousExpiresIn === 0 ? undefined : now + previousExpiresIn * SECOND;
    const client = await issueOnce(context, services, ["clients/secret", clientId, previousExpiresIn], () => {
      const clientSecret = newSecret(services.random);
      const value = { clientId, clientSecret, previousUntil, now };
      return { clientSecret, make: (tx) => rotateClientSecret(tx, services, value) };
    });
    return json<typeof ClientDone>(200, { success: true, client });
  },
);

export const endPreviousOAuthClientSecret = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, _principal, _input, services) => {
    const value = { clientId: params.clientId!, now };
    const client = await transaction(services.db, (tx) => endPreviousSecret(tx, services, value));
    return json<typeof ClientDone>(200, { success: true, client: clientJson(client, now) });
  },
);

export const deleteOAuthClient = defineEndpoint(
  admin,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, _principal, _input, services) => {
    const value = { clientId: params.clientId!, now };
    await transaction(services.db, (tx) => deleteClient(tx, services, value));
    return json<typeof Done>(200, { success: true });
  },
);
