import { FRESH_LIFETIME } from "../../accounts/session/fresh-session.ts";
import type { StepUpAction } from "../../accounts/session/step-up-action.ts";
import { beginStepUp, finishStepUp } from "../../accounts/step-up.ts";
import type { RequestOptions } from "../../api/webauthn.ts";
import { readServiceCookie, setSessionCookie } from "../../http/cookie/cookies.ts";
import { session } from "../../http/guard/account-guards.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { toIso } from "../../lib/time.ts";
import { type SteppedUp, StepUpBody, StepUpOptionsBody } from "./schema.ts";

export const createStepUpOptions = defineEndpoint(
  session,
  { body: StepUpOptionsBody },
  async (context, signedIn, { body }, services) => {
    const value = { ...operationContextOf(context, services), signedIn, action: body.action as StepUpAction };
    return json<typeof RequestOptions>(
      200,
      await beginStepUp(services.db, withRateLimitHeaders(context, services), value),
    );
  },
);

export const completeStepUp = defineEndpoint(
  session,
  { body: StepUpBody },
  async (context, signedIn, { body: { action, response } }, services) => {
    const { db, baseUrl } = services;
    const { token } = await finishStepUp(db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      signedIn,
      action: action as StepUpAction,
      response,
      token: readServiceCookie(context, "session", baseUrl)!,
    });
    const expiresAt = toIso(context.now + FRESH_LIFETIME);
    const cookies = setSessionCookie(token, signedIn.session, services);
    return json<typeof SteppedUp>(200, { action, expiresAt }, cookies);
  },
);
