import assert from "node:assert/strict";
import { createTestApp, ORIGIN } from "./app.ts";
import type { TestApp } from "./app.ts";
import { signUp } from "./client.ts";
import type { Answer, Client } from "./client.ts";

/** Whose account it is. */
export const ALICE = "alice@example.com";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const MINUTE = 60_000;

/** A mail as the development outbox shows it. */
export interface OutboxMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly createdAt: string;
}

/** The mails to an address, the newest first. */
export async function mailsTo(client: Client, email: string): Promise<readonly OutboxMail[]> {
  return (await allMails(client)).filter(({ to }) => to === email);
}

/** The newest code for a recovery that was sent to an address. */
export async function readProof(client: Client, email: string): Promise<string> {
  for (const { text } of await mailsTo(client, email)) {
    const code = /^ {4}([0-9A-Z]{4}-[0-9A-Z]{4})$/m.exec(text)?.[1];
    if (code !== undefined) return code;
  }
  return assert.fail(`no code for a recovery was sent to ${email}`);
}

/** Has a code sent to an address and reads it. */
export async function fetchProof(client: Client, email: string): Promise<{ email: string; code: string }> {
  const sent = await client.post("/api/auth/recovery/email-code", { email });
  assert.equal(sent.status, 200, sent.text);
  return { email, code: await readProof(client, email) };
}

/** Makes recovery codes for whoever is signed in. */
export async function makeCodes(client: Client): Promise<readonly string[]> {
  const made = await client.post("/api/auth/way-back/codes", {});
  assert.equal(made.status, 201, made.text);
  return made.body.codes;
}

/** Begins a recovery with codes from the mailbox and, if one is given, from the sheet. */
export async function begin(client: Client, email: string, recoveryCode?: string): Promise<Answer> {
  const proof = await fetchProof(client, email);
  return await client.post("/api/auth/recovery", {
    ...proof,
    ...(recoveryCode === undefined ? {} : { recoveryCode }),
  });
}

/** Lets time pass while the service runs; the subjects of the mails that were sent meanwhile, in order. */
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

/** Makes the passkey of a recovery that has waited; `evidence` is by default a new code from the mailbox. */
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

/** The path of the link in the newest mail that has one which cancels. */
export async function cancelLink(client: Client, email: string): Promise<string> {
  for (const { text } of await mailsTo(client, email)) {
    const link = /^http\S+(\/recover\/cancel\?\S+)$/m.exec(text)?.[1];
    if (link !== undefined) return link;
  }
  return assert.fail(`no mail to ${email} has a link that cancels`);
}

/** Presses the button of the page that a link leads to. */
export async function pressCancel(client: Client, link: string): Promise<Answer> {
  const text = new URL(link, ORIGIN).search.slice(1);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return await client.post("/recover/cancel", undefined, { text, headers });
}

/** What became of the account's way back, as its log tells, the oldest first. */
export async function actsOf(client: Client): Promise<readonly string[]> {
  const { events } = (await client.get("/api/audit")).body;
  return events.filter(({ event }: { event: string }) => event === "recovery_changed")
    .map(({ detail }: { detail: { act: string } }) => detail.act).reverse();
}

/** Confirms an action with a passkey. */
export async function stepUp(client: Client, action: string): Promise<void> {
  const options = await client.post("/api/auth/step-up/options", { action });
  const response = await client.authenticator.authenticate(options.body, { origin: ORIGIN });
  const answer = await client.post("/api/auth/step-up", { action, response });
  assert.equal(answer.status, 200, answer.text);
}

/** Somebody with an account and recovery codes, and a browser in which nobody has signed in. */
export interface RecoveryStage extends AsyncDisposable {
  readonly app: TestApp;
  readonly alice: Client;
  readonly keyId: string;
  readonly codes: readonly string[];
  readonly other: Client;
}

/** Sets it. */
export async function setRecoveryStage(): Promise<RecoveryStage> {
  const app = await createTestApp();
  const alice = app.client("127.0.0.1");
  const keyId = (await signUp(alice, ALICE)).body.key.id;
  const codes = await makeCodes(alice);
  const other = app.client("127.0.0.9");
  return { app, alice, keyId, codes, other, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** The subjects of the mails to an address, the oldest first. */
export async function subjectsTo(client: Client, email = ALICE): Promise<readonly string[]> {
  return (await mailsTo(client, email)).map(({ subject }) => subject).reverse();
}

/** The codes of the problems of answers. */
export function codesOf(
  ...answers: readonly { readonly body: { readonly code?: string } }[]
): readonly unknown[] {
  return answers.map(({ body }) => body.code);
}
