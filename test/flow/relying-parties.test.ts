import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { utf8 } from "../../src/lib/bytes.ts";
import { openOp } from "../conformance/op.ts";
import type { Op } from "../conformance/op.ts";
import { isSignedIn, newPerson, visit } from "../conformance/person.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import {
  GUIDE,
  guideBlocks,
  guideCommands,
  guideRegistration,
  newAppUrl,
  runGuide,
} from "../support/guide.ts";
import type { GuideProgram } from "../support/guide.ts";
import { exchange, getCode, getTokens, postForm, registerClient } from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";

// The guide's own code, each block as it stands, as a process beside a service that listens.

const LIMIT = { timeout: 60_000 };
const HAS_TOOLS = ["curl", "openssl"].every((tool) => spawnSync(tool, ["--version"]).error === undefined);
const WITH_TOOLS = { ...LIMIT, skip: HAS_TOOLS ? false : "curl or openssl is not here" };

/** A service, a person who is signed in there, and where an application will be. */
interface Story extends AsyncDisposable {
  readonly op: Op;
  readonly person: Client;
  readonly email: string;
  readonly appUrl: string;
}

async function openStory(): Promise<Story> {
  const op = await openOp();
  // The programs look at the real clock.
  op.pass((Date.now() - op.now()) / 1000);
  const person = await newPerson(op);
  const { email } = (await person.get("/api/auth/session")).body.account;
  const appUrl = await newAppUrl();
  return { op, person, email, appUrl, [Symbol.asyncDispose]: () => op[Symbol.asyncDispose]() };
}

function run(name: string, { op, appUrl }: Story, client: Registered, more: object = {}): GuideProgram {
  return runGuide(name, {
    ISSUER: op.origin,
    APP_URL: appUrl,
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.clientSecret ?? "",
    AUTH_SECRET: "a secret of the application, 32 characters or more",
    ...more,
  });
}

async function start(name: string, story: Story, client: Registered): Promise<GuideProgram> {
  const program = run(name, story, client);
  await program.line(/ is ready$/);
  return program;
}

/** The client that the guide registers before it runs a program. */
async function register({ op, appUrl }: Story, program = "app.mjs"): Promise<Registered> {
  return await registerClient(op, guideRegistration(program, appUrl));
}

/** A new browser at the application. */
function browserAt({ appUrl }: Story): Client {
  return createClient(appUrl, (request) => fetch(request));
}

function locationOf(answer: Answer): string {
  assert.ok(answer.status === 302 || answer.status === 303, answer.text);
  return answer.headers.get("location")!;
}

async function statusOf(answer: Promise<Answer>): Promise<number> {
  return (await answer).status;
}

/** From a link of the application through the service's pages to the path at which the browser comes back. */
async function throughService({ op, person, appUrl }: Story, link: string): Promise<string> {
  const { at } = await visit(op, person, link);
  assert.equal(at.origin, appUrl);
  return at.pathname + at.search;
}

/** Signs the person in at `/login` and answers the browser that is signed in at the application. */
async function signInAt(
  story: Story,
  login: string,
): Promise<{ browser: Client; answer: Answer; back: string }> {
  const browser = browserAt(story);
  const back = await throughService(story, locationOf(await browser.get(login)));
  return { browser, answer: await browser.get(back), back };
}

function withOtherState(path: string): string {
  const url = new URL(path, "http://localhost");
  url.searchParams.set("state", "A".repeat(43));
  return url.pathname + url.search;
}

describe("docs/relying-parties.md", () => {
  test("has no program or page that is not run here or in the browser", () => {
    const names = guideBlocks().map(([name]) => name).filter((name) => name !== undefined);
    assert.deepEqual(names, [
      "register.sh",
      "app.mjs",
      "app-oauth4webapi.mjs",
      "auth.mjs",
      "popup.html",
      "redirect.html",
      "pages.mjs",
      "tool.mjs",
      "sign-in.sh",
      "verify.mjs",
      "api.mjs",
    ]);
    // What is pasted into a shell: no comments, which not every shell takes there.
    for (const line of guideCommands()) assert.match(line, /^(export|npm install|eval|echo|node|sh) [^#]+$/);
  });

  test("register.sh registers a client and says what to set", WITH_TOOLS, async () => {
    await using story = await openStory();
    const env = { ISSUER: story.op.origin, APP_URL: story.appUrl, ADMIN_API_KEY: ADMIN_KEY };
    const redirectUris = [`${story.appUrl}/callback`, `${story.appUrl}/other`];
    await using program = runGuide("register.sh", env, { args: ["web", ...redirectUris] });
    assert.equal(await program.exited, 0);
    const { client } = JSON.parse(await program.line(/^\{/));
    assert.deepEqual([client.type, client.redirectUris], ["web", redirectUris]);
    const settings = program.lines.filter((line) => line.startsWith("export "));
    assert.deepEqual(settings, [
      `export CLIENT_ID=${client.clientId}`,
      `export CLIENT_SECRET=${client.clientSecret}`,
    ]);
    assert.equal(await statusOf(exchange(story.op, client, await getCode(story.person, client))), 200);
  });

  for (const [name, login] of [["app.mjs", "/login"], ["app-oauth4webapi.mjs", "/"]] as const) {
    test(`${name} signs a person in`, LIMIT, async () => {
      await using story = await openStory();
      await using _ = await start(name, story, await register(story));
      const { browser, answer, back } = await signInAt(story, login);
      for (const cookie of answer.headers.getSetCookie()) assert.match(cookie, /; HttpOnly/);
      const shown = answer.status === 303 ? await browser.get(locationOf(answer)) : answer;
      assert.equal(shown.status, 200);
      assert.ok(shown.text.startsWith(`Signed in as ${story.email}`), shown.text);
      assert.equal(await statusOf(browser.get(back)), 400);
    });

    test(`${name} stops when state is another or the browser another`, LIMIT, async () => {
      await using story = await openStory();
      await using program = await start(name, story, await register(story));
      const browser = browserAt(story);
      const back = await throughService(story, locationOf(await browser.get(login)));
      assert.equal(await statusOf(browser.get(withOtherState(back))), 400);
      await program.line(/unexpected "state" response parameter value/);
      assert.equal(await statusOf(browserAt(story).get(back)), 400);
      await program.line(/No sign-in was begun in this browser/);
    });
  }

  test("app.mjs refreshes once for many requests at once", LIMIT, async () => {
    await using story = await openStory();
    await using _ = await start("app.mjs", story, await register(story));
    const { browser } = await signInAt(story, "/login");
    assert.equal((await browser.get("/me")).body.email, story.email);
    // Now the service takes the access token no more, and one refresh token only.
    story.op.pass(3700);
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.get("/me")));
    assert.deepEqual(answers.map(({ body }) => body?.email), Array(4).fill(story.email));
    story.op.pass(3700);
    assert.equal((await browser.get("/me")).body.email, story.email);
  });

  test("app.mjs ends its session when the person took the consent back", LIMIT, async () => {
    await using story = await openStory();
    const client = await register(story);
    await using _ = await start("app.mjs", story, client);
    const { browser } = await signInAt(story, "/login");
    assert.equal(await statusOf(story.person.request("DELETE", `/api/auth/grants/${client.clientId}`)), 204);
    assert.equal(locationOf(await browser.get("/me")), "/login");
    assert.match((await browser.get("/")).text, /^Nobody is signed in/);
  });

  test("app.mjs signs out at both ends", LIMIT, async () => {
    await using story = await openStory();
    await using _ = await start("app.mjs", story, await register(story));
    const { browser } = await signInAt(story, "/login");
    assert.equal(await throughService(story, locationOf(await browser.get("/logout"))), "/");
    assert.equal(await isSignedIn(story.person), false);
    assert.match((await browser.get("/")).text, /^Nobody is signed in/);
  });

  /** Presses Auth.js's button. */
  async function beginWithAuthJs(browser: Client): Promise<string> {
    const { csrfToken } = (await browser.get("/auth/csrf")).body;
    return locationOf(await postForm(browser, "/auth/signin/holdfast", { csrfToken }, {}));
  }

  test("auth.mjs signs a person in, and stops when state is another", LIMIT, async () => {
    await using story = await openStory();
    await using _ = await start("auth.mjs", story, await register(story, "auth.mjs"));
    const victim = browserAt(story);
    const attacked = await throughService(story, await beginWithAuthJs(victim));
    assert.match(locationOf(await victim.get(withOtherState(attacked))), /\/auth\/error\?/);
    assert.equal((await victim.get("/auth/session")).body, null);

    const browser = browserAt(story);
    const answer = await browser.get(await throughService(story, await beginWithAuthJs(browser)));
    assert.equal(locationOf(answer), story.appUrl);
    for (const cookie of answer.headers.getSetCookie()) assert.match(cookie, /; HttpOnly/i);
    const { id } = (await story.person.get("/api/auth/session")).body.account;
    assert.deepEqual((await browser.get("/auth/session")).body.user, { email: story.email, id });
  });

  test("tool.mjs signs a person in at a port of its own, and waits on at another state", LIMIT, async () => {
    await using story = await openStory();
    await using program = run("tool.mjs", story, await register(story, "tool.mjs"));
    const { at } = await visit(story.op, story.person, await program.line(/^http/));
    const wrong = new URL(withOtherState(at.pathname + at.search), at);
    assert.equal((await fetch(wrong)).status, 400);
    assert.equal((await fetch(at)).status, 200);
    await program.line(new RegExp(`^Signed in as ${story.email}$`));
    assert.equal(await program.exited, 0);
  });

  test("sign-in.sh signs a person in, refreshes and revokes", WITH_TOOLS, async () => {
    await using story = await openStory();
    await using program = run("sign-in.sh", story, await register(story));
    const { at } = await visit(story.op, story.person, await program.line(/^http/));
    program.write(`${at.href}\n`);
    assert.equal(await program.exited, 0);
    const asked = program.lines.indexOf("Who is it?");
    assert.equal(JSON.parse(program.lines[asked + 1]!).email, story.email);
    const [first, second] = program.lines.filter((line) => line.includes("access_token")).map((line) =>
      JSON.parse(line)
    );
    assert.notEqual(first.refresh_token, second.refresh_token);
    assert.match(program.lines.at(-1)!, /^Revoked/);
  });

  test("sign-in.sh stops when state is another", WITH_TOOLS, async () => {
    await using story = await openStory();
    await using program = run("sign-in.sh", story, await register(story));
    const { at } = await visit(story.op, story.person, await program.line(/^http/));
    program.write(`${story.appUrl}${withOtherState(at.pathname + at.search)}\n`);
    assert.equal(await program.exited, 1);
    assert.match(program.lines.at(-1)!, /^state is not the one that was sent/);
  });

  test(
    "verify.mjs takes the client's own ID token and neither another's nor an access token",
    LIMIT,
    async () => {
      await using story = await openStory();
      const client = await register(story);
      const tokens = await getTokens(story.op, story.person, client);
      const verify = (more: object): GuideProgram => run("verify.mjs", story, client, more);
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

  test("api.mjs takes the application's own access tokens while they last, and no other", LIMIT, async () => {
    await using story = await openStory();
    const client = await register(story);
    await using _ = await start("api.mjs", story, client);
    const call = async (token?: string): Promise<Answer> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return await browserAt(story).get("/", { headers });
    };
    const tokens = await getTokens(story.op, story.person, client);
    const { id } = (await story.person.get("/api/auth/session")).body.account;
    assert.deepEqual((await call(tokens.access_token)).body, { sub: id });
    const others = await getTokens(story.op, story.person, await register(story));
    for (const token of [undefined, "x", tokens.id_token, tokens.refresh_token, others.access_token]) {
      assert.equal(await statusOf(call(token)), 401);
    }
    assert.equal(await statusOf(story.person.request("DELETE", `/api/auth/grants/${client.clientId}`)), 204);
    assert.equal(await statusOf(call(tokens.access_token)), 401);
  });

  test("says what a secret in the body is answered, and that an empty one is left out", LIMIT, async () => {
    await using story = await openStory();
    const client = await register(story);
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
