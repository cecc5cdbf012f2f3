import {
  endOneSession,
  endSessions,
  listSessions as findSessions,
} from "../../accounts/session/end-sessions.ts";
import { toAccountJson } from "../../api/account.ts";
import { type SessionList, type SessionsEnded, toSessionJson } from "../../api/session.ts";
import { pageVisitor, session, visitor } from "../../http/guard/account-guards.ts";
import { endSession, forgetSession } from "../../http/guard/sign-out.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { json, noContent, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { toIso } from "../../lib/time.ts";
import type { PresentSession } from "./schema.ts";

export const getSession = defineEndpoint(visitor, {}, (_context, signedIn) => {
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
});

export const signOut = defineEndpoint(
  visitor,
  { optionalBody: NO_MEMBERS },
  async (context, signedIn, _input, services) => noContent(await endSession(services, context, signedIn)),
);

/** Signs out by the button of the pages. Works without JavaScript. */
export const submitSignOut = defineEndpoint(
  pageVisitor,
  { form: NO_MEMBERS },
  async (context, signedIn, _input, services) =>
    redirect("/signed-out", await endSession(services, context, signedIn)),
);

export const listSessions = defineEndpoint(
  session,
  { query: NO_MEMBERS },
  async ({ now }, { session, account }, _input, services) => {
    const sessions = await findSessions(services.db, services, { accountId: account.id, now });
    return json<typeof SessionList>(200, {
      sessions: sessions.map((listed) => toSessionJson(listed, session)),
    });
  },
);

export const revokeSession = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ params, now }, { session, account }, _input, services) => {
    const { db, random, baseUrl } = services;
    const sessionId = params.sessionId!;
    await endOneSession(db, services, { accountId: account.id, sessionId, now, random });
    return noContent(sessionId === session.id ? forgetSession(baseUrl) : []);
  },
);

export const revokeOtherSessions = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ now }, { session }, _input, services) => {
    const { db, random } = services;
    const ended = await endSessions(db, services, { session, which: "others", now, random });
    return json<typeof SessionsEnded>(200, { ended });
  },
);

/** Ends all sessions, including the caller's. */
export const revokeAllSessions = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ now }, { session }, _input, services) => {
    const { db, random, baseUrl } = services;
    const ended = await endSessions(db, services, { session, which: "all", now, random });
    return json<typeof SessionsEnded>(200, { ended }, forgetSession(baseUrl));
  },
);
