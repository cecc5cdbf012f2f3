import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisit, signUpHere, useStage } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { findFreePort } from "../support/free-port.ts";

const LIMIT = { timeout: 60_000 };
const MINUTE = 60_000;
const OWNER = "ada@example.com";

describe("the administrator's pages, in a real browser", () => {
  const stage = useStage({ SIGN_UP: "invite", ADMIN_ACCOUNTS: OWNER });

  async function enter({ page }: Visit, path: string): Promise<Page> {
    await page.goto(stage.served.baseUrl + path);
    await page.getByLabel("Admin key").fill(ADMIN_KEY);
    await page.getByRole("button", { name: "Enter", exact: true }).click();
    await page.waitForURL(stage.served.baseUrl + path);
    return page;
  }

  async function makeLink(page: Page): Promise<string> {
    await page.goto(`${stage.served.baseUrl}/admin/invitations`);
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    return (await page.locator("#link").textContent())!;
  }

  /** Creates an account with an invitation link in a separate window. */
  async function newGuest(admin: Page, options: Parameters<typeof newVisit>[1] = {}): Promise<Visit> {
    const link = await makeLink(admin);
    const guest = await newVisit(stage.browser, options);
    await guest.page.goto(link);
    await guest.page.getByText("You are invited to create an account here.").waitFor();
    await signUpHere(stage.served, guest);
    return guest;
  }

  test(
    "an application: a fault beside its URI, registered, its secret shown once, changed, found and deleted",
    LIMIT,
    async () => {
      const visit = await newVisit(stage.browser);
      await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const page = await enter(visit, "/admin/applications/new");
      await page.getByLabel("Name", { exact: true }).fill("Books");
      await page.getByLabel("Home page").fill("https://books.example/");
      await page.getByLabel("Redirect URI 1").fill("https://books.example/cb");
      const uri = page.getByLabel("Redirect URI 2");
      await uri.fill("http://books.example/cb");
      await page.getByRole("button", { name: "Register", exact: true }).click();
      await page.getByText("Not saved. Correct the marked fields.").waitFor();
      assert.equal(await uri.getAttribute("aria-invalid"), "true");
      const fault = (await uri.getAttribute("aria-describedby"))!;
      assert.match(await page.locator(`#${fault}`).innerText(), /https/);
      assert.equal(await page.locator("[aria-invalid]").count(), 1);
      await uri.fill("https://books.example/other");
      await page.getByRole("button", { name: "Register", exact: true }).click();
      await page.getByText("Saved.").waitFor();
      const first = (await page.locator("#client-secret").textContent())!;
      await page.getByRole("button", { name: "Copy Client secret" }).click();
      await page.getByText("Copied", { exact: true }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), first);

      await page.getByRole("link", { name: "Applications" }).click();
      await page.getByRole("link", { name: "Books" }).click();
      const address = page.url();
      await page.getByRole("button", { name: "Create a new secret" }).click();
      const second = (await page.locator("#client-secret").textContent())!;
      assert.notEqual(second, first);
      await page.getByText("The previous secret stays valid until").waitFor();
      await page.goto(address);
      assert.equal(await page.locator("#client-secret").count(), 0);
      const content = await page.content();
      assert.ok(!content.includes(first) && !content.includes(second));

      await page.locator("summary", { hasText: "As environment variables" }).click();
      const clientId = (await page.locator("#client-id").textContent())!;
      const lines = (await page.locator("#environment").textContent())!.split("\n");
      assert.ok(lines.includes(`CLIENT_ID=${clientId}`) && lines.includes(`ISSUER=${stage.served.baseUrl}`));
      await page.locator("summary", { hasText: "With openid-client" }).click();
      assert.match((await page.locator("#snippet").textContent())!, new RegExp(clientId));
      await page.getByLabel("Name", { exact: true }).fill("Ledger");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved.").waitFor();
      await page.getByText("Disable…").click();
      await page.getByRole("button", { name: "Disable", exact: true }).click();
      await page.getByRole("button", { name: "Enable again" }).click();
      await page.getByText("Disable…").waitFor();
      await page.getByRole("link", { name: "Applications" }).click();
      await page.getByLabel("Name or client id").fill("books");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByText("No application has this name or client id.").waitFor();
      await page.getByLabel("Name or client id").fill("ledg");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("main").getByRole("link", { name: "Ledger" }).click();
      await page.getByText("Delete…").click();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText("No application is registered yet.").waitFor();
      // The browser reports the refused form as a failed request.
      assert.deepEqual(visit.faults.filter((text) => !/400/.test(text)), []);
      await visit.context.close();
    },
  );

  test(
    "an invited user signs up in a separate window, and is signed out when disabled",
    LIMIT,
    async () => {
      const { baseUrl } = stage.served;
      const admin = await newVisit(stage.browser);
      const page = await enter(admin, "/admin/invitations");
      const stranger = await newVisit(stage.browser);
      await stranger.page.goto(`${baseUrl}/sign-up`);
      await stranger.page.getByRole("heading", { name: "By invitation only" }).waitFor();
      const guest = await newGuest(page);

      await page.goto(`${baseUrl}/admin/accounts`);
      await page.getByLabel("Address or account id").fill(guest.email);
      await page.getByRole("button", { name: "Search" }).click();
      assert.equal(await page.locator(".row").count(), 1);
      await page.getByText("Disable…").click();
      await page.getByRole("button", { name: "Disable", exact: true }).click();
      await page.getByRole("button", { name: "Enable again" }).waitFor();
      await guest.page.goto(`${baseUrl}/keys`);
      await guest.page.waitForURL(/\/sign-in/);
      assert.deepEqual([...admin.faults, ...stranger.faults], []);
      for (const { context } of [admin, guest, stranger]) await context.close();
    },
  );

  test(
    "an account that is named enters by its passkey, which is used again once it is stale",
    LIMIT,
    async () => {
      const { app, baseUrl } = stage.served;
      const admin = await newVisit(stage.browser);
      const page = await enter(admin, "/admin/invitations");
      const other = await newGuest(page);
      await other.page.goto(`${baseUrl}/admin/enter`);
      assert.equal(await other.page.getByRole("button", { name: "Enter with a passkey" }).count(), 0);

      const owner = await newGuest(page, { email: OWNER });
      app.now += 11 * MINUTE;
      await owner.page.goto(`${baseUrl}/admin/accounts`);
      await owner.page.waitForURL(/\/admin\/enter\?/);
      const passkey = owner.page.getByRole("button", { name: "Enter with a passkey" });
      await owner.authenticator.setUserVerified(false);
      await passkey.click();
      await owner.page.locator("#alert .notice").waitFor();
      await owner.authenticator.setUserVerified(true);
      await passkey.click();
      await owner.page.waitForURL(`${baseUrl}/admin/accounts`);
      await owner.page.getByRole("button", { name: "Leave" }).click();
      await owner.page.waitForURL(`${baseUrl}/admin/enter`);
      assert.deepEqual(owner.faults, []);
      for (const { context } of [admin, other, owner]) await context.close();
    },
  );

  test("a form of another site's page does nothing", LIMIT, async () => {
    const { baseUrl } = stage.served;
    const visit = await newVisit(stage.browser);
    const page = await enter(visit, "/admin/accounts");
    const port = await findFreePort();
    const foreign = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<form method="post" action="${baseUrl}/admin/leave"><button>Win</button></form>`);
    });
    await new Promise<void>((resolve) => foreign.listen(port, "127.0.0.1", resolve));
    try {
      await page.goto(`http://127.0.0.1:${port}/`);
      const [answer] = await Promise.all([
        page.waitForResponse(`${baseUrl}/admin/leave`),
        page.getByRole("button", { name: "Win" }).click(),
      ]);
      assert.equal(answer.status(), 403);
      await page.goto(`${baseUrl}/admin/accounts`);
      await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
    } finally {
      foreign.close();
    }
    await visit.context.close();
  });
});
