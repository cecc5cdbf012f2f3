import * as v from "valibot";
import { endOneSession, endSessions, listSessions } from "../../accounts/session/end-sessions.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { toAccountJson } from "../../api/account.ts";
import { toSessionJson } from "../../api/session.ts";
import type { SessionList, SessionsEnded } from "../../api/session.ts";
import { endSession, forgetSession } from "../../http/guard/sign-out.ts";
import { readForm, readNoBody } from "../../http/request/body.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { json, noContent, redirect } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toIso } from "../../lib/time.ts";
import type { PresentSession } from "./schema.ts";

/** The endpoints through which people see who is signed in and where, and end it. */
export interface SessionEndpoints {
  /** Who is signed in here, if anybody is. */
  readonly present: LegacyEndpoint<SignedIn | undefined>;
  readonly signOut: LegacyEndpoint<SignedIn | undefined>;
  /** The sign-out button of the pages: works without JavaScript. */
  readonly signOutForm: LegacyEndpoint<SignedIn | undefined>;
  readonly list: LegacyEndpoint<SignedIn>;
  readonly end: LegacyEndpoint<SignedIn>;
  readonly endOthers: LegacyEndpoint<SignedIn>;
  /** This one too. */
  readonly endAll: LegacyEndpoint<SignedIn>;
}

/** Makes the endpoints of sessions over the given services. */
export function createSessionEndpoints(
  services: Pick<Services, "db" | "vault" | "authority" | "baseUrl" | "random">,
): SessionEndpoints {
  const { db, baseUrl, random } = services;
  const signedOut = forgetSession(baseUrl);

  const present: LegacyEndpoint<SignedIn | undefined> = (_context, signedIn) => {
    if (signedIn === undefined) {
      return Promise.resolve(json<typeof PresentSession>(200, { session: null, account: null }));
    }
    const { id, createdAt, expiresAt, authenticatedAt } = signedIn.session;
    const times = {
      createdAt: toIso(createdAt),
      expiresAt: toIso(expiresAt),
      authenticatedAt: toIso(authenticatedAt),
    };
    const body = { session: { id, ...times }, account: toAccountJson(signedIn.account) };
    return Promise.resolve(json<typeof PresentSession>(200, body));
  };

  const signOut: LegacyEndpoint<SignedIn | undefined> = async (context, signedIn) => {
    await readNoBody(context);
    return noContent(await endSession(services, context, signedIn));
  };

  const signOutForm: LegacyEndpoint<SignedIn | undefined> = async (context, signedIn) => {
    await readForm(context, v.strictObject({}));
    return redirect("/signed-out", await endSession(services, context, signedIn));
  };

  const list: LegacyEndpoint<SignedIn> = async (context, { session, account }) => {
    readNoQuery(context);
    const value = { accountId: account.id, now: context.now };
    const sessions = await listSessions(db, services, value);
    return json<typeof SessionList>(200, {
      sessions: sessions.map((listed) => toSessionJson(listed, session)),
    });
  };

  const end: LegacyEndpoint<SignedIn> = async (context, { session, account }) => {
    await readNoBody(context);
    const { params, now } = context;
    const sessionId = params.sessionId!;
    await endOneSession(db, services, { accountId: account.id, sessionId, now, random });
    return noContent(sessionId === session.id ? signedOut : []);
  };

  const endMany = (which: "others" | "all"): LegacyEndpoint<SignedIn> => async (context, { session }) => {
    await readNoBody(context);
    const ended = await endSessions(db, services, { session, which, now: context.now, random });
    return json<typeof SessionsEnded>(200, { ended }, which === "all" ? signedOut : []);
  };

  return { present, signOut, signOutForm, list, end, endOthers: endMany("others"), endAll: endMany("all") };
}
