import * as v from "valibot";
import { FRESH_LIFETIME } from "../../accounts/session/fresh-session.ts";
import { readStepUpAction } from "../../accounts/session/step-up-action.ts";
import type { StepUpAction } from "../../accounts/session/step-up-action.ts";
import { beginStepUp, finishStepUp } from "../../accounts/step-up.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { toIso } from "../../lib/time.ts";
import { readJson } from "../../http/request/body.ts";
import { giveCookie, readOurCookie } from "../../http/cookie/cookies.ts";
import type { SteppedUp } from "./schema.ts";
import type { RequestOptions } from "../../api/webauthn.ts";
import { json } from "../../http/response/respond.ts";
import { counted } from "../../http/response/rate-limit.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import { textOf } from "../../api/value.ts";
import { placeOf } from "../../http/request/client-info.ts";
import type { Services } from "../../http/services.ts";

/** The endpoints through which whoever is signed in confirms one thing with a passkey. */
export interface StepUpEndpoints {
  readonly options: LegacyEndpoint<SignedIn>;
  readonly stepUp: LegacyEndpoint<SignedIn>;
}

type StepUpServices = Pick<
  Services,
  "db" | "vault" | "authority" | "limits" | "mailer" | "random" | "relyingParty" | "baseUrl"
>;

const action = textOf(
  readStepUpAction,
  "Expected the name of an action, with the id of its thing where it has one: add_passkey, delete_passkey:<passkey id> …",
);
export const OptionsBody = v.strictObject({ action });
export const StepUpBody = v.strictObject({ action, response: v.unknown() });

/** Makes the endpoints of step-ups over the given services. */
export function createStepUpEndpoints(services: StepUpServices): StepUpEndpoints {
  const { db, random, relyingParty, baseUrl } = services;

  const options: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const body = await readJson(context, OptionsBody);
    const { clientAddress, now } = context;
    const action = body.action as StepUpAction;
    const value = { signedIn, action, network: networkOf(clientAddress), relyingParty, now, random };
    return json<typeof RequestOptions>(200, await beginStepUp(db, counted(context, services), value));
  };

  const stepUp: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const { response, ...body } = await readJson(context, StepUpBody);
    const { now } = context;
    const action = body.action as StepUpAction;
    const { token } = await finishStepUp(db, counted(context, services), {
      ...placeOf(context),
      signedIn,
      action,
      response,
      token: readOurCookie(context, "session", baseUrl)!,
      relyingParty,
      now,
      random,
    });
    const cookies = giveCookie("session", token, baseUrl);
    return json<typeof SteppedUp>(200, { action, expiresAt: toIso(now + FRESH_LIFETIME) }, cookies);
  };

  return { options, stepUp };
}
