import assert from "node:assert/strict";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { repairAccount } from "../../src/recovery/repair-account.ts";
import type { Repair, RepairRefusal } from "../../src/recovery/repair-account.ts";
import { createTestApp } from "./app.ts";
import type { TestApp } from "./app.ts";
import { registerPasskey, signUp } from "./client.ts";
import type { Client } from "./client.ts";
import { ALICE } from "./recovery.ts";
import { openSecondHandle } from "./state.ts";

/** An account with a key, a token and a second passkey. */
export interface Stage {
  readonly app: TestApp;
  readonly db: Db;
  readonly owner: Client;
  /** Signs in with the second passkey. */
  readonly second: Client;
  readonly accountId: string;
  readonly firstPasskeyId: string;
  readonly keyPath: string;
  readonly headers: { authorization: string };
}

export async function setStage(): Promise<Stage> {
  const app = await createTestApp();
  const owner = app.client();
  const { body } = await signUp(owner, ALICE);
  const [{ id: firstPasskeyId }] = (await owner.get("/api/auth/passkeys")).body.passkeys;
  const second = { ...owner, authenticator: app.client().authenticator };
  assert.equal((await registerPasskey(second, "present")).status, 201);
  const made = await owner.post("/api/auth/tokens", { name: "CI", keys: "all", actions: ["read", "sign"] });
  return {
    app,
    db: app.db,
    owner,
    second,
    accountId: body.account.id,
    firstPasskeyId,
    keyPath: `/api/keys/${body.key.id}`,
    headers: { authorization: `Bearer ${made.body.text}` },
  };
}

/** Starts another process, which has nothing in memory. */
export async function start({ app, db }: Stage): Promise<TestApp> {
  const started = await createTestApp({ db: openSecondHandle(db), vault: app.vault });
  started.now = app.now;
  return started;
}

/** Creates a browser of a process with the passkey of a client, and its cookies if they are wanted. */
export function browserAt(app: TestApp, { authenticator, cookies }: Client, which?: "with cookies"): Client {
  const client = { ...app.client(), authenticator };
  if (which !== undefined) { for (const [name, value] of cookies) client.cookies.set(name, value); }
  return client;
}

export async function repair(
  { app, db, accountId }: Stage,
  { isDry = false, id = accountId } = {},
): Promise<Repair | RepairRefusal> {
  const request = { accountId: id, now: app.now, isDry, onPage: () => {} };
  return await repairAccount(openSecondHandle(db), app.vault, request);
}

export async function rowsOf<T extends keyof Tables>({ db }: Stage, table: T): Promise<object[]> {
  return await db.selectFrom(table).selectAll().execute() as object[];
}

export async function put({ db }: Stage, table: keyof Tables, rows: readonly object[]): Promise<void> {
  for (const row of rows) {
    await db.insertInto(table).values(row as never)
      .onConflict((conflict) => conflict.column("id" as never).doUpdateSet(row as never)).execute();
  }
}

/** Restores the rows of a table after an act of the owner. */
export async function undo(
  stage: Stage,
  table: keyof Tables,
  act: () => Promise<{ status: number }>,
): Promise<void> {
  const before = await rowsOf(stage, table);
  const { status } = await act();
  assert.ok([200, 204].includes(status), String(status));
  await put(stage, table, before);
}
