import assert from "node:assert/strict";
import { createTestApp, ORIGIN } from "./app.ts";
import type { TestApp } from "./app.ts";
import { signUp } from "./client.ts";
import type { Answer, Client } from "./client.ts";

export const ALICE = "alice@example.com";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const MINUTE = 60_000;

export interface OutboxMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly createdAt: string;
}

/** Returns the mails to an address, newest first. */
export async function mailsTo(client: Client, email: string): Promise<readonly OutboxMail[]> {
  return (await allMails(client)).filter(({ to }) => to === email);
}

/** Returns the newest recovery code mailed to an address. */
export async function readProof(client: Client, email: string): Promise<string> {
  for (const { text } of await mailsTo(client, email)) {
    const code = /^ {4}([0-9A-Z]{4}-[0-9A-Z]{4})$/m.exec(text)?.[1];
    if (code !== undefined) return code;
  }
  return assert.fail(`no code for a recovery was sent to ${email}`);
}

export async function fetchProof(client: Client, email: string): Promise<{ email: string; code: string }> {
  const sent = await client.post("/api/auth/recovery/email-code", { email });
  assert.equal(sent.status, 200, sent.text);
  return { email, code: await readProof(client, email) };
}

export async function makeCodes(client: Client): Promise<readonly string[]> {
  const made = await client.post("/api/auth/way-back/codes", {});
  assert.equal(made.status, 201, made.text);
  return made.body.codes;
}

/** Begins a recovery with a mailed code and, if given, a recovery code. */
export async function begin(client: Client, email: string, recoveryCode?: string): Promise<Answer> {
  const proof = await fetchProof(client, email);
  return await client.post("/api/auth/recovery", {
    ...proof,
    ...(recoveryCode === undefined ? {} : { recoveryCode }),
  });
}

/** Lets time pass while the service runs. Returns the subjects of the mails sent meanwhile, in order. */
export async function pass(app: TestApp, milliseconds: number): Promise<readonly string[]> {
  const client = app.client();
  const subjects: string[] = [];
  await app.maintain();
  const known = new Set((await allMails(client)).map(keyOf));
  for (let left = milliseconds; left > 0; left -= DAY) {
    app.now += Math.min(left, DAY);
    await app.maintain();
    for (const mail of (await allMails(client)).toReversed()) {
      if (!known.has(keyOf(mail))) subjects.push(mail.subject);
      known.add(keyOf(mail));
    }
  }
  return subjects;
}

function keyOf({ to, subject, createdAt }: OutboxMail): string {
  return `${createdAt} ${to} ${subject}`;
}

async function allMails(client: Client): Promise<readonly OutboxMail[]> {
  return (await client.get("/dev/outbox", { headers: { accept: "application/json" } })).body.messages;
}

/** Registers the passkey of a ready recovery. `evidence` is a new mailed code by default. */
export async function finish(
  client: Client,
  email: string,
  evidence?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const shown = evidence ?? await fetchProof(client, email);
  const options = await client.post("/api/auth/recovery/passkey/options", shown);
  if (options.status !== 200) return options;
  const response = await client.authenticator.register(options.body, { origin: ORIGIN });
  return await client.post("/api/auth/recovery/passkey", { response });
}

/** Returns the path of the cancel link in the newest mail that has one. */
export async function cancelLink(client: Client, email: string): Promise<string> {
  for (const { text } of await mailsTo(client, email)) {
    const link = /^http\S+(\/recover\/cancel\?\S+)$/m.exec(text)?.[1];
    if (link !== undefined) return link;
  }
  return assert.fail(`no mail to ${email} has a link that cancels`);
}

/** Submits the cancel form that a link leads to. */
export async function pressCancel(client: Client, link: string): Promise<Answer> {
  const text = new URL(link, ORIGIN).search.slice(1);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return await client.post("/recover/cancel", undefined, { text, headers });
}

/** Returns the recovery events of the account's log, oldest first. */
export async function actsOf(client: Client): Promise<readonly string[]> {
  const { events } = (await client.get("/api/audit")).body;
  return events.filter(({ event }: { event: string }) => event === "recovery_changed")
    .map(({ detail }: { detail: { act: string } }) => detail.act).reverse();
}

export async function stepUp(client: Client, action: string): Promise<void> {
  const options = await client.post("/api/auth/step-up/options", { action });
  const response = await client.authenticator.authenticate(options.body, { origin: ORIGIN });
  const answer = await client.post("/api/auth/step-up", { action, response });
  assert.equal(answer.status, 200, answer.text);
}

/** An account with recovery codes, and a browser without a session. */
export interface RecoveryStage extends AsyncDisposable {
  readonly app: TestApp;
  readonly alice: Client;
  readonly keyId: string;
  readonly codes: readonly string[];
  readonly other: Client;
}

export async function setRecoveryStage(): Promise<RecoveryStage> {
  const app = await createTestApp();
  const alice = app.client("127.0.0.1");
  const keyId = (await signUp(alice, ALICE)).body.key.id;
  const codes = await makeCodes(alice);
  const other = app.client("127.0.0.9");
  return { app, alice, keyId, codes, other, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Returns the subjects of the mails to an address, oldest first. */
export async function subjectsTo(client: Client, email = ALICE): Promise<readonly string[]> {
  return (await mailsTo(client, email)).map(({ subject }) => subject).reverse();
}

export function codesOf(
  ...answers: readonly { readonly body: { readonly code?: string } }[]
): readonly unknown[] {
  return answers.map(({ body }) => body.code);
}
