// Opens the database at the first argument, waits until the time of the second, runs all jobs of the third at once and
// prints how many succeeded.
import process from "node:process";
import { redeemEmailCode } from "../../../src/accounts/email/email-code.ts";
import { removePasskey } from "../../../src/accounts/manage-passkey.ts";
import type { SignedIn } from "../../../src/accounts/session/session.ts";
import { signIn } from "../../../src/accounts/sign-in.ts";
import type { SignUpTicket } from "../../../src/accounts/sign-up-ticket.ts";
import { createGroupCommit } from "../../../src/db/group-commit.ts";
import { closeDatabase, openDatabase } from "../../../src/db/database.ts";
import { finishSignUp } from "../../../src/accounts/sign-up.ts";
import { UNLIMITED } from "../../../src/limits/rate-limit.ts";
import { openAt } from "../../support/postgres.ts";
import { createTestAuthority, createTestVault } from "../../support/vault.ts";
import { AT, BROWSER, firstKey } from "../people.ts";

/** A job for a process. */
export type Job =
  | { readonly kind: "redeem"; readonly email: string; readonly code: string }
  | { readonly kind: "sign-in"; readonly response: unknown }
  | { readonly kind: "remove-passkey"; readonly signedIn: SignedIn; readonly passkeyId: string }
  | { readonly kind: "sign-up"; readonly ticket: SignUpTicket; readonly response: unknown };

const [path, startAt, jobs] = process.argv.slice(2);
const db = await openDatabase(await openAt(path!));
const vault = createTestVault();
const mailer = { queued: () => {} };
const groupCommit = createGroupCommit(db);
const services = { vault, authority: createTestAuthority(vault), limits: UNLIMITED, mailer, groupCommit };

async function run(job: Job): Promise<void> {
  const value = { ...AT, browserHash: BROWSER };
  if (job.kind === "redeem") await redeemEmailCode(db, services, { ...value, ...job });
  else if (job.kind === "sign-in") await signIn(db, services, { ...value, ...job });
  else if (job.kind === "remove-passkey") await removePasskey(db, services, { ...value, ...job });
  else {await finishSignUp(db, services, {
      ...value,
      ...job,
      name: undefined,
      createFirstKey: firstKey(services),
    });}
}

await new Promise((resolve) => setTimeout(resolve, Number(startAt) - Date.now()));
const all = await Promise.allSettled((JSON.parse(jobs!) as Job[]).map(run));
await closeDatabase(db);
process.stdout.write(String(all.filter(({ status }) => status === "fulfilled").length));
