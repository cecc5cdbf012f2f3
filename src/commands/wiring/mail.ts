import { readFileSync } from "node:fs";
import process from "node:process";
import type { Config, Secrets } from "../../config.ts";
import { isDevelopment } from "../../config/loopback.ts";
import type { Db } from "../../db/schema.ts";
import type { Log } from "../../lib/log.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { createSmtpTransport, SMTP_PATIENCE } from "../../mail/smtp.ts";
import { startMailWorker } from "../../mail/worker.ts";
import type { Vault } from "../../vault/vault.ts";
import { createMailPrinter } from "./log.ts";
import { random } from "./random.ts";
import { StartRefusal } from "../refusal.ts";

/** Who is told of mails, and what must stop with the service. */
export interface RunningMail {
  readonly mailer: Mailer;
  stop(): Promise<void>;
}

/** The public authorities and those of a file. Deno's TLS sockets do not look at the variable by themselves. */
function readAuthorities(file: string): readonly string[] {
  // Loaded where it is needed: with it come all authorities, and half of what a start takes.
  const { rootCertificates } = process.getBuiltinModule("node:tls");
  return [...rootCertificates, readText(file)];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new StartRefusal("NODE_EXTRA_CA_CERTS names a file that cannot be read", { cause });
  }
}

/**
 * Starts sending mails where a server is configured. Where none is, development shows them at the terminal, and
 * production, which has other ways to sign up, keeps them until they expire.
 */
export function startMail(
  { mailFrom, authoritiesFile }: Pick<Config, "mailFrom" | "authoritiesFile">,
  { smtp }: Pick<Secrets, "smtp">,
  { db, vault, log, baseUrl }: { db: Db; vault: Vault; log: Log; baseUrl: string },
): RunningMail {
  if (smtp === undefined || mailFrom === undefined) {
    const mailer = isDevelopment(baseUrl) ? createMailPrinter(log) : { queued: () => {} };
    return { mailer, stop: () => Promise.resolve() };
  }
  const clientName = new URL(baseUrl).hostname;
  const transport = createSmtpTransport(smtp, {
    from: mailFrom,
    clientName,
    patience: SMTP_PATIENCE,
    ...(authoritiesFile !== undefined && { ca: readAuthorities(authoritiesFile) }),
  });
  const worker = startMailWorker(db, { vault, transport, random, now: Date.now, log });
  return { mailer: { queued: () => worker.wake() }, stop: () => worker.stop() };
}
