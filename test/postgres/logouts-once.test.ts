import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { signIn } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { AT_ONCE, withFourServices } from "../support/four-services.ts";
import type { FourServices } from "../support/four-services.ts";
import { createLogoutListener } from "../support/logout-listener.ts";
import { getTokens, providerOf, registerClient } from "../support/oauth.ts";
import { counted, kindOf } from "../support/once-rule.ts";

const LIMIT = { timeout: 60_000 };

/** The notification without a session id, for all sessions. */
const ALL_SESSIONS = "all";

/** Ways to end a user's sessions, the possible responses, and the notifications that the application gets. */
const ENDS: readonly {
  readonly title: string;
  readonly path: string;
  readonly answers: readonly string[];
  readonly heard: (sids: readonly string[]) => readonly string[];
}[] = [
  {
    title: "each session, if each signs out",
    path: "/api/auth/sign-out",
    answers: ["204"],
    heard: (sids) => sids,
  },
  {
    title: "the user, if each ends all sessions",
    path: "/api/auth/sessions/revoke-all",
    answers: ["200", "401 authentication_required"],
    heard: () => [ALL_SESSIONS],
  },
];

/** Signs a user's browsers in to an application, at each service in turn. Returns them with the session ids (`sid`). */
async function signInTwenty(
  { apps, browsers }: FourServices,
): Promise<{ readonly people: readonly Client[]; readonly sids: readonly string[] }> {
  const doors = apps.map(providerOf);
  const client = await registerClient(doors[0]!, { backchannelLogoutUri: "https://books.example/bcl" });
  const people: Client[] = [];
  const sids: string[] = [];
  for (let index = 0; index < AT_ONCE; index++) {
    const browser = { ...apps[index % 4]!.client(), authenticator: browsers[0]!.authenticator };
    assert.equal((await signIn(browser)).status, 200);
    const { id_token } = await getTokens(doors[(index + 1) % 4]!, browser, client);
    sids.push(decodeJwt<{ sid: string }>(id_token).sid);
    people.push(browser);
  }
  return { people, sids };
}

for (const { title, path, answers, heard } of ENDS) {
  test(
    `twenty sessions that end at four services: an application is notified once of ${title}`,
    LIMIT,
    async () => {
      const listener = createLogoutListener();
      const options = { identity: { providers: [], ...listener.outgoing } };
      await withFourServices(async (services) => {
        const { apps, concurrently } = services;
        const { people, sids } = await signInTwenty(services);
        const kinds = (await concurrently((_, index) => people[index]!.post(path))).map(kindOf);
        assert.deepEqual(kinds.filter((kind) => !answers.includes(kind)), [], JSON.stringify(counted(kinds)));
        await Promise.all([...apps, ...apps].map((app) => app.deliverLogoutTokens()));
        const told = listener.take().map(({ sid }) => sid ?? ALL_SESSIONS);
        assert.deepEqual(told.toSorted(), heard(sids).toSorted());
      }, options);
    },
  );
}
