import type { Page } from "playwright-core";
import { cancelLink, HOUR, pass, readProof } from "../support/recovery.ts";
import { goTo } from "./scene.ts";
import type { PageState, Scene, Stage } from "./scene.ts";

type Cookies = Awaited<ReturnType<Stage["visit"]["context"]["cookies"]>>;

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

/** Begins the recovery of the signed-in user, whose window is signed out. */
async function openBegin(stage: Stage): Promise<void> {
  await stage.visit.context.clearCookies();
  await goTo("/recover")(stage);
  await askForProof(stage);
}

async function begin(
  { visit: { page }, messages: { recovery: { recover } } }: Stage,
  code: string,
): Promise<void> {
  await page.locator("#recovery-code").fill(code);
  await page.locator("#begin-form .primary").click();
  await page.getByRole("heading", { name: recover.waitsTitle }).waitFor();
}

/** Returns a recovery from its settings to its cancellation. */
function cancelledRecovery(): readonly PageState[] {
  let code: string;
  let owner: Cookies;
  return [
    { name: "way-back", open: (stage) => openRecoverySettings(stage) },
    {
      name: "way-back-codes",
      open: async ({ visit: { page, context } }) => {
        [code = ""] = await makeCodes(page);
        owner = await context.cookies();
      },
    },
    { name: "recover", open: goTo("/recover") },
    {
      name: "recover-code",
      open: async (stage) => {
        await openBegin(stage);
        await stage.visit.page.locator("summary").last().click();
      },
    },
    { name: "recover-waits", open: (stage) => begin(stage, code) },
    {
      name: "way-back-waits",
      open: async (stage) => {
        const { page, context } = stage.visit;
        await context.addCookies(owner);
        await openRecoverySettings(stage);
        await page.getByRole("button", { name: stage.messages.recovery.recoverySettings.cancel }).waitFor();
      },
    },
    {
      name: "recover-cancel",
      open: async (stage) => {
        await stage.visit.context.clearCookies();
        await goTo(await cancelLink(stage.served.app.client(), stage.visit.email))(stage);
      },
    },
    {
      name: "recover-cancelled",
      open: async ({ visit: { page }, messages: { recovery: { recover } } }) => {
        await page.getByRole("button", { name: recover.cancel }).click();
        await page.getByRole("heading", { name: recover.cancelledTitle }).waitFor();
      },
    },
  ];
}

/** The states of an account before and after a passkey is lost. */
export const RECOVERY_SCENES: readonly Scene[] = [
  { who: "account", states: cancelledRecovery() },
  {
    who: "account",
    environment: {},
    states: [{
      name: "recover-ready",
      open: async (stage) => {
        const { page } = stage.visit;
        const [code = ""] = await makeCodes(await openRecoverySettings(stage));
        await openBegin(stage);
        await begin(stage, code);
        await pass(stage.served.app, 72 * HOUR);
        await page.reload();
        await askForProof(stage);
      },
    }],
  },
];
