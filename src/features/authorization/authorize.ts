import type { AuthorizationVisitor } from "../../http/guard/oauth-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readOAuthForm, readOAuthQuery } from "../../http/request/oauth-parameters.ts";
import { pendingPath } from "../../http/request/return-to.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { redirect, redirectElsewhere } from "../../http/response/respond.ts";
import type { ExtraHeaders } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { networkOf } from "../../lib/ip-address.ts";
import type { AuthorizationStep } from "../../oauth/authorize/authorization-step.ts";
import { authorize } from "../../oauth/authorize/authorize.ts";
import type { OAuthServices } from "../../oauth/services.ts";

/** The authorization endpoint: as a link, and as a form of the application. */
export interface AuthorizeEndpoints {
  readonly get: LegacyEndpoint<AuthorizationVisitor>;
  /** Reads no cookie, which a form of another site does not bring: the browser comes back with GET. */
  readonly post: LegacyEndpoint<undefined>;
}

/** 303 to what comes next: never 302 or 307, which could repeat a form (RFC 9700 section 4.12). */
export function stepRedirect(step: AuthorizationStep, cookies: ExtraHeaders): Response {
  switch (step.kind) {
    case "redirect":
      return redirectElsewhere(new URL(step.uri));
    case "sign_in":
      return redirect(pendingPath("/sign-in", step.requestId), cookies);
    case "continue":
    case "consent":
      return redirect(pendingPath("/consent", step.requestId), cookies);
  }
}

/** Makes the authorization endpoint (OpenID Connect Core section 3.1.2.1) over the given services. */
export function createAuthorizeEndpoints(
  services: OAuthServices & Pick<Services, "db" | "random">,
): AuthorizeEndpoints {
  const { db, random } = services;
  const moment = ({ clientAddress, now }: RequestContext) => ({
    network: networkOf(clientAddress),
    now,
    random,
  });

  const get: LegacyEndpoint<AuthorizationVisitor> = async (context, visitor) => {
    const received = readOAuthQuery(context);
    const step = await authorize(db, counted(context, services), {
      ...received,
      ...moment(context),
      visitor,
    });
    return stepRedirect(step, visitor.cookies);
  };

  const post: LegacyEndpoint<undefined> = async (context) => {
    const received = await readOAuthForm(context);
    const step = await authorize(db, counted(context, services), {
      ...received,
      ...moment(context),
      visitor: undefined,
    });
    return stepRedirect(step, []);
  };

  return { get, post };
}
