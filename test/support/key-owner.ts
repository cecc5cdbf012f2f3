import { createTestApp } from "./app.ts";
import type { TestApp } from "./app.ts";
import { signUp } from "./client.ts";
import type { Client } from "./client.ts";

/** A service with one signed-in user who has a key. */
export interface KeyOwner extends AsyncDisposable {
  readonly app: TestApp;
  readonly client: Client;
  readonly keyId: string;
}

export async function createKeyOwner(rateLimits: "on" | "off" = "off"): Promise<KeyOwner> {
  const app = await createTestApp({ rateLimits });
  const client = app.client();
  const { key } = (await signUp(client, "ada@example.com")).body;
  return { app, client, keyId: key.id, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}
