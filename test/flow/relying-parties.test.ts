import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { isSignedIn, visit } from "../conformance/person.ts";
import { ADMIN_KEY } from "../support/app.ts";
import type { Answer, Client } from "../support/client.ts";
import {
  browserAt,
  openGuideStory,
  registerFor,
  runFor,
  startFor,
  statusOf,
} from "../support/guide-story.ts";
import type { GuideStory } from "../support/guide-story.ts";
import { guideBlocks, guideCommands, runGuide } from "../support/guide.ts";
import { exchange, getCode, postForm } from "../support/oauth.ts";

// The guide's code, each block run verbatim as a process, against a listening service.

const LIMIT = { timeout: 60_000 };
const HAS_TOOLS = ["curl", "openssl"].every((tool) => spawnSync(tool, ["--version"]).error === undefined);
const WITH_TOOLS = { ...LIMIT, skip: HAS_TOOLS ? false : "curl or openssl is not here" };

function locationOf(answer: Answer): string {
  assert.ok(answer.status === 302 || answer.status === 303, answer.text);
  return answer.headers.get("location")!;
}

/** Follows a link of the application through the service's pages. Returns the path of the redirect back. */
async function throughService({ op, person, appUrl }: GuideStory, link: string): Promise<string> {
  const { at } = await visit(op, person, link);
  assert.equal(at.origin, appUrl);
  return at.pathname + at.search;
}

/** Signs the person in at `/login`. Returns the browser that is signed in at the application. */
async function signInAt(
  story: GuideStory,
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

describe("the guide for relying parties", () => {
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
      "logout.mjs",
    ]);
    // Commands for a shell have no comments, which not every interactive shell accepts.
    for (const line of guideCommands()) assert.match(line, /^(export|npm install|eval|echo|node|sh) [^#]+$/);
  });

  test("register.sh registers a client and prints the settings", WITH_TOOLS, async () => {
    await using story = await openGuideStory();
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
      await using story = await openGuideStory();
      await using _ = await startFor(name, story, await registerFor(story));
      const { browser, answer, back } = await signInAt(story, login);
      for (const cookie of answer.headers.getSetCookie()) assert.match(cookie, /; HttpOnly/);
      const shown = answer.status === 303 ? await browser.get(locationOf(answer)) : answer;
      assert.equal(shown.status, 200);
      assert.ok(shown.text.startsWith(`Signed in as ${story.email}`), shown.text);
      assert.equal(await statusOf(browser.get(back)), 400);
    });

    test(`${name} rejects another state and another browser`, LIMIT, async () => {
      await using story = await openGuideStory();
      await using program = await startFor(name, story, await registerFor(story));
      const browser = browserAt(story);
      const back = await throughService(story, locationOf(await browser.get(login)));
      assert.equal(await statusOf(browser.get(withOtherState(back))), 400);
      await program.line(/unexpected "state" response parameter value/);
      assert.equal(await statusOf(browserAt(story).get(back)), 400);
      await program.line(/No sign-in was begun in this browser/);
    });
  }

  test("app.mjs refreshes once for many requests at once", LIMIT, async () => {
    await using story = await openGuideStory();
    await using _ = await startFor("app.mjs", story, await registerFor(story));
    const { browser } = await signInAt(story, "/login");
    assert.equal((await browser.get("/me")).body.email, story.email);
    // The access token has expired, and the refresh token can be used only once.
    story.op.pass(3700);
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.get("/me")));
    assert.deepEqual(answers.map(({ body }) => body?.email), Array(4).fill(story.email));
    story.op.pass(3700);
    assert.equal((await browser.get("/me")).body.email, story.email);
  });

  test("app.mjs ends its session when the user withdrew the access", LIMIT, async () => {
    await using story = await openGuideStory();
    const client = await registerFor(story);
    await using _ = await startFor("app.mjs", story, client);
    const { browser } = await signInAt(story, "/login");
    assert.equal(await statusOf(story.person.request("DELETE", `/api/auth/grants/${client.clientId}`)), 204);
    assert.equal(locationOf(await browser.get("/me")), "/login");
    assert.match((await browser.get("/")).text, /^Not signed in/);
  });

  test("app.mjs signs out at both ends", LIMIT, async () => {
    await using story = await openGuideStory();
    await using _ = await startFor("app.mjs", story, await registerFor(story));
    const { browser } = await signInAt(story, "/login");
    assert.equal(await throughService(story, locationOf(await browser.get("/logout"))), "/");
    assert.equal(await isSignedIn(story.person), false);
    assert.match((await browser.get("/")).text, /^Not signed in/);
  });

  /** Submits the sign-in form of Auth.js. */
  async function beginWithAuthJs(browser: Client): Promise<string> {
    const { csrfToken } = (await browser.get("/auth/csrf")).body;
    return locationOf(await postForm(browser, "/auth/signin/holdfast", { csrfToken }, {}));
  }

  test("auth.mjs signs a person in, and rejects another state", LIMIT, async () => {
    await using story = await openGuideStory();
    await using _ = await startFor("auth.mjs", story, await registerFor(story, "auth.mjs"));
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

  test(
    "tool.mjs signs a person in at a port of its own, and still waits after another state",
    LIMIT,
    async () => {
      await using story = await openGuideStory();
      await using program = runFor("tool.mjs", story, await registerFor(story, "tool.mjs"));
      const { at } = await visit(story.op, story.person, await program.line(/^http/));
      const wrong = new URL(withOtherState(at.pathname + at.search), at);
      assert.equal((await fetch(wrong)).status, 400);
      assert.equal((await fetch(at)).status, 200);
      await program.line(new RegExp(`^Signed in as ${story.email}$`));
      assert.equal(await program.exited, 0);
    },
  );

  test("sign-in.sh signs a person in, refreshes and revokes", WITH_TOOLS, async () => {
    await using story = await openGuideStory();
    await using program = runFor("sign-in.sh", story, await registerFor(story));
    const { at } = await visit(story.op, story.person, await program.line(/^http/));
    program.write(`${at.href}\n`);
    assert.equal(await program.exited, 0);
    const question = program.lines.indexOf("Who is it?");
    assert.equal(JSON.parse(program.lines[question + 1]!).email, story.email);
    const [first, second] = program.lines.filter((line) => line.includes("access_token")).map((line) =>
      JSON.parse(line)
    );
    assert.notEqual(first.refresh_token, second.refresh_token);
    assert.match(program.lines.at(-1)!, /^Revoked/);
  });

  test("sign-in.sh rejects another state", WITH_TOOLS, async () => {
    await using story = await openGuideStory();
    await using program = runFor("sign-in.sh", story, await registerFor(story));
    const { at } = await visit(story.op, story.person, await program.line(/^http/));
    program.write(`${story.appUrl}${withOtherState(at.pathname + at.search)}\n`);
    assert.equal(await program.exited, 1);
    assert.match(program.lines.at(-1)!, /^state is not the one that was sent/);
  });
});
