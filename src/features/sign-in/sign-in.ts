import { findSignInAccountId } from "../../accounts/identity/sign-in-ticket.ts";
import { beginSignIn, signIn } from "../../accounts/sign-in.ts";
import { type AccountAnswer, toAccountJson } from "../../api/account.ts";
import type { RequestOptions } from "../../api/webauthn.ts";
import { countOutcome } from "../../http/count-outcome.ts";
import { readServiceCookie } from "../../http/cookie/cookies.ts";
import { browser } from "../../http/guard/account-guards.ts";
import { operationContextOf, signInContextOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { startSession } from "./new-session.ts";
import { AuthenticationBody } from "./schema.ts";

export const createAuthenticationOptions = defineEndpoint(
  browser,
  { optionalBody: NO_MEMBERS },
  async (context, { hash, cookies }, _input, services) => {
    const { db, authority, baseUrl } = services;
    const token = readServiceCookie(context, "signIn", baseUrl);
    const accountId = token === undefined
      ? undefined
      : await findSignInAccountId(db, authority, { token, now: context.now });
    const options = await beginSignIn(db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      browserHash: hash,
      ...(accountId === undefined ? {} : { accountId }),
    });
    return json<typeof RequestOptions>(200, options, cookies);
  },
);

export const authenticate = defineEndpoint(
  browser,
  { body: AuthenticationBody },
  async (context, { hash }, { body: { response, staySignedIn } }, services) => {
    const { from, cookies } = signInContextOf(context, services);
    const signedIn = await countOutcome(
      services.metrics,
      "holdfast_sign_ins_total",
      () =>
        signIn(services.db, withRateLimitHeaders(context, services), {
          ...operationContextOf(context, services),
          from,
          response,
          browserHash: hash,
          isShared: !staySignedIn,
        }),
    );
    const sessionCookies = await startSession(context, services, signedIn);
    const body = { account: toAccountJson(signedIn.account) };
    return json<typeof AccountAnswer>(200, body, [...sessionCookies, ...cookies]);
  },
);
