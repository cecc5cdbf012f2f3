import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeJwt } from "jose";
import { revokeSession } from "../../src/accounts/session/session.ts";
import type { SignedIn } from "../../src/accounts/session/session.ts";
import { transaction } from "../../src/db/transaction.ts";
import { HOUR } from "../../src/lib/time.ts";
import { changeClient } from "../../src/oauth/client/client-administration.ts";
import {
  consumeLogoutRequest,
  findLogoutRequest,
  logoutRedirectUri,
  mustConfirmLogout,
  readLogoutRequest,
  storeLogoutRequest,
} from "../../src/oauth/end-session.ts";
import type { LogoutRequest } from "../../src/oauth/end-session.ts";
import { NETWORK, NOW, random, register, signInAgain, signInPerson } from "./fixture.ts";
import { getTokens, openStory, withPayload } from "./story.ts";
import type { Story } from "./story.ts";

const BYE = "https://books.example/bye";

async function stage() {
  const story = await openStory();
  const { id_token: hint, access_token } = await getTokens(story);
  return { story, hint, access_token };
}

function read({ db, services }: Story, fields: Record<string, string>, repeated: string[] = [], now = NOW) {
  const parameters = new Map(Object.entries(fields));
  return readLogoutRequest(db, services, { parameters, repeated: new Set(repeated), now });
}

function mustConfirm(
  { db, services }: Story,
  request: LogoutRequest,
  signedIn: SignedIn | undefined,
): Promise<boolean> {
  return mustConfirmLogout(db, services, request, signedIn);
}

describe("readLogoutRequest()", () => {
  test("returns client, user and redirect URI for an ID token, also an expired one", async () => {
    const { story, hint } = await stage();
    for (const now of [NOW, NOW + 2 * HOUR]) {
      const fields = { id_token_hint: hint, post_logout_redirect_uri: BYE, state: "a b" };
      const request = await read(story, fields, [], now);
      assert.deepEqual(request, {
        client: story.client,
        hintedSid: decodeJwt(hint)["sid"],
        postLogoutRedirectUri: BYE,
        state: "a b",
      });
      assert.equal(logoutRedirectUri(request), BYE + "?state=a+b");
      assert.equal(await mustConfirm(story, request, story.signedIn), false);
    }
  });

  test("redirects without a state if none was sent", async () => {
    const { story, hint } = await stage();
    const request = await read(story, { id_token_hint: hint, post_logout_redirect_uri: BYE });
    assert.equal(logoutRedirectUri(request), BYE);
  });

  test("ignores the hint of a disabled client", async () => {
    const { story, hint } = await stage();
    const { db, services, client: { clientId }, signedIn } = story;
    const change = { disabled: true };
    await transaction(db, (tx) => changeClient(tx, services, { random, clientId, change, now: NOW }));
    const request = await read(story, { id_token_hint: hint, post_logout_redirect_uri: BYE });
    assert.equal(logoutRedirectUri(request), undefined);
    assert.equal(await mustConfirm(story, request, signedIn), true);
  });

  test("returns no redirect URI without a valid hint, or for an unregistered address", async () => {
    const { story, hint, access_token } = await stage();
    const other = await register(story);
    const post_logout_redirect_uri = BYE;
    const good = { id_token_hint: hint, post_logout_redirect_uri };
    const sent: [Record<string, string>, string[]?][] = [
      [{}],
      [{ state: "x" }],
      [{ post_logout_redirect_uri }],
      [{ post_logout_redirect_uri, client_id: story.client.clientId }],
      [{ ...good, id_token_hint: "x" }],
      [{ ...good, id_token_hint: access_token }],
      [{ ...good, id_token_hint: withPayload(hint, { sub: "account_other" }) }],
      [{ ...good, client_id: other.client.clientId }],
      [{ ...good, post_logout_redirect_uri: BYE + "/" }],
      [{ ...good, post_logout_redirect_uri: BYE + "?x=1" }],
      [{ ...good, post_logout_redirect_uri: "https://evil.example/" }],
      [{ ...good, post_logout_redirect_uri: story.client.redirectUris[0]! }],
      [{ id_token_hint: hint }],
      [good, ["post_logout_redirect_uri"]],
      [good, ["id_token_hint"]],
      [good, ["client_id"]],
    ];
    for (const [fields, repeated] of sent) {
      assert.equal(logoutRedirectUri(await read(story, fields, repeated)), undefined, JSON.stringify(fields));
    }
  });

  test("requires confirmation unless the hint is of the current session", async () => {
    const { story, hint } = await stage();
    const bob = await signInPerson(story, "bob@example.com");
    const [plain, hinted] = [await read(story, {}), await read(story, { id_token_hint: hint })];
    assert.equal(await mustConfirm(story, plain, story.signedIn), true);
    assert.equal(await mustConfirm(story, hinted, bob), true);
    assert.equal(await mustConfirm(story, hinted, undefined), false);
    assert.equal(await mustConfirm(story, plain, undefined), false);
    const elsewhere = await signInAgain(story, story.signedIn.account);
    assert.equal(await mustConfirm(story, hinted, elsewhere), true);
  });

  test("requires confirmation after another sign-in, unless it was in the browser of the hint", async () => {
    const { story, hint } = await stage();
    const { db, services, signedIn: { account, session } } = story;
    const request = await read(story, { id_token_hint: hint });
    const again = await signInAgain(story, account);
    await revokeSession(db, services, { session, successor: again.session, now: NOW, random });
    assert.equal(await mustConfirm(story, request, again), false);
    const later = await signInAgain(story, account);
    await revokeSession(db, services, { session: again.session, now: NOW, random });
    assert.equal(await mustConfirm(story, request, later), true);
  });

  test("does not accept another application's sid of the session", async () => {
    const { story, hint } = await stage();
    const { client } = await register(story);
    const request = { ...await read(story, { id_token_hint: hint }), client };
    assert.equal(await mustConfirm(story, request, story.signedIn), true);
  });
});

describe("a stored logout request", () => {
  async function kept() {
    const { story, hint } = await stage();
    const request = await read(story, { id_token_hint: hint, post_logout_redirect_uri: BYE, state: "x" });
    const requestId = await storeLogoutRequest(story.services, {
      request,
      network: NETWORK,
      now: NOW,
      random,
    });
    const find = (now = NOW) => findLogoutRequest(story.db, story.services, { requestId, now });
    const consume = (now = NOW) => consumeLogoutRequest(story.db, story.services, { requestId, now });
    return { story, request, find, consume };
  }

  test("is found until it is consumed, which succeeds once", async () => {
    const { request, find, consume } = await kept();
    assert.deepEqual(await find(), request);
    const consumed = await Promise.all([1, 2, 3].map(() => consume()));
    assert.deepEqual(consumed.filter((one) => one !== undefined), [request]);
    assert.equal(await find(), undefined);
  });

  test("expires after an hour", async () => {
    const { find, consume } = await kept();
    assert.notEqual(await find(NOW + HOUR - 1), undefined);
    assert.equal(await find(NOW + HOUR), undefined);
    assert.equal(await consume(NOW + HOUR), undefined);
  });

  test("loses its redirect URI when the client does", async () => {
    const { story: { db, services, client: { clientId } }, find } = await kept();
    const change = { postLogoutRedirectUris: [] };
    await transaction(db, (tx) => changeClient(tx, services, { random, clientId, change, now: NOW }));
    assert.equal(logoutRedirectUri((await find())!), undefined);
  });

  test("has no redirect URI and names no user once its client is disabled", async () => {
    const { story, find } = await kept();
    const { db, services, client: { clientId }, signedIn } = story;
    const change = { disabled: true };
    await transaction(db, (tx) => changeClient(tx, services, { random, clientId, change, now: NOW }));
    const request = (await find())!;
    assert.equal(logoutRedirectUri(request), undefined);
    assert.equal(await mustConfirm(story, request, signedIn), true);
    assert.equal(request.client, undefined);
  });

  test("is not found by an unknown id", async () => {
    const { story: { db, services } } = await kept();
    for (const requestId of ["", "\0", "logout_", "request_" + "0".repeat(26), "a".repeat(5000)]) {
      assert.equal(await findLogoutRequest(db, services, { requestId, now: NOW }), undefined);
      assert.equal(await consumeLogoutRequest(db, services, { requestId, now: NOW }), undefined);
    }
  });

  test("counts as absent when an attacker edited it", async () => {
    const { story, find } = await kept();
    await story.db.updateTable("logout_request").set({ redirect_uri: "https://evil.example/" }).execute();
    assert.equal(await find(), undefined);
    assert.deepEqual(story.rejected.map(({ kind }) => kind), ["logout_request"]);
  });
});
