import type { Page } from "playwright-core";
import { makeAccount } from "../support/made-account.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { goTo } from "./scene.ts";
import type { Scene, Stage } from "./scene.ts";

const OWNER = "ada@example.com";

/** Opens one of the administrator's pages with the admin key. */
async function openAdmin(
  { served, visit: { page }, messages: { administration: { enter }, kit: { admin } } }: Stage,
  path = "",
): Promise<Page> {
  await page.goto(`${served.baseUrl}/admin/enter?${new URLSearchParams({ next: `/admin${path}` })}`);
  await page.getByLabel(enter.key).fill(ADMIN_KEY);
  await page.getByRole("button", { name: enter.submit, exact: true }).click();
  await page.getByRole("button", { name: admin.leave }).waitFor();
  return page;
}

async function fillApplication(
  { visit: { page }, messages: { applications: { form } } }: Stage,
  name: string,
  redirectUri: string,
): Promise<void> {
  await page.getByLabel(form.name, { exact: true }).fill(name);
  await page.getByLabel(form.uri).fill("https://books.example/");
  await page.getByLabel(form.redirect(1)).fill(redirectUri);
  await page.getByLabel(form.read).check();
  await page.getByRole("button", { name: form.register, exact: true }).click();
}

async function makeApplication(stage: Stage, name = "Books"): Promise<Page> {
  const page = await openAdmin(stage, "/applications/new");
  await fillApplication(stage, name, "https://books.example/auth/callback");
  await page.getByText(stage.messages.applications.form.saved).waitFor();
  return page;
}

async function invite(stage: Stage): Promise<Page> {
  const page = await openAdmin(stage, "/invitations");
  await page.getByRole("button", { name: stage.messages.administration.guests.make, exact: true }).click();
  await page.locator("#link").waitFor();
  return page;
}

/** The administrator's pages, and those of a service that requires an invitation. */
export const ADMIN_SCENES: readonly Scene[] = [
  { name: "admin-enter", who: "visitor", open: goTo("/admin/enter") },
  {
    name: "admin-enter-wrong",
    who: "visitor",
    open: async (stage) => {
      await goTo("/admin/enter")(stage);
      const { visit: { page }, messages: { administration: { enter } } } = stage;
      await page.getByLabel(enter.key).fill("not the key");
      await page.getByRole("button", { name: enter.submit, exact: true }).click();
      await page.locator("#key-fault").waitFor();
    },
  },
  {
    name: "admin-enter-passkey",
    who: "visitor",
    environment: { ADMIN_ACCOUNTS: OWNER },
    open: async (stage) => {
      await makeAccount(stage.served, { ...stage.visit, email: OWNER });
      await goTo("/admin/enter")(stage);
    },
  },
  { name: "admin-applications-none", who: "visitor", environment: {}, open: (stage) => openAdmin(stage) },
  {
    name: "admin-applications",
    who: "visitor",
    environment: {},
    open: async (stage) => {
      await makeApplication(stage);
      await goTo("/admin/applications/new")(stage);
      const { visit: { page }, messages: { applications: { danger } } } = stage;
      await fillApplication(
        stage,
        "A rather long name, as some applications have it",
        "https://long.example/cb",
      );
      await page.getByText(`${danger.disable}…`).click();
      await page.getByRole("button", { name: danger.disable, exact: true }).click();
      await page.getByRole("button", { name: danger.enable }).waitFor();
      await goTo("/admin/applications")(stage);
    },
  },
  { name: "admin-application-new", who: "visitor", open: (stage) => openAdmin(stage, "/applications/new") },
  {
    name: "admin-application-faults",
    who: "visitor",
    open: async (stage) => {
      await openAdmin(stage, "/applications/new");
      await fillApplication(stage, "Books", "http://books.example/cb");
      await stage.visit.page.locator("#redirect0-fault").waitFor();
    },
  },
  { name: "admin-application-secret", who: "visitor", open: (stage) => makeApplication(stage) },
  {
    name: "admin-application",
    who: "visitor",
    open: async (stage) => {
      const page = await makeApplication(stage, "Ledger");
      const { danger, secret } = stage.messages.applications;
      await page.getByRole("button", { name: secret.rotate }).click();
      await page.getByRole("button", { name: secret.end }).waitFor();
      await page.getByRole("link", { name: stage.messages.kit.admin.applications }).click();
      await page.getByRole("main").getByRole("link", { name: "Ledger" }).click();
      for (const summary of await page.locator("main summary").all()) await summary.click();
      await page.getByRole("button", { name: danger.remove, exact: true }).waitFor();
    },
  },
  {
    name: "admin-accounts",
    who: "account",
    environment: {},
    open: async (stage) => {
      const page = await openAdmin(stage, "/accounts");
      const { people } = stage.messages.administration;
      await page.getByRole("button", { name: people.endSessions }).click();
      await page.getByText(people.ended(1)).waitFor();
      await page.getByText(`${people.disable}…`).click();
    },
  },
  {
    name: "admin-accounts-disabled",
    who: "account",
    environment: {},
    open: async (stage) => {
      const page = await openAdmin(stage, "/accounts");
      const { people } = stage.messages.administration;
      await page.getByText(`${people.disable}…`).click();
      await page.getByRole("button", { name: people.disable, exact: true }).click();
      await page.getByRole("button", { name: people.enable }).waitFor();
    },
  },
  {
    name: "admin-invitations-none",
    who: "visitor",
    environment: {},
    open: (stage) => openAdmin(stage, "/invitations"),
  },
  { name: "admin-invitations", who: "visitor", environment: { SIGN_UP: "invite" }, open: invite },
  {
    name: "admin-invitations-faults",
    who: "visitor",
    environment: { SIGN_UP: "invite" },
    open: async (stage) => {
      const page = await openAdmin(stage, "/invitations");
      const { guests } = stage.messages.administration;
      await page.getByLabel(guests.email).fill("not-an-address");
      await page.getByRole("button", { name: guests.make, exact: true }).click();
      await page.locator("#email-fault").waitFor();
    },
  },
  { name: "uninvited", who: "visitor", environment: { SIGN_UP: "invite" }, open: goTo("/sign-up") },
  { name: "uninvited-closed", who: "visitor", environment: { SIGN_UP: "closed" }, open: goTo("/sign-up") },
  {
    name: "invited",
    who: "visitor",
    environment: { SIGN_UP: "invite" },
    open: async (stage) => {
      const page = await invite(stage);
      await page.goto((await page.locator("#link").textContent())!);
      await page.getByText(stage.messages["sign-in"].invited.anyone).waitFor();
    },
  },
];
