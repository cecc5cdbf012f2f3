import type { RecoveryCodesMade, RecoverySettingsJson, WayBackAnswer } from "../../api/recovery.ts";
import { toRecoverySettingsJson } from "../../api/recovery.ts";
import { session } from "../../http/guard/account-guards.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { createIdempotent } from "../../limits/idempotency.ts";
import { cancelByOwner } from "../../recovery/cancel.ts";
import {
  changeChoices,
  prepareRecoveryCodes,
  readRecoverySettings,
} from "../../recovery/recovery-settings.ts";
import { SettingsBody } from "./schema.ts";

export const getSettings = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async ({ now }, { account }, _input, services) => {
    const found = await readRecoverySettings(services.db, services, { accountId: account.id, now });
    return json<typeof WayBackAnswer>(200, { wayBack: toRecoverySettingsJson(found, now) });
  },
);

export const updateSettings = defineEndpoint(
  session,
  { body: SettingsBody },
  async (context, signedIn, { body }, services) => {
    const request = { ...operationContextOf(context, services), signedIn };
    const changed = await changeChoices(services.db, withRateLimitHeaders(context, services), request, body);
    return json<typeof WayBackAnswer>(200, { wayBack: toRecoverySettingsJson(changed, context.now) });
  },
);

export const createCodes = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async (context, signedIn, _input, services) => {
    const { now } = context;
    const idempotencyKey = readIdempotencyKey(context);
    // A repeated request gets the codes only in the session that created them. Another session has to be fresh itself.
    const once = idempotencyKey === undefined ? undefined : {
      holder: signedIn.session.id,
      accountId: signedIn.account.id,
      idempotencyKey,
      request: JSON.stringify(["recovery codes"]),
      now,
    };
    const { answer, secret } = await createIdempotent(services.db, services, once, () => {
      const request = { ...operationContextOf(context, services), signedIn };
      const { codes, make, made } = prepareRecoveryCodes(withRateLimitHeaders(context, services), request);
      return {
        secret: codes.join(" "),
        make: async (tx) => JSON.stringify(toRecoverySettingsJson(await make(tx), now)),
        made,
      };
    });
    const wayBack = JSON.parse(answer) as RecoverySettingsJson;
    return json<typeof RecoveryCodesMade>(201, { codes: secret!.split(" "), wayBack });
  },
);

export const cancelRecovery = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async (context, signedIn, _input, services) => {
    await cancelByOwner(services.db, services, { ...operationContextOf(context, services), signedIn });
    return noContent();
  },
);
