import process from "node:process";
import type { Config, Secrets } from "../../config/config.ts";
import { isDevelopment } from "../../config/mode.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Log } from "../../lib/log.ts";
import type { Metrics } from "../../lib/metrics.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { createSmtpTransport, SMTP_TIMEOUTS } from "../../mail/smtp.ts";
import { startMailWorker } from "../../mail/delivery.ts";
import type { Vault } from "../../vault/vault.ts";
import { PlainFileError, readCertificates } from "../../runtime/plain-file.ts";
import { createMailPrinter } from "../process/log.ts";
import { random } from "../process/random.ts";
import { StartRefusal } from "../process/refusal.ts";

export interface RunningMail {
  readonly mailer: Mailer;
  stop(): Promise<void>;
}

/**
 * Reads the file of `NODE_EXTRA_CA_CERTS`. Throws `StartRefusal`. Must run before the first use of TLS, because a
 * runtime then reads the file itself without a check of its kind.
 */
export function readAuthorities({ authoritiesFile }: Pick<Config, "authoritiesFile">): string | undefined {
  if (authoritiesFile === undefined) return undefined;
  try {
    return readCertificates(authoritiesFile);
  } catch (error) {
    if (!(error instanceof PlainFileError)) throw error;
    throw new StartRefusal(`NODE_EXTRA_CA_CERTS names a file that cannot be used: ${error.message}`, {
      cause: error,
    });
  }
}

/** Returns the public authorities and others. Deno's TLS sockets ignore the variable. */
function publicAnd(authorities: string): readonly string[] {
  // Loaded on demand: it loads all authorities, which takes half of a start.
  const { rootCertificates } = process.getBuiltinModule("node:tls");
  return [...rootCertificates, authorities];
}

/**
 * Starts sending mails if a server is configured. Otherwise development prints them. Production, which then has other
 * ways to sign up, keeps them until they expire.
 */
export function startMail(
  { mailFrom }: Pick<Config, "mailFrom">,
  { smtp }: Pick<Secrets, "smtp">,
  { db, vault, log, metrics, baseUrl, authorities }: {
    readonly db: Db;
    readonly metrics: Metrics;
    readonly vault: Vault;
    readonly log: Log;
    readonly baseUrl: string;
    /** Additional authorities, from `readAuthorities`. */
    readonly authorities: string | undefined;
  },
): RunningMail {
  if (smtp === undefined || mailFrom === undefined) {
    const mailer = isDevelopment(baseUrl) ? createMailPrinter(log) : { queued: () => {} };
    return { mailer, stop: () => Promise.resolve() };
  }
  const clientName = new URL(baseUrl).hostname;
  const transport = createSmtpTransport(smtp, {
    from: mailFrom,
    clientName,
    timeouts: SMTP_TIMEOUTS,
    ...(authorities !== undefined && { ca: publicAnd(authorities) }),
  });
  const worker = startMailWorker(db, { vault, transport, random, now: Date.now, log, metrics });
  return { mailer: { queued: () => worker.wake() }, stop: () => worker.stop() };
}
