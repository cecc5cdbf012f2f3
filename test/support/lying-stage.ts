import assert from "node:assert/strict";
import { sql } from "kysely";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import { createTestApp } from "./app.ts";
import type { TestApp } from "./app.ts";
import { approve } from "./asking.ts";
import { signUp } from "./client.ts";
import type { Client } from "./client.ts";
import { openLyingDatabase } from "./lying-database.ts";
import type { LyingDatabase, Row } from "./lying-database.ts";
import { exchange, getCode, providerOf, registerClient } from "./oauth.ts";
import type { GivenCode, Registered, Tokens } from "./oauth.ts";

/** Every kind of row that grants authority. */
export const KINDS = Object.keys(AUTHORITY) as AuthorityKind[];

/**
 * A service over a database that may lie, a victim, and the operator, who controls the database and has an account.
 */
export interface Stage {
  readonly app: TestApp;
  readonly lying: LyingDatabase;
  readonly application: Registered;
  readonly operator: Client;
  readonly operatorKey: { readonly id: string; readonly address: string };
  /** A token of the operator, under a policy that counts. */
  readonly operatorProgram: string;
  /** A signing request of the operator's program, for the operator's approval. */
  readonly operatorRequest: string;
  readonly operatorCode: GivenCode;
  readonly operatorTokens: Tokens;
  readonly victimKeyId: string;
  /** The texts that no response to the operator may contain. */
  readonly victims: readonly string[];
  /** The victim's rows of each kind. */
  readonly rows: ReadonlyMap<AuthorityKind, readonly Row[]>;
}

/** Returns all rows of a kind unchanged. */
export async function rowsOf(app: TestApp, kind: AuthorityKind): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(kind)}`.execute(app.db);
  return rows.map((row) => ({ ...row }));
}

/** Creates the stage. The victim uses most features, so that rows of most kinds exist before the operator's. */
export async function setStage(): Promise<Stage> {
  const lying = await openLyingDatabase();
  const app = await createTestApp({ db: lying.db });
  const provider = providerOf(app);
  const application = await registerClient(provider);
  const victim = app.client("127.0.0.1");
  const { body } = await signUp(victim, "victim@example.com");
  const headers = { "idempotency-key": "once" };
  await victim.post("/api/keys/generate", {}, { headers });
  await exchange(provider, application, await getCode(victim, application));
  await getCode(victim, application);
  await victim.post("/api/auth/step-up/options", { action: "add_passkey" });
  const policy = { version: 1, messages: "any", raw: "ask", perDay: 10 };
  const program = { name: "CI", keys: "all", actions: ["sign"], policy };
  const victimProgram = (await victim.post("/api/auth/tokens", program)).body.text;
  const askFor = async (owner: Client, keyId: string, text: string, bytes: string): Promise<string> => {
    const authorization = { headers: { authorization: `Bearer ${text}` } };
    const signBody = { message: bytes, format: "raw" };
    return (await owner.post(`/api/keys/${keyId}/sign`, signBody, authorization)).body.request.id;
  };
  const asked = [
    await askFor(victim, body.key.id, victimProgram, "0xdead"),
    await askFor(victim, body.key.id, victimProgram, "0xbeef"),
  ];
  assert.equal((await approve(victim, asked[0]!)).status, 200);
  await app.client("127.0.0.3").post("/api/auth/email-code", { email: "victim-too@example.com" });
  const rows = new Map<AuthorityKind, readonly Row[]>();
  for (const kind of KINDS) rows.set(kind, await rowsOf(app, kind));
  const victims = [body.account.id, "victim@example.com", body.key.address, body.passkey?.id]
    .concat(asked, rows.get("session")!.map(({ id }) => id), rows.get("ethereum_key")!.map(({ id }) => id))
    .filter((text) => typeof text === "string");

  const operator = app.client("127.0.0.2");
  const own = (await signUp(operator, "op@example.com")).body;
  const tokens = await exchange(provider, application, await getCode(operator, application));
  const operatorProgram = (await operator.post("/api/auth/tokens", program)).body.text;
  return {
    app,
    lying,
    application,
    operator,
    operatorKey: own.key,
    operatorProgram,
    operatorRequest: await askFor(operator, own.key.id, operatorProgram, "0xdead"),
    operatorTokens: tokens.body,
    operatorCode: await getCode(operator, application),
    victimKeyId: body.key.id,
    victims,
    rows,
  };
}
