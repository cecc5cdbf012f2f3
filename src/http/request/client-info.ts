import type { SignInOrigin } from "../../accounts/session/known-browser.ts";
import { newBrowserSecret, readBrowserHash } from "../../accounts/session/browser-secret.ts";
import { deviceOf } from "../../accounts/session/user-agent.ts";
import { networkOf } from "../../lib/ip-address.ts";
import type { Instant } from "../../lib/time.ts";
import { readServiceCookie, setServiceCookie } from "../cookie/cookies.ts";
import type { RequestContext } from "../request-context.ts";
import type { ExtraHeaders } from "../response/respond.ts";
import type { Services } from "../services.ts";

/** Returns the device and the network of a request, as its owner is shown them. */
export function deviceAndNetworkOf(
  { request, clientAddress }: RequestContext,
): Pick<SignInOrigin, "device" | "network"> {
  return { device: deviceOf(request.headers.get("user-agent")), network: networkOf(clientAddress) };
}

/** The time and origin of a request, with the services that domain functions need to act on it. */
export interface OperationContext
  extends Pick<SignInOrigin, "device" | "network">, Pick<Services, "relyingParty" | "random"> {
  readonly now: Instant;
}

export function operationContextOf(
  context: RequestContext,
  { relyingParty, random }: Pick<Services, "relyingParty" | "random">,
): OperationContext {
  return { ...deviceAndNetworkOf(context), relyingParty, now: context.now, random };
}

export interface SignInContext {
  readonly from: SignInOrigin;
  /** Renews the device cookie. For the response that signs in. */
  readonly cookies: ExtraHeaders;
}

/** Returns the origin of a sign-in. Generates a device secret if the browser sent none. */
export function signInContextOf(
  context: RequestContext,
  { random, baseUrl }: Pick<Services, "random" | "baseUrl">,
): SignInContext {
  const presented = readServiceCookie(context, "device", baseUrl);
  const known = presented !== undefined && readBrowserHash(presented) !== undefined ? presented : undefined;
  const secret = known ?? newBrowserSecret(random);
  return {
    from: { ...deviceAndNetworkOf(context), deviceHash: readBrowserHash(secret)! },
    cookies: setServiceCookie("device", secret, baseUrl),
  };
}
