import assert from "node:assert/strict";
import type { TestApp } from "./app.ts";
import type { Answer, Client } from "./client.ts";
import { getTokens, providerOf, registerClient, userinfo } from "./oauth.ts";

export interface OutboxMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Returns the mails to an address, newest first. */
export async function mailsTo(client: Client, email: string): Promise<readonly OutboxMail[]> {
  const { body } = await client.get("/dev/outbox", { headers: { accept: "application/json" } });
  return body.messages.filter(({ to }: OutboxMail) => to === email);
}

/** Confirms an action with one of the client's passkeys. */
export async function confirm(client: Client, action: string): Promise<Answer> {
  const options = await client.post("/api/auth/step-up/options", { action });
  assert.equal(options.status, 200, options.text);
  const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
  const answer = await client.post("/api/auth/step-up", { action, response });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

/** Signs in at an application as the signed-in user. Returns a function that fetches the current claims. */
export async function userInfoOf(
  app: TestApp,
  browser: Client,
): Promise<() => Promise<{ email?: string; email_verified?: true; name?: string }>> {
  const provider = providerOf(app);
  const tokens = await getTokens(provider, browser, await registerClient(provider));
  return async () => (await userinfo(provider, tokens.access_token)).body;
}
