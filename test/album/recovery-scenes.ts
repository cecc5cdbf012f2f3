import type { Page } from "playwright-core";
import { cancelLink, HOUR, pass, readProof } from "../support/recovery.ts";
import { goTo } from "./scene.ts";
import type { Scene, Stage } from "./scene.ts";

async function openRecoverySettings(stage: Stage, path = "/account/recovery"): Promise<Page> {
  await goTo(path)(stage);
  await stage.visit.page.locator("#codes-form button:enabled").waitFor();
  return stage.visit.page;
}

/** Creates recovery codes for the signed-in user. */
async function makeCodes(page: Page): Promise<readonly string[]> {
  await page.locator("#codes-form button").click();
  await page.locator("#codes-shown").waitFor();
  return (await page.locator("#code-list").textContent())!.split("\n");
}

async function askForProof(
  { served, visit: { page, email }, messages: { recovery: { recover } } }: Stage,
): Promise<void> {
  await page.locator("#email:enabled").fill(email);
  await page.getByRole("button", { name: recover.sendCode }).click();
  const code = page.getByLabel(recover.code);
  await code.waitFor();
  await code.fill(await readProof(served.app.client(), email));
}

/** Begins a recovery in the window, which signs the account out. */
async function beginRecovery(stage: Stage): Promise<Page> {
  const [code] = await makeCodes(await openRecoverySettings(stage));
  const { visit: { context, page }, messages: { recovery: { recover } } } = stage;
  await context.clearCookies();
  await goTo("/recover")(stage);
  await askForProof(stage);
  await page.locator("#recovery-code").fill(code!);
  await page.getByRole("button", { name: recover.begin }).click();
  await page.getByRole("heading", { name: recover.waitsTitle }).waitFor();
  return page;
}

async function openCancel(stage: Stage): Promise<void> {
  await beginRecovery(stage);
  await goTo(await cancelLink(stage.served.app.client(), stage.visit.email))(stage);
}

/** The states of an account before and after a passkey is lost. */
export const RECOVERY_SCENES: readonly Scene[] = [
  { name: "way-back", who: "account", open: (stage) => openRecoverySettings(stage) },
  {
    name: "way-back-codes",
    who: "account",
    open: async (stage) => await makeCodes(await openRecoverySettings(stage)),
  },
  {
    name: "way-back-waits",
    who: "account",
    open: async (stage) => {
      const { page, context } = stage.visit;
      const owner = await context.cookies();
      await beginRecovery(stage);
      await context.addCookies(owner);
      await openRecoverySettings(stage);
      await page.getByRole("button", { name: stage.messages.recovery.recoverySettings.cancel }).waitFor();
    },
  },
  { name: "recover", who: "visitor", open: goTo("/recover") },
  {
    name: "recover-code",
    who: "account",
    open: async (stage) => {
      await stage.visit.context.clearCookies();
      await goTo("/recover")(stage);
      await askForProof(stage);
      await stage.visit.page.locator("summary").last().click();
    },
  },
  { name: "recover-waits", who: "account", open: beginRecovery },
  {
    name: "recover-ready",
    who: "account",
    environment: {},
    open: async (stage) => {
      const page = await beginRecovery(stage);
      await pass(stage.served.app, 72 * HOUR);
      await page.reload();
      await askForProof(stage);
    },
  },
  { name: "recover-cancel", who: "account", open: openCancel },
  {
    name: "recover-cancelled",
    who: "account",
    open: async (stage) => {
      await openCancel(stage);
      const { visit: { page }, messages: { recovery: { recover } } } = stage;
      await page.getByRole("button", { name: recover.cancel }).click();
      await page.getByRole("heading", { name: recover.cancelledTitle }).waitFor();
    },
  },
  {
    name: "settings-deletion",
    who: "account",
    open: async (stage) => {
      const { visit: { page, email }, messages: { settings: { settings } } } = stage;
      await goTo("/account/settings")(stage);
      await page.getByLabel(settings.confirm(email)).fill("other@example.org");
      await page.getByRole("button", { name: settings.deleteButton }).click();
      await page.locator("#deletion-alert .notice").waitFor();
    },
  },
  {
    name: "settings-deleted",
    who: "account",
    open: async (stage) => {
      const { visit: { page, email }, messages: { settings: { settings } } } = stage;
      await goTo("/account/settings")(stage);
      await page.getByLabel(settings.confirm(email)).fill(email);
      await page.getByRole("button", { name: settings.deleteButton }).click();
      await page.locator("#deletion-done").waitFor();
    },
  },
];
