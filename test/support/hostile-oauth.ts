import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import type { Tables } from "../../src/db/schema/schema.ts";
import { createTestApp } from "./app.ts";
import type { TestApp } from "./app.ts";
import { dropMemory, isInconsistent } from "./inconsistent.ts";
import { signUp } from "./client.ts";
import type { Answer, Client } from "./client.ts";
import { providerOf, registerClient } from "./oauth.ts";
import type { Provider, Registered } from "./oauth.ts";

/**
 * An attack by the operator, who can write anything into the database, and has an account and an application. Each
 * edit tries to impersonate the victim at an application, or to get what another application was granted.
 */
export interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly provider: Provider;
  readonly victim: Client;
  readonly operator: Client;
  readonly victimId: string;
  readonly operatorId: string;
  /** The application that the victim uses. */
  readonly books: Registered;
  /** The operator's own application. */
  readonly evil: Registered;
}

/** Creates the victim and the operator, both signed in, and two applications. */
export async function setStage(): Promise<Stage> {
  const app = await createTestApp();
  const provider = providerOf(app);
  const [victim, operator] = [app.client("127.0.0.1"), app.client("127.0.0.2")];
  const [victims, operators] = [
    await signUp(victim, "victim@example.com"),
    await signUp(operator, "op@example.com"),
  ];
  return {
    app,
    provider,
    victim,
    operator,
    victimId: victims.body.account.id,
    operatorId: operators.body.account.id,
    books: await registerClient(provider),
    evil: await registerClient(provider, { name: "Evil", redirectUris: ["https://evil.example/cb"] }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

export type Row = Record<string, unknown>;

/** Returns the one matching row of a table. */
export async function row({ app }: Stage, table: keyof Tables, where: string): Promise<Row> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${sql.raw(where)}`.execute(app.db);
  assert.equal(rows.length, 1, `one row of ${table} where ${where}`);
  return { ...rows[0] };
}

/** Runs a statement. Fails if it changes nothing. */
export async function edit({ app }: Stage, statement: string): Promise<void> {
  const { numAffectedRows } = await sql.raw(statement).execute(app.db);
  assert.notEqual(numAffectedRows, 0n, `the edit changes something: ${statement}`);
  dropMemory(app.db);
}

export async function insert({ app }: Stage, table: keyof Tables, values: Row): Promise<void> {
  await app.db.insertInto(table).values(values as never).execute();
  dropMemory(app.db);
}

/** Asserts that the token endpoint refuses, and returns no token. */
export function assertRefused(answer: Answer, error = "invalid_grant"): void {
  if (isInconsistent(answer)) return;
  assert.equal(answer.body?.error, error, `${answer.status} ${answer.text}`);
  assert.ok(answer.status === 400 || answer.status === 401);
  assert.equal(answer.body.access_token, undefined);
}

export function assertNoCode(answer: Answer): void {
  assert.doesNotMatch(answer.headers.get("location") ?? "", /code=/);
  assert.ok(answer.status === 400 || answer.status === 303 || isInconsistent(answer), answer.text);
}

/** A secret that the operator chose. */
export const CHOSEN = "A".repeat(43);

/** Returns a text in the form of a code or refresh token: the chosen secret, a row's id and the account's. */
export function tokenOf(id: unknown, accountId: string): string {
  return [CHOSEN, ...[id, accountId].map((each) => String(each).split("_")[1]!)].join("");
}

/** The random part of an id that no row has. */
export const SOME_ID = "0".repeat(26);

/** The attacks by their names: each edits the database and tries to profit. */
export type Attacks = Readonly<Record<string, (stage: Stage) => Promise<void>>>;

/** Creates a test of each attack, on its own stage. */
export function testAttacks(attacks: Attacks): void {
  for (const [name, attack] of Object.entries(attacks)) {
    test(name, async () => {
      await using stage = await setStage();
      await attack(stage);
      assert.equal(stage.app.logged.some((line) => line.includes("internal_error")), false);
    });
  }
}
