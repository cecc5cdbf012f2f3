import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeJwt } from "jose";
import {
  endEverySession,
  LOGOUT_NOTIFICATION_LIFETIME,
  onLogoutNotification,
} from "../../src/accounts/session/logout-notification.ts";
import { revokeSession } from "../../src/accounts/session/session.ts";
import { transaction } from "../../src/db/transaction.ts";
import { LEASE, MOST_ATTEMPTS } from "../../src/lib/delivery.ts";
import type { FetchedResponse } from "../../src/lib/outgoing.ts";
import { DAY, SECOND } from "../../src/lib/time.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { changeClient, deleteClient } from "../../src/oauth/client/client-administration.ts";
import type { LogoutHosts } from "../../src/oauth/client/logout-uri.ts";
import {
  claimLogoutNotifications,
  deliverLogoutToken,
  startLogoutDelivery,
} from "../../src/oauth/deliver-logout-tokens.ts";
import { consumeRow } from "../../src/store/write.ts";
import { createLogoutListener } from "../support/logout-listener.ts";
import { NOW, random, register, signInAgain } from "./fixture.ts";
import { getTokens, openStory, type Story } from "./story.ts";

const LISTENS = { backchannelLogoutUri: "https://books.example/bcl?secret=hush" };
const HUSH = /hush|eyJ|sid_|account_/;

/** Opens a user signed in to a client with a logout URI, and a delivery to it. */
async function openStage(change: object = {}, logoutHosts: LogoutHosts = "public") {
  const story = await openStory({ ...LISTENS, ...change });
  await getTokens(story);
  const listener = createLogoutListener();
  const logged: string[] = [];
  const clock = { now: NOW };
  const services = {
    ...story.services,
    logoutHosts,
    outgoing: listener.outgoing,
    random,
    now: () => clock.now,
    metrics: createMetrics(() => 0),
    log: (level: string, event: string, fields: object) =>
      void logged.push(JSON.stringify({ level, event, ...fields })),
  };
  const { db } = story;
  const broken = new AbortController();
  return {
    ...story,
    services,
    listener,
    logged,
    clock,
    broken,
    signOut: () => revokeSession(db, services, { session: story.signedIn.session, now: clock.now, random }),
    rows: () => db.selectFrom("logout_notice").selectAll().orderBy("id").execute(),
    claim: (limit = 8) =>
      claimLogoutNotifications(db, services.authority, { limit, inFlight: [], now: clock.now }),
    /** Delivers every due notification and returns their number. */
    async round(): Promise<number> {
      const due = await claimLogoutNotifications(db, services.authority, {
        limit: 8,
        inFlight: [],
        now: clock.now,
      });
      for (const notice of due) await deliverLogoutToken(db, services, notice, broken.signal);
      return due.length;
    },
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** The ways to end sessions, or a client's part in them. */
const SIGN_OUTS: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  "a sign-out": (stage) => stage.signOut(),
  "a sign-out everywhere": ({ db, services, signedIn: { account }, clock }) =>
    transaction(db, (tx) => endEverySession(tx, services.authority, account.id, { now: clock.now, random })),
  "a loss of access": ({ db, services, client: { clientId }, clock: { now } }) =>
    transaction(db, (tx) => changeClient(tx, services, { clientId, change: { groups: [] }, now, random })),
};

async function endEveryGrant({ db, services }: Story): Promise<void> {
  await transaction(db, async (tx) => {
    for (const { id, account_id } of await tx.selectFrom("authorization_grant").selectAll().execute()) {
      const where = { id, account_id };
      await consumeRow(tx, services.authority, "authorization_grant", "ofAccountById", where);
    }
  });
}

const status = (code: number): FetchedResponse => new Response(null, { status: code });

describe("deliverLogoutToken()", () => {
  for (const code of [200, 204]) {
    test(`deliverLogoutToken() treats ${code} as delivered`, async () => {
      const stage = await openStage();
      await stage.signOut();
      stage.listener.answer = () => status(code);
      assert.equal(await stage.round(), 1);
      assert.deepEqual(await stage.rows(), []);
      assert.match(stage.logged.join(), /"logout_notice_taken","client":"[0-9a-v]{26}","attempts":1/);
      assert.doesNotMatch(stage.logged.join(), HUSH);
    });
  }

  test("deliverLogoutToken() treats 400 as final", async () => {
    const stage = await openStage();
    await stage.signOut();
    stage.listener.answer = () => status(400);
    assert.equal(await stage.round(), 1);
    assert.deepEqual(await stage.rows(), []);
    assert.match(
      stage.logged.join(),
      /"warn","event":"logout_notice_given_up","client":"[0-9a-v]{26}","attempts":1,"reason":"status 400"/,
    );
    assert.doesNotMatch(stage.logged.join(), HUSH);
  });

  const transient: Readonly<Record<string, () => FetchedResponse | Promise<FetchedResponse>>> = {
    ...Object.fromEntries(
      [201, 202, 301, 302, 307, 401, 404, 408, 429, 500, 503].map((code) => [code, () => status(code)]),
    ),
    "a host that cannot be reached": () => Promise.reject(new TypeError("connect hush")),
  };
  for (const [name, answer] of Object.entries(transient)) {
    test(`deliverLogoutToken() tries again later after ${name}, with a new token`, async () => {
      const stage = await openStage();
      await stage.signOut();
      stage.listener.answer = answer;
      assert.equal(await stage.round(), 1);
      const [row] = await stage.rows();
      assert.equal(row!.attempts, 1);
      assert.ok(Math.abs(row!.next_attempt_at - NOW - 5 * SECOND) <= 1.25 * SECOND);
      assert.match(stage.logged.join(), /"warn","event":"logout_notice_deferred"/);
      assert.doesNotMatch(stage.logged.join(), HUSH);
      assert.equal(await stage.round(), 0);
      stage.clock.now = row!.next_attempt_at;
      stage.listener.answer = () => status(200);
      assert.equal(await stage.round(), 1);
      const [first, second] = stage.listener.take();
      const claims = [first!, second!].map(({ token }) => JSON.parse(atob(token.split(".")[1]!)));
      assert.notEqual(claims[0].jti, claims[1].jti);
      assert.deepEqual(
        claims.map(({ iat }) => iat),
        [NOW, stage.clock.now].map((at) => Math.floor(at / SECOND)),
      );
      assert.equal(claims[0].toe, claims[1].toe);
      assert.ok(claims[1].exp - claims[1].iat <= 120);
    });
  }

  test("deliverLogoutToken() stops within a day, after a bounded number of attempts", async () => {
    const stage = await openStage();
    await stage.signOut();
    stage.listener.answer = () => status(503);
    let attempts = 0;
    // Moves the clock from attempt to attempt, so that it cannot pass the last one and the expiry.
    for (let [row] = await stage.rows(); row !== undefined; [row] = await stage.rows()) {
      stage.clock.now = row.next_attempt_at;
      assert.equal(await stage.round(), 1);
      attempts++;
    }
    assert.ok(attempts > 20 && attempts < MOST_ATTEMPTS, String(attempts));
    assert.ok(stage.clock.now < NOW + LOGOUT_NOTIFICATION_LIFETIME);
    assert.match(stage.logged.at(-1)!, /"warn","event":"logout_notice_given_up".*"reason":"status 503"/);
  });

  const away: Readonly<Record<string, readonly string[]>> = {
    "a private address": ["10.0.0.7"],
    "this machine": ["127.0.0.1"],
    "a private address among public ones": ["93.184.216.34", "fd00::1"],
    "the metadata of a cloud": ["169.254.169.254"],
  };
  for (const [name, addresses] of Object.entries(away)) {
    test(`deliverLogoutToken() does not connect to a host that resolves to ${name}, unless that is allowed`, async () => {
      for (const [hosts, deliveries] of [["public", 0], ["private", 1]] as const) {
        const stage = await openStage({}, hosts);
        await stage.signOut();
        stage.listener.lookup = () => Promise.resolve(addresses);
        assert.equal(await stage.round(), 1);
        assert.equal(stage.listener.take().length, deliveries);
        assert.equal((await stage.rows()).length, 1 - deliveries);
        if (hosts === "public") {
          assert.match(stage.logged.join(), /logout_notice_deferred.*its host is not allowed/);
        }
      }
    });
  }

  test("deliverLogoutToken() connects to the addresses that it checked, and to none if there are none", async () => {
    for (const hosts of ["public", "private"] as const) {
      const stage = await openStage({}, hosts);
      await stage.signOut();
      stage.listener.lookup = () => Promise.resolve([]);
      assert.equal(await stage.round(), 1);
      assert.match(stage.logged.join(), /logout_notice_deferred.*unreachable/);
      assert.deepEqual(stage.listener.take(), []);
      stage.listener.lookup = () => Promise.resolve(["93.184.216.34"]);
      stage.clock.now = (await stage.rows())[0]!.next_attempt_at;
      assert.equal(await stage.round(), 1);
      assert.deepEqual(stage.listener.take().map(({ init }) => init.addresses), [["93.184.216.34"]]);
    }
  });

  test("deliverLogoutToken() does not connect to a host that development allowed and production does not", async () => {
    for (
      const uri of ["http://127.0.0.1:4000/bcl", "https://10.0.0.7/bcl", "https://a.localhost.:3000/bcl"]
    ) {
      const stage = await openStage();
      const { db, services, client: { clientId } } = stage;
      const change = { clientId, change: { backchannelLogoutUri: uri }, now: NOW };
      const register = (logoutHosts: LogoutHosts) =>
        transaction(db, (tx) => changeClient(tx, { ...services, logoutHosts }, { ...change, random }));
      await assert.rejects(register("public"), /correct the members named in errors/);
      await register("local");
      await stage.signOut();
      assert.equal(await stage.round(), 1);
      assert.deepEqual(stage.listener.take(), [], uri);
      assert.match(stage.logged.join(), /its host is not allowed/);
    }
  });

  test("deliverLogoutToken() aborts an attempt on request, and tries again", async () => {
    const stage = await openStage();
    await stage.signOut();
    stage.listener.answer = (_url, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        stage.broken.abort();
      });
    assert.equal(await stage.round(), 1);
    assert.equal((await stage.rows()).length, 1);
  });

  test("deliverLogoutToken() does not deliver an edited notification", async () => {
    const edits = [{ subject: "account_other" }, { sid: "sid_other" }, { sid: null }, {
      expires_at: NOW + 9 * DAY,
    }];
    for (const edit of edits) {
      const stage = await openStage();
      await stage.signOut();
      await stage.db.updateTable("logout_notice").set(edit).execute();
      assert.equal(await stage.round(), 0);
      assert.deepEqual(stage.listener.take(), []);
      assert.deepEqual(stage.rejected.map(({ kind }) => kind), ["logout_notice"]);
    }
  });

  const ROW_EDITS = [{ id: "sid_other" }, { account_id: "account_other" }, { created_at: 1 }];

  test("an edited row of a session's application counts as absent, and is replaced if no grant names it", async () => {
    for (const edit of ROW_EDITS) {
      const stage = await openStage();
      const sid = async () => decodeJwt((await getTokens(stage)).id_token)["sid"];
      const before = await sid();
      assert.equal(await sid(), before);
      await stage.db.updateTable("application_session").set(edit).execute();
      assert.equal(await sid(), before, "the grant has its own");
      await endEveryGrant(stage);
      const after = await sid();
      assert.notEqual(after, before);
      await stage.signOut();
      assert.deepEqual((await stage.rows()).map((row) => row.sid), [after]);
      assert.deepEqual([...new Set(stage.rejected.map(({ kind }) => kind))], ["application_session"]);
    }
  });

  for (const [what, signOut] of Object.entries(SIGN_OUTS)) {
    test(`${what} notifies of a sign-in whose row is hidden or edited, once for each sid that a grant names`, async () => {
      for (const edit of [undefined, ...ROW_EDITS]) {
        const stage = await openStage({ backchannelLogoutSessionRequired: true });
        const { sid } = decodeJwt((await getTokens(stage)).id_token);
        if (edit === undefined) await stage.db.deleteFrom("application_session").execute();
        else await stage.db.updateTable("application_session").set(edit).execute();
        await signOut(stage);
        assert.deepEqual((await stage.rows()).map((row) => row.sid), [sid]);
      }
    });
  }

  test("a sign-out does not notify of a sign-in that another session took over", async () => {
    const stage = await openStage();
    const { db, services, signedIn: { account, session }, clock } = stage;
    const heir = await signInAgain(stage, account);
    const ending = { now: clock.now, random };
    await revokeSession(db, services, { session, successor: heir.session, ...ending });
    assert.deepEqual(await stage.rows(), []);
    await revokeSession(db, services, { session: heir.session, ...ending });
    assert.equal((await stage.rows()).length, 1);
  });

  test("the unauthenticated columns can only delay or repeat a delivery to the same application", async () => {
    const stage = await openStage();
    await stage.signOut();
    const [row] = await stage.rows();
    for (const edit of [{ next_attempt_at: 1e15 }, { attempts: MOST_ATTEMPTS }]) {
      await stage.db.updateTable("logout_notice").set(edit).execute();
      assert.equal(await stage.round(), 0);
      await stage.db.updateTable("logout_notice").set({ attempts: 0, next_attempt_at: 0 }).execute();
    }
    await stage.db.updateTable("logout_notice").set({ attempts: -1e15, next_attempt_at: -1e15 }).execute();
    assert.equal(await stage.round(), 1);
    // This process has recorded the delivery.
    await stage.db.insertInto("logout_notice").values(row!).execute();
    assert.equal(await stage.round(), 0);
    assert.equal(stage.listener.take().length, 1);
  });

  test("notifications are deleted with their client", async () => {
    const stage = await openStage();
    await stage.signOut();
    const [claimed] = await stage.claim();
    await transaction(
      stage.db,
      (tx) => deleteClient(tx, stage.services, { clientId: stage.client.clientId, now: NOW }),
    );
    assert.deepEqual(await stage.rows(), []);
    await deliverLogoutToken(stage.db, stage.services, claimed!, stage.broken.signal);
    assert.deepEqual(stage.listener.take(), []);
  });
});

describe("claimLogoutNotifications()", () => {
  test("claimLogoutNotifications() returns each notification to one of two concurrent calls, and again after the lease", async () => {
    const stage = await openStage();
    await stage.signOut();
    const claims = await Promise.all(Array.from({ length: 8 }, () => stage.claim()));
    assert.equal(claims.flat().length, 1);
    stage.clock.now += LEASE - 1;
    assert.deepEqual(await stage.claim(), []);
    stage.clock.now += 1;
    assert.equal((await stage.claim())[0]!.attempts, 2);
  });

  test("claimLogoutNotifications() returns at most two of an application, so that a slow one does not delay others", async () => {
    const stage = await openStage();
    const other = { ...stage, ...await register(stage, { ...LISTENS, name: "Other" }) };
    await getTokens(other);
    const accountId = stage.signedIn.account.id;
    const endAllSessions = () =>
      transaction(
        stage.db,
        (tx) => endEverySession(tx, stage.services.authority, accountId, { now: NOW, random }),
      );
    for (let n = 0; n < 120; n++) await endAllSessions();
    const first = await stage.claim();
    const of = (clientId: string) => first.filter((notice) => notice.client_id === clientId).length;
    assert.deepEqual([first.length, of(stage.client.clientId), of(other.client.clientId)], [4, 2, 2]);
    const value = { limit: 8, inFlight: first, now: NOW };
    let isTurned = false;
    setImmediate(() => isTurned = true);
    assert.deepEqual(await claimLogoutNotifications(stage.db, stage.services.authority, value), []);
    assert.ok(isTurned, "a concurrent request does not wait for the whole queue");
    const one = { ...value, inFlight: first.filter((notice) => notice.client_id === stage.client.clientId) };
    const next = await claimLogoutNotifications(stage.db, stage.services.authority, one);
    assert.deepEqual(next.map((notice) => notice.client_id), [other.client.clientId, other.client.clientId]);
  });
});

describe("startLogoutDelivery()", () => {
  test("startLogoutDelivery() delivers to an application at once while 30 others do not answer", async () => {
    const stage = await openStage({ backchannelLogoutUri: "https://quick.example/bcl" });
    for (let n = 0; n < 30; n++) {
      const slow = { name: `Slow ${n}`, backchannelLogoutUri: "https://slow.example/bcl" };
      await getTokens({ ...stage, ...await register(stage, slow) });
    }
    await stage.signOut();
    await stage.db.updateTable("logout_notice").set({ next_attempt_at: NOW - 1 })
      .where("client_id", "!=", stage.client.clientId).execute();
    const [delivered, over] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    stage.listener.answer = async (url) => {
      if (url.startsWith("https://quick.")) delivered.resolve("told");
      else await over.promise;
      return status(200);
    };
    const worker = startLogoutDelivery(stage.db, stage.services);
    assert.equal(await delivered.promise, "told");
    over.resolve();
    await worker.stop();
  });

  test("startLogoutDelivery() delivers queued notifications, and later ones as soon as they are committed", async () => {
    const stage = await openStage();
    let woken = 0;
    const forget = onLogoutNotification(stage.db, () => woken++);
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.listener.answer = () => {
      resolve();
      return status(200);
    };
    const worker = startLogoutDelivery(stage.db, stage.services);
    await assert.rejects(
      transaction(stage.db, async (tx) => {
        await endEverySession(tx, stage.services.authority, stage.signedIn.account.id, { now: NOW, random });
        throw new Error("rolled back");
      }),
      /rolled back/,
    );
    assert.equal(woken, 0);
    await stage.signOut();
    assert.equal(woken, 1);
    await promise;
    await worker.stop();
    forget();
    assert.deepEqual(await stage.rows(), []);
    assert.equal(stage.listener.take().length, 1);
  });
});
