import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeJwt } from "jose";
import { utf8 } from "../../src/lib/bytes.ts";
import { signIn } from "../support/client.ts";
import type { Answer } from "../support/client.ts";
import {
  browserAt,
  openGuideStory,
  registerFor,
  runFor,
  startFor,
  statusOf,
} from "../support/guide-story.ts";
import { GUIDE } from "../support/guide.ts";
import type { GuideProgram } from "../support/guide.ts";
import { exchange, getCode, getTokens, postForm, registerClient } from "../support/oauth.ts";

// The guide's code about tokens and secrets, run verbatim.

const LIMIT = { timeout: 60_000 };

describe("the guide for relying parties, about tokens", () => {
  test(
    "verify.mjs accepts the client's own ID token and neither another's nor an access token",
    LIMIT,
    async () => {
      await using story = await openGuideStory();
      const client = await registerFor(story);
      const tokens = await getTokens(story.op, story.person, client);
      const verify = (more: object): GuideProgram => runFor("verify.mjs", story, client, more);
      await using good = verify({ ID_TOKEN: tokens.id_token });
      await good.line(/ signed in at \d{4}-/);
      const other = { ID_TOKEN: tokens.id_token, CLIENT_ID: "other" };
      for (const more of [other, { ID_TOKEN: tokens.access_token }]) {
        await using bad = verify(more);
        assert.notEqual(await bad.exited, 0);
        assert.equal(bad.lines.some((line) => line.includes("signed in at")), false);
      }
    },
  );

  test("api.mjs accepts the application's own valid access tokens, and no other token", LIMIT, async () => {
    await using story = await openGuideStory();
    const client = await registerFor(story);
    await using _ = await startFor("api.mjs", story, client);
    const call = async (token?: string): Promise<Answer> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return await browserAt(story).get("/", { headers });
    };
    const tokens = await getTokens(story.op, story.person, client);
    const { id } = (await story.person.get("/api/auth/session")).body.account;
    assert.deepEqual((await call(tokens.access_token)).body, { sub: id });
    const others = await getTokens(story.op, story.person, await registerFor(story));
    for (const token of [undefined, "x", tokens.id_token, tokens.refresh_token, others.access_token]) {
      assert.equal(await statusOf(call(token)), 401);
    }
    assert.equal(await statusOf(story.person.request("DELETE", `/api/auth/grants/${client.clientId}`)), 204);
    assert.equal(await statusOf(call(tokens.access_token)), 401);
  });

  test(
    "logout.mjs ends the sessions that a logout token names, and rejects other tokens",
    LIMIT,
    async () => {
      await using story = await openGuideStory();
      const { op, appUrl, person } = story;
      const backchannelLogoutUri = `${appUrl}/backchannel-logout`;
      const metadata = { redirectUris: [`${appUrl}/callback`], backchannelLogoutUri };
      const client = await registerClient(op, metadata);
      await using program = await startFor("logout.mjs", story, client);
      const tokens = await getTokens(op, person, client);
      const { sid, sub } = decodeJwt<{ sid: string; sub: string }>(tokens.id_token);
      assert.equal((await person.post("/api/auth/sign-out")).status, 204);
      await op.deliverLogoutTokens();
      assert.equal(await program.line(/^ended: /), `ended: ${sid} of ${sub}`);

      await signIn(person);
      await getTokens(op, person, client);
      await person.post("/api/auth/sessions/revoke-all");
      await op.deliverLogoutTokens();
      await program.line(new RegExp(`^ended: all sessions of ${sub} before \\d+$`));

      const send = (form: Record<string, string>) =>
        postForm(browserAt(story), "/backchannel-logout", form, {});
      for (const token of [tokens.id_token, tokens.access_token, "x", ""]) {
        assert.equal(await statusOf(send({ logout_token: token })), 400);
      }
      assert.equal(await statusOf(send({ logout_token: "x".repeat(20_000) })), 400);
      assert.equal(await statusOf(send({})), 400);
      assert.equal(await statusOf(browserAt(story).get("/backchannel-logout")), 400);
      const others = await registerClient(op, { ...metadata, name: "Other" });
      await signIn(person);
      await getTokens(op, person, others);
      const before = program.lines.filter((line) => line.startsWith("ended: ")).length;
      await person.post("/api/auth/sign-out");
      await op.deliverLogoutTokens();
      assert.equal(program.lines.filter((line) => line.startsWith("ended: ")).length, before);
      await program.line(/unexpected "aud" claim value/);
    },
  );

  test("documents the answer to a secret in the body, and that an empty one is ignored", LIMIT, async () => {
    await using story = await openGuideStory();
    const client = await registerFor(story);
    const given = await getCode(story.person, client);
    const form = {
      grant_type: "authorization_code",
      code: given.code,
      redirect_uri: given.redirectUri,
      code_verifier: given.verifier,
    };
    const path = "/api/auth/oauth2/token";
    const inBody = { ...form, client_id: client.clientId, client_secret: client.clientSecret! };
    const refused = await postForm(story.op.client(), path, inBody, {});
    assert.equal(refused.status, 401);
    const [, shown] = /^```json\n(\{\n {2}"error".*?)^```$/ms.exec(GUIDE)!;
    assert.deepEqual(refused.body, JSON.parse(shown!));

    const authorization = `Basic ${utf8(`${client.clientId}:${client.clientSecret}`).toBase64()}`;
    const empty = { ...form, client_id: client.clientId, client_secret: "" };
    assert.equal(await statusOf(postForm(story.op.client(), path, empty, { authorization })), 200);
    assert.equal(await statusOf(exchange(story.op, client, given)), 400);
  });
});
