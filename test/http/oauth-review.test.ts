import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import {
  authorizePath,
  changeClient,
  END_SESSION,
  getTokens,
  locationOf,
  pendingOf,
  postDecision,
  postForm,
  register,
} from "./oauth/story.ts";

const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

describe("pages of a pending request", () => {
  test("answer 400 for an id that was not made here, also one that the database would not take", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    for (const request of ["\0", "request_\0", "", "é", "a".repeat(5000)]) {
      const query = new URLSearchParams({ request });
      const decision = { request, decision: "approve" };
      const answers = [
        await browser.get(`/consent?${query}`),
        await postDecision(browser, decision),
        await browser.get(`/end-session?${query}`),
        await postForm(browser, "/end-session", { request, decision: "sign_out" }, SAME_ORIGIN),
      ];
      assert.deepEqual(answers.map(({ status }) => status), [400, 400, 400, 400]);
    }
    assert.equal(app.logged.some((line) => line.includes("request_failed")), false);
    assert.notEqual((await browser.get("/api/auth/session")).body.session, null);
  });

  test("give no code to whoever answers consent before the sign-in that was asked for", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const client = await register(app);
    await getTokens(app, browser, client);
    for (const change of [{ prompt: "login" }, { max_age: "0" }, { prompt: "select_account" }]) {
      const request = pendingOf(await browser.get(authorizePath(client, change)), "/sign-in");
      assert.equal((await postDecision(browser, { request, decision: "approve" })).status, 400);
      assert.equal(pendingOf(await browser.get(`/consent?request=${request}`), "/sign-in"), request);
    }
  });
});

describe("GET end-session", () => {
  test("neither leads to a disabled client nor signs out without asking for it", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const client = await register(app);
    const { id_token: id_token_hint } = await getTokens(app, browser, client);
    const query = { id_token_hint, post_logout_redirect_uri: "https://books.example/bye" };
    const path = `${END_SESSION}?${new URLSearchParams(query)}`;
    await changeClient(app, client, { disabled: true });
    assert.equal(locationOf(await app.client().get(path)).pathname, "/signed-out");
    const request = pendingOf(await browser.get(path), "/end-session");
    const page = await browser.get(`/end-session?request=${request}`);
    assert.equal(page.status, 200);
    assert.equal(page.text.includes("Books"), false);
    await changeClient(app, client, { disabled: false });
    assert.equal(locationOf(await browser.get(path)).href, "https://books.example/bye");
  });
});
