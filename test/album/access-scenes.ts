import { ADMIN_KEY } from "../support/app.ts";
import { registerKeyClient } from "../support/key-application.ts";
import { authorizePath, pkcePair, providerAt } from "../support/oauth.ts";
import { goTo } from "./scene.ts";
import type { PageState, Stage } from "./scene.ts";

const HEADERS = { authorization: `Bearer ${ADMIN_KEY}` };

async function administer({ served }: Stage, method: string, path: string, body?: object): Promise<string> {
  const answer = await served.app.client().request(method, path, {
    headers: HEADERS,
    ...(body !== undefined && { body }),
  });
  return answer.body?.group?.id ?? "";
}

/** Returns the id of the account of the scene's visitor. */
async function accountIdOf({ served, visit: { email } }: Stage): Promise<string> {
  const { body } = await served.app.client().get("/api/admin/accounts", { headers: HEADERS });
  return body.accounts.find((account: { email: string }) => account.email === email).id;
}

/** The administrator's pages of groups and of one account. The visitor has signed in with the admin key. */
export const GROUP_STATES: readonly PageState[] = [
  { name: "admin-groups-none", open: goTo("/admin/groups") },
  {
    name: "admin-groups",
    open: async (stage) => {
      for (const name of ["Friends", "group-name-group-name-group-name-group-name-group"]) {
        await administer(stage, "POST", "/api/admin/groups", { name });
      }
      await goTo("/admin/groups")(stage);
    },
  },
  {
    name: "admin-group",
    open: async (stage) => {
      const groupId = await administer(stage, "POST", "/api/admin/groups", { name: "Family" });
      await administer(stage, "PUT", `/api/admin/groups/${groupId}/members/${await accountIdOf(stage)}`);
      await goTo(`/admin/groups/${groupId}`)(stage);
    },
  },
  {
    name: "admin-account",
    open: async (stage) => await goTo(`/admin/accounts/${await accountIdOf(stage)}`)(stage),
  },
];

async function askForKeys(stage: Stage): Promise<void> {
  const { served, visit: { page }, messages: { authorization: { consent } } } = stage;
  const client = await registerKeyClient(providerAt(served.baseUrl), {
    type: "web",
    dpopBoundAccessTokens: false,
  });
  const path = (): string => authorizePath(client, pkcePair(), { scope: "openid keys:read keys:sign" });
  await page.goto(served.baseUrl + path());
  await page.locator("input[name^='key:']").first().check();
  await page.getByRole("button", { name: consent.allow }).click();
  // Nothing listens at the application's address.
  await page.waitForURL(({ protocol }) => protocol === "chrome-error:");
  await page.goto(served.baseUrl + path());
  await page.getByText(consent.keys.already).waitFor();
}

async function askOnDevice(stage: Stage): Promise<void> {
  const { served, visit: { page } } = stage;
  const client = await registerKeyClient(providerAt(served.baseUrl), { type: "native", deviceGrant: true });
  const answer = await served.app.client().request("POST", "/api/auth/oauth2/device_authorization", {
    text: new URLSearchParams({ client_id: client.clientId, scope: "openid keys:sign" }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  await page.goto(answer.body.verification_uri_complete);
  await page.locator("#device-approval fieldset:enabled").first().waitFor();
}

/** The pages on which a user lets an application use keys. */
export const ACCESS_STATES: readonly PageState[] = [
  { name: "consent-keys", open: askForKeys },
  { name: "device-code", open: goTo("/device") },
  { name: "device-code-wrong", open: goTo("/device?user_code=BBBB-BBBB") },
  { name: "device", open: askOnDevice },
];
