import type { Page } from "playwright-core";
import { makeAccount } from "../support/made-account.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { GROUP_STATES } from "./access-scenes.ts";
import { goTo } from "./scene.ts";
import type { PageState, Scene, Stage } from "./scene.ts";
import { openServiceWebhooks } from "./webhook-scenes.ts";

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

async function makeApplication(stage: Stage, name: string): Promise<void> {
  await goTo("/admin/applications/new")(stage);
  await fillApplication(stage, name, "https://books.example/auth/callback");
  await stage.visit.page.getByText(stage.messages.applications.form.saved).waitFor();
}

/** The pages of applications, of an administrator with the admin key. */
const APPLICATIONS: readonly PageState[] = [
  { name: "admin-enter", open: goTo("/admin/enter") },
  {
    name: "admin-enter-wrong",
    open: async ({ visit: { page }, messages: { administration: { enter } } }) => {
      await page.getByLabel(enter.key).fill("not the key");
      await page.getByRole("button", { name: enter.submit, exact: true }).click();
      await page.locator("#key-fault").waitFor();
    },
  },
  { name: "admin-applications-none", open: (stage) => openAdmin(stage) },
  { name: "admin-invitations-none", open: goTo("/admin/invitations") },
  { name: "admin-application-new", open: goTo("/admin/applications/new") },
  {
    name: "admin-application-faults",
    open: async (stage) => {
      await fillApplication(stage, "Books", "http://books.example/cb");
      await stage.visit.page.locator("#redirect0-fault").waitFor();
    },
  },
  { name: "admin-application-secret", open: (stage) => makeApplication(stage, "Ledger") },
  {
    name: "admin-application",
    open: async ({ visit: { page }, messages: { applications: { danger, secret }, kit: { admin } } }) => {
      await page.getByRole("button", { name: secret.rotate }).click();
      await page.getByRole("button", { name: secret.end }).waitFor();
      await page.getByRole("link", { name: admin.applications }).click();
      await page.getByRole("main").getByRole("link", { name: "Ledger" }).click();
      for (const summary of await page.locator("main summary").all()) await summary.click();
      await page.getByRole("button", { name: danger.remove, exact: true }).waitFor();
    },
  },
  {
    name: "admin-applications",
    open: async (stage) => {
      await makeApplication(stage, "A rather long name, as some applications have it");
      const { visit: { page }, messages: { applications: { danger } } } = stage;
      await page.getByText(`${danger.disable}…`).click();
      await page.getByRole("button", { name: danger.disable, exact: true }).click();
      await page.getByRole("button", { name: danger.enable }).waitFor();
      await goTo("/admin/applications")(stage);
    },
  },
];

const ACCOUNTS: readonly PageState[] = [
  {
    name: "admin-accounts",
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
    open: async ({ visit: { page }, messages: { administration: { people } } }) => {
      await page.getByRole("button", { name: people.disable, exact: true }).click();
      await page.getByRole("button", { name: people.enable }).waitFor();
    },
  },
  { name: "admin-webhooks", open: openServiceWebhooks },
  ...GROUP_STATES,
];

/** The pages of a service that requires an invitation. */
const INVITATIONS: readonly PageState[] = [
  { name: "uninvited", open: goTo("/sign-up") },
  {
    name: "admin-invitations-faults",
    open: async (stage) => {
      const page = await openAdmin(stage, "/invitations");
      const { guests } = stage.messages.administration;
      await page.getByLabel(guests.email).fill("not-an-address");
      await page.getByRole("button", { name: guests.make, exact: true }).click();
      await page.locator("#email-fault").waitFor();
    },
  },
  {
    name: "admin-invitations",
    open: async (stage) => {
      await goTo("/admin/invitations")(stage);
      const { visit: { page }, messages: { administration: { guests } } } = stage;
      await page.getByRole("button", { name: guests.make, exact: true }).click();
      await page.locator("#link").waitFor();
    },
  },
  {
    name: "invited",
    open: async ({ visit: { page }, messages: { "sign-in": { invited } } }) => {
      await page.goto((await page.locator("#link").textContent())!);
      await page.getByText(invited.anyone).waitFor();
    },
  },
];

/** The administrator's pages, and those of a service that requires an invitation. */
export const ADMIN_SCENES: readonly Scene[] = [
  { who: "visitor", environment: {}, states: APPLICATIONS },
  { who: "account", environment: {}, states: ACCOUNTS },
  { who: "visitor", environment: { SIGN_UP: "invite" }, states: INVITATIONS },
  {
    who: "visitor",
    environment: { SIGN_UP: "closed" },
    states: [{ name: "uninvited-closed", open: goTo("/sign-up") }],
  },
  {
    who: "visitor",
    environment: { ADMIN_ACCOUNTS: OWNER },
    states: [{
      name: "admin-enter-passkey",
      open: async (stage) => {
        await makeAccount(stage.served, { ...stage.visit, email: OWNER });
        await goTo("/admin/enter")(stage);
      },
    }],
  },
];
