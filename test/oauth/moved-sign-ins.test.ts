import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeJwt } from "jose";
import { sql } from "kysely";
import { endEverySession, notifyEveryApplication } from "../../src/accounts/session/logout-notification.ts";
import { revokeSession } from "../../src/accounts/session/session.ts";
import { transaction } from "../../src/db/transaction.ts";
import { SECOND } from "../../src/lib/time.ts";
import { changeClient, deleteClient } from "../../src/oauth/client/client-administration.ts";
import { findClient } from "../../src/oauth/client/client.ts";
import { applyDeclaredClients } from "../../src/oauth/client/declared-clients.ts";
import { dropMemory } from "../support/inconsistent.ts";
import {
  afterStart,
  type Fixture,
  NOW,
  openFixture,
  random,
  signInAgain,
  signInPerson,
  WEB,
} from "./fixture.ts";
import { getTokens, openStory, type Story } from "./story.ts";

const LISTENS = {
  backchannelLogoutUri: "https://books.example/bcl",
  backchannelLogoutSessionRequired: true,
};
const ENDING = { now: NOW, random };

type SignedIn = Story["signedIn"];

/** The ways to end the sessions of a user, or a client's part in them. */
const ENDS: Readonly<Record<string, (story: Story, heir: SignedIn) => Promise<unknown>>> = {
  "a sign-out": ({ db, services }, { session }) => revokeSession(db, services, { session, ...ENDING }),
  "the end of all sessions": ({ db, services, signedIn }) =>
    transaction(db, (tx) => endEverySession(tx, services.authority, signedIn.account.id, ENDING)),
  "the loss of access": ({ db, services, client }) =>
    transaction(
      db,
      (tx) => changeClient(tx, services, { clientId: client.clientId, change: { groups: [] }, ...ENDING }),
    ),
};

const sessionRows = ({ db }: Fixture) => db.selectFrom("application_session").selectAll().execute();

/** Tricks of the database with the row of the sign-in. `before` are the rows from before the sign-in moved. */
const TRICKS: Readonly<
  Record<string, (story: Story, before: Awaited<ReturnType<typeof sessionRows>>) => Promise<unknown>>
> = {
  "left alone": () => Promise.resolve(),
  "hidden": ({ db }) => db.deleteFrom("application_session").execute(),
  "an older one": async ({ db }, before) => {
    await sql`pragma foreign_keys = off`.execute(db);
    await db.deleteFrom("application_session").execute();
    await db.insertInto("application_session").values(before).execute();
    await sql`pragma foreign_keys = on`.execute(db);
  },
};

const noticesOf = async ({ db }: Fixture) =>
  (await db.selectFrom("logout_notice").select(["client_id", "sid"]).execute()).map(({ sid }) => sid);

describe("the sign-in of a session that another session of the user replaced", () => {
  for (const [name, end] of Object.entries(ENDS)) {
    for (const [trick, apply] of Object.entries(TRICKS)) {
      test(`gets its notice by ${name} if its row is ${trick}, before a start and after`, async () => {
        for (const restart of [(story: Story) => story, afterStart<Story>]) {
          const before = await openStory(LISTENS);
          const { sid } = decodeJwt((await getTokens(before)).id_token);
          const rows = await sessionRows(before);
          const heir = await signInAgain(before, before.signedIn.account);
          const { session } = before.signedIn;
          await revokeSession(before.db, before.services, { session, successor: heir.session, ...ENDING });
          assert.deepEqual(await noticesOf(before), []);
          // The new session has a grant now.
          await getTokens({ ...before, signedIn: heir });
          await apply(before, rows);
          const story = restart(before);
          await end(story, heir);
          assert.deepEqual(await noticesOf(story), [sid]);
        }
      });
    }
  }
});

/** Declares the client of a configuration, then no longer, so that it can be deleted. */
async function declare({ db, services }: Fixture, needsSid: boolean, now: number) {
  const clientId = "0".repeat(26);
  const metadata = { ...WEB, ...LISTENS, backchannelLogoutSessionRequired: needsSid };
  const declared = { clientId, metadata, disabled: false, clientSecret: "a secret of the old client" };
  await applyDeclaredClients(db, services, [declared], { now, random });
  await applyDeclaredClients(db, services, undefined, { now, random });
  return {
    client: (await findClient(db, services.authority, clientId))!,
    clientSecret: declared.clientSecret,
  };
}

describe("a client that was deleted and declared again by its id", () => {
  for (const table of ["authorization_grant", "application_session", "consent"] as const) {
    test(`gets no notice of who signed in before, if the database hid a row of ${table}`, async () => {
      for (const needsSid of [true, false]) {
        const fixture = await openFixture();
        const { db, services } = fixture;
        const signedIn = await signInPerson(fixture, undefined, NOW - SECOND);
        const story: Story = { ...fixture, signedIn, ...await declare(fixture, needsSid, NOW) };
        await getTokens(story);
        const hidden = await db.selectFrom(table).selectAll().execute();
        await db.deleteFrom(table).execute();
        dropMemory(db);
        const { clientId } = story.client;
        await transaction(db, (tx) => deleteClient(tx, services, { clientId, now: NOW + SECOND }));
        dropMemory(db);
        await declare(fixture, needsSid, NOW + 2 * SECOND);
        await db.insertInto(table).values(hidden as never).execute();
        const ending = { now: NOW + 3 * SECOND, random };
        await transaction(db, async (tx) => {
          await notifyEveryApplication(tx, services.authority, signedIn.account.id, ending);
        });
        await revokeSession(db, services, { session: signedIn.session, ...ending });
        assert.deepEqual(await noticesOf(story), []);
      }
    });
  }
});
