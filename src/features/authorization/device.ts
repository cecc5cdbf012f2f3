import * as v from "valibot";
import { list, Time } from "../../api/value.ts";
import type { RequestOptions } from "../../api/webauthn.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { pageSession, session } from "../../http/guard/account-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { deviceAndNetworkOf, operationContextOf } from "../../http/request/client-info.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { htmlPage, json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { toIso } from "../../lib/time.ts";
import {
  beginDeviceApproval,
  denyDevice,
  finishDeviceApproval,
  requestedKeysOf,
} from "../../oauth/authorize/decide-device.ts";
import { enterUserCode, formatUserCode, type PendingDevice } from "../../oauth/authorize/device-request.ts";
import { getKeyOptions } from "../../oauth/authorize/key-choice.ts";
import { requestedClaims } from "../../oauth/claims.ts";
import { mayUseClient } from "../../oauth/client/client-access.ts";
import { includesScope } from "../../oauth/scope.ts";
import { sharedWith } from "../../ui/section/shared-access.ts";
import { choiceOf, keyRightsOf } from "./choice.ts";
import { deviceCodePage, devicePage } from "./device-page.ts";
import { CHOICE } from "./schema.ts";

const UserCode = v.pipe(v.string(), v.description("Read without regard to case, dashes and spaces"));

const UserCodeMembers = v.strictObject({ userCode: UserCode });

const ApprovalBody = v.strictObject({
  userCode: UserCode,
  response: v.unknown(),
  keys: v.pipe(v.optional(list(v.string()), []), v.description("The ids of the keys that it may use or see")),
  rules: v.pipe(v.optional(list(v.string()), []), v.description("The requested rules that are kept")),
  ...CHOICE,
  replace: v.pipe(
    v.optional(v.boolean(), false),
    v.description("Ends the rights on keys that the application has from earlier"),
  ),
  danger: v.pipe(
    v.optional(v.boolean(), false),
    v.description("Allows dangerous rules in the policy of the template `own`"),
  ),
  policy: v.pipe(
    v.optional(v.unknown()),
    v.description("The policy of the template `own`, or its JSON text"),
  ),
  values: v.pipe(
    v.optional(v.record(v.string(), v.string()), {}),
    v.description("The values of the template"),
  ),
});

const DeviceRequest = v.strictObject({
  userCode: v.string(),
  application: v.strictObject({ clientId: v.string(), name: v.string(), uri: v.string() }),
  scope: v.string(),
  claims: v.pipe(list(v.string()), v.description("The claims about the user beside `sub`")),
  network: v.pipe(v.string(), v.description("The network from which the request came")),
  createdAt: Time,
  expiresAt: Time,
});

/** A device request that waits for its user. */
export const GivenDeviceRequest = v.strictObject({ request: DeviceRequest });

function toDeviceJson(
  { row, client: { clientId, name, uri } }: PendingDevice,
): v.InferOutput<typeof DeviceRequest> {
  return {
    userCode: formatUserCode(row.user_code),
    application: { clientId, name, uri },
    scope: row.scope,
    claims: [...requestedClaims(row)],
    network: row.network,
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
  };
}

/** Returns the pending request of a user code. Counts the attempt. Throws `not_found` and `rate_limited`. */
function enter(context: RequestContext, services: Services, userCode: string): Promise<PendingDevice> {
  const { network } = deviceAndNetworkOf(context);
  return enterUserCode(services.db, withRateLimitHeaders(context, services), {
    userCode,
    network,
    now: context.now,
  });
}

export const getDevice = defineEndpoint(
  session,
  { query: UserCodeMembers },
  async (context, _signedIn, { query: { userCode } }, services) => {
    const pending = await enter(context, services, userCode);
    return json<typeof GivenDeviceRequest>(200, { request: toDeviceJson(pending) });
  },
);

export const createDeviceApprovalOptions = defineEndpoint(
  session,
  { body: UserCodeMembers },
  async (context, signedIn, { body: { userCode } }, services) => {
    const approval = { ...operationContextOf(context, services), signedIn, userCode };
    const options = await beginDeviceApproval(services.db, withRateLimitHeaders(context, services), approval);
    return json<typeof RequestOptions>(200, options);
  },
);

export const approveDevice = defineEndpoint(
  session,
  { body: ApprovalBody },
  async (context, signedIn, { body: { userCode, response, ...choice } }, services) => {
    await finishDeviceApproval(services.db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      signedIn,
      userCode,
      response,
      choice: choiceOf(choice),
    });
    return noContent();
  },
);

export const denyDeviceRequest = defineEndpoint(
  session,
  { body: UserCodeMembers },
  async (context, signedIn, { body: { userCode } }, services) => {
    const decision = { ...operationContextOf(context, services), signedIn, userCode };
    await denyDevice(services.db, withRateLimitHeaders(context, services), decision);
    return noContent();
  },
);

/** The page of a user code (RFC 8628 section 3.3). Without a code, or with a wrong one, it asks for it. */
export const showDevice = defineEndpoint(
  pageSession,
  { pageQuery: v.strictObject({ user_code: v.optional(v.string()) }) },
  async (context, { account }, { query: { user_code: userCode } }, services) => {
    const view = toAccountView(account, services, context);
    if (userCode === undefined) return htmlPage(200, deviceCodePage(view, undefined));
    let pending: PendingDevice;
    try {
      pending = await enter(context, services, userCode);
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== "not_found") throw error;
      return htmlPage(404, deviceCodePage(view, userCode));
    }
    const { row, client } = pending;
    const { db, authority } = services;
    const keys = await getKeyOptions(db, services, requestedKeysOf(row), {
      accountId: account.id,
      client,
      now: context.now,
    });
    const page = devicePage({
      account: view,
      request: toDeviceJson(pending),
      mayUse: await mayUseClient(db, authority, client, account.id),
      asksWho: includesScope(row.scope, "openid"),
      shared: sharedWith(account, requestedClaims(row)),
      keyRights: keys === undefined ? undefined : keyRightsOf(keys, account.language),
    });
    return htmlPage(200, page);
  },
);
