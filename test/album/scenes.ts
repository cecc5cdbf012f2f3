import type { Page } from "playwright-core";
import { openAccount } from "../support/account-story.ts";
import { readCode } from "../support/client.ts";
import { registerKeyClient } from "../support/key-application.ts";
import { mailsTo } from "../support/own-account.ts";
import { authorizePath, pkcePair, providerAt, registerClient } from "../support/oauth.ts";
import { ACCESS_STATES } from "./access-scenes.ts";
import { ADMIN_SCENES } from "./admin-scenes.ts";
import { RECOVERY_SCENES } from "./recovery-scenes.ts";
import { REQUEST_STATES } from "./request-scenes.ts";
import { goTo } from "./scene.ts";
import type { PageState, Scene, Stage } from "./scene.ts";
import { openNotifications } from "./push-scenes.ts";
import { openUsedTokens } from "./token-scenes.ts";
import { openWebhooks } from "./webhook-scenes.ts";

const SPENDER = "0xE592427A0AEce92De3Edee1F18E0157C05861564";
const TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

/** A Permit2 approval, as an exchange requests it. */
export const PERMIT2 = JSON.stringify({
  types: {
    PermitDetails: [
      { name: "token", type: "address" },
      { name: "amount", type: "uint160" },
      { name: "expiration", type: "uint48" },
      { name: "nonce", type: "uint48" },
    ],
    PermitSingle: [
      { name: "details", type: "PermitDetails" },
      { name: "spender", type: "address" },
      { name: "sigDeadline", type: "uint256" },
    ],
  },
  primaryType: "PermitSingle",
  domain: {
    name: "Permit2",
    chainId: "1",
    verifyingContract: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
  },
  message: {
    details: { token: TOKEN, amount: "250000000", expiration: "1772668800", nonce: "0" },
    spender: SPENDER,
    sigDeadline: "1772668800",
  },
});

/** Changes the account's address, and follows the link that was mailed to the old one. */
async function openRevertEmail({ served: { app, baseUrl }, visit: { page, email } }: Stage): Promise<void> {
  const outside = app.client();
  const address = `new-${email}`;
  await page.goto(`${baseUrl}/signed-out`); // where the service can be asked
  const ask = (path: string, value: object) =>
    page.evaluate(async ([path, body]) => {
      await fetch(path!, { method: "POST", headers: { "content-type": "application/json" }, body: body! });
    }, [`/api/auth/account/email${path}`, JSON.stringify(value)]);
  await ask("/code", { email: address });
  await ask("", { email: address, code: await readCode(outside, address) });
  const [mail] = await mailsTo(outside, email);
  await page.goto(/\bhttp\S+\/take-back\S+/.exec(mail!.text)![0].replace(/^https?:\/\/[^/]+/, baseUrl));
}

/** Makes keys of the signed-in user, from any page of the service. */
async function makeKeys({ visit: { page } }: Stage, labels: readonly string[]): Promise<void> {
  await page.evaluate(async (labels) => {
    for (const label of labels) {
      const headers = { "content-type": "application/json" };
      await fetch("/api/keys/generate", { method: "POST", headers, body: JSON.stringify({ label }) });
    }
  }, labels);
}

async function openKey(stage: Stage): Promise<Page> {
  const { page } = stage.visit;
  await page.goto(`${stage.served.baseUrl}/keys`);
  await page.getByRole("link", { name: "Treasury" }).click();
  await page.locator("#message:enabled").waitFor();
  return page;
}

async function review(stage: Stage, kind: "personal_sign" | "typed_data", text: string): Promise<Page> {
  const page = await openKey(stage);
  const { sign } = stage.messages.keys;
  await page.getByText(sign.kinds[kind][0], { exact: true }).click();
  await page.locator("#message").fill(text);
  await page.getByRole("button", { name: sign.review }).click();
  await page.getByRole("heading", { name: sign.willBeSigned }).waitFor();
  await page.waitForTimeout(600);
  return page;
}

async function openCodeStep(
  { served, visit: { page, email }, messages: { "sign-in": { signUp } } }: Stage,
): Promise<Page> {
  await page.goto(`${served.baseUrl}/sign-up`);
  await page.getByLabel(signUp.emailAddress).fill(email);
  await page.getByRole("button", { name: signUp.sendCode }).click();
  await page.getByLabel(signUp.code, { exact: true }).waitFor();
  return page;
}

/** Opens the form of a rule with all fields of a call, below which those of a payment are as many. */
async function openRule({ visit: { page }, messages: { kit: { policyBuilder } } }: Stage): Promise<void> {
  await page.locator("#token-name:enabled").waitFor();
  await page.getByRole("button", { name: policyBuilder.add }).click();
  await page.getByLabel(policyBuilder.kind).selectOption(policyBuilder.kinds.call);
  await page.getByLabel(policyBuilder.call.abi).fill("transfer(address to, uint256 value)");
  await page.locator("#rule-arguments select").first().selectOption("oneOf");
}

/** Shows a policy with rules of each danger, and its decision on a request. */
async function tryPolicy({ visit: { page }, messages: { kit: { policyBuilder } } }: Stage): Promise<void> {
  await page.keyboard.press("Escape");
  const policy = {
    version: 1,
    messages: { signIn: [{ domains: ["app.example.org"] }], text: "allow" },
    raw: "allow",
  };
  await page.locator("#token-policy").fill(JSON.stringify(policy));
  await page.locator("#policy-rules li").first().waitFor();
  await page.getByText(policyBuilder.tryIt).click();
  await page.getByLabel(policyBuilder.request).fill(
    JSON.stringify({ chainId: 1, address: `0x${"1".repeat(40)}`, nonce: 0 }),
  );
  await page.getByRole("button", { name: policyBuilder.decide }).click();
  await page.locator("#policy-decision .notice").waitFor();
}

async function askForConsent({ served, visit: { page }, messages }: Stage): Promise<Page> {
  const client = await registerClient(providerAt(served.baseUrl), { name: "Books" });
  await page.goto(served.baseUrl + authorizePath(client, pkcePair()));
  await page.getByRole("button", { name: messages.authorization.consent.allow }).waitFor();
  return page;
}

/** Shows the consent to an application whose policy the owner writes. */
async function askForKeys({ served, visit: { page }, messages }: Stage): Promise<void> {
  const client = await registerKeyClient(providerAt(served.baseUrl), {
    type: "web",
    dpopBoundAccessTokens: false,
  });
  const asked = { scope: "keys:read keys:sign", resource: `${served.baseUrl}/api` };
  await page.goto(served.baseUrl + authorizePath(client, pkcePair(), asked));
  await page.getByLabel(messages.authorization.consent.keys.own).check();
  await page.locator("#policy-rules li").waitFor();
}

async function sign(page: Page): Promise<void> {
  await page.locator("#sign-button:enabled").click();
  await page.locator("#signed").waitFor();
}

/** The pages of a visitor. */
const VISITOR: readonly PageState[] = [
  { name: "home", open: goTo("/") },
  { name: "signed-out", open: goTo("/signed-out") },
  { name: "taken-back", open: goTo("/taken-back") },
  { name: "sign-in", open: goTo("/sign-in") },
  { name: "sign-up", open: goTo("/sign-up") },
  { name: "sign-up-code", open: openCodeStep },
  {
    name: "sign-up-passkey",
    open: async ({ served, visit: { page, email }, messages: { "sign-in": { signUp } } }) => {
      const code = await readCode(served.app.client(), email);
      await page.getByLabel(signUp.code, { exact: true }).fill(code);
      await page.getByRole("button", { name: signUp.checkCode }).click();
      await page.getByRole("button", { name: signUp.make }).waitFor();
    },
  },
];

/** The pages of keys. */
const KEYS: readonly PageState[] = [
  { name: "keys-first", open: goTo("/keys") },
  { name: "menu", open: ({ visit: { page } }) => page.locator(".menu > summary").click() },
  { name: "error", open: goTo("/keys/key_00000000000000000000000000") },
  {
    name: "key",
    open: async (stage) => {
      await makeKeys(stage, ["Treasury"]);
      await openKey(stage);
    },
  },
  {
    name: "key-quote",
    open: async ({ visit: { page } }) => {
      await page.locator("#quote-form button").click();
      await page.locator("#quote-result").waitFor();
    },
  },
  { name: "key-review-text", open: (stage) => review(stage, "personal_sign", "hello from a browser") },
  { name: "key-signed", open: ({ visit: { page } }) => sign(page) },
  { name: "key-review-permit2", open: (stage) => review(stage, "typed_data", PERMIT2), readme: true },
  {
    name: "activity",
    open: async (stage) => {
      await sign(stage.visit.page);
      await goTo("/account/audit")(stage);
    },
  },
  {
    name: "keys",
    open: async (stage) => {
      await makeKeys(stage, ["Payroll", "A label that is rather long, as some people like them to be"]);
      await goTo("/keys")(stage);
    },
  },
];

/** The pages of an account and its settings. */
const ACCOUNT: readonly PageState[] = [
  { name: "developer", open: goTo("/developer") },
  { name: "developer-rule", open: openRule },
  { name: "developer-policy", open: tryPolicy },
  { name: "developer-used", open: openUsedTokens },
  { name: "webhooks-none", open: goTo("/developer/webhooks") },
  { name: "webhooks", open: openWebhooks },
  { name: "account", open: ({ served, visit }) => openAccount(served, visit.page) },
  { name: "notifications-none", open: goTo("/account/notifications") },
  { name: "notifications", open: openNotifications },
  { name: "settings", open: goTo("/account/settings") },
  {
    name: "settings-code",
    open: async ({ visit: { page }, messages: { settings: { settings } } }) => {
      await page.locator("#new-email:enabled").fill("other@example.org");
      await page.getByRole("button", { name: settings.sendCode }).click();
      await page.locator("#code-form").waitFor();
    },
  },
  {
    name: "settings-deletion",
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
    open: async ({ visit: { page, email }, messages: { settings: { settings } } }) => {
      await page.getByLabel(settings.confirm(email)).fill(email);
      await page.getByRole("button", { name: settings.deleteButton }).click();
      await page.locator("#deletion-done").waitFor();
    },
  },
];

/** The pages of applications that an account allows, and of a change of its address. */
const APPLICATIONS: readonly PageState[] = [
  { name: "consent-policy", open: askForKeys },
  { name: "consent", open: askForConsent },
  {
    name: "account-withdraw",
    open: async ({ served, visit: { page }, messages }) => {
      await page.getByRole("button", { name: messages.authorization.consent.allow }).click();
      // Nothing listens at the application's address.
      await page.waitForURL(({ protocol }) => protocol === "chrome-error:");
      await openAccount(served, page);
      await page.getByText(`${messages.account.account.applications.withdraw}…`).click();
    },
  },
  ...REQUEST_STATES,
  ...ACCESS_STATES,
  { name: "take-back", open: openRevertEmail },
];

/** Every page in its states. */
export const SCENES: readonly Scene[] = [
  { who: "visitor", states: VISITOR },
  { who: "account", states: KEYS },
  { who: "account", states: ACCOUNT },
  { who: "account", states: APPLICATIONS },
  ...RECOVERY_SCENES,
  ...ADMIN_SCENES,
];
