import type MailComposer from "nodemailer/lib/mail-composer";
import type SmtpConnection from "nodemailer/lib/smtp-connection";
import { SECOND } from "../lib/time.ts";
import type { QueuedMail } from "./mailer.ts";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (RFC 8314), mandatory STARTTLS (RFC 3207), or none: only for a server on this machine. */
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

export interface MailFrom {
  readonly name: string;
  readonly address: string;
}

/** Timeouts in milliseconds. */
export interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  /** Between two packets of the server. */
  readonly silence: number;
  /** From the first packet to the last response. */
  readonly whole: number;
}

export const SMTP_TIMEOUTS: SmtpTimeouts = {
  connect: 10 * SECOND,
  greeting: 10 * SECOND,
  silence: 20 * SECOND,
  whole: 60 * SECOND,
};

/** A server's response is a few lines. Anything longer is not from a mail server. */
const LONGEST_ANSWER = 65_536;

export class SmtpError extends Error {
  /** True if a retry is useless: a 5xx response to the sender, the address or the message. */
  readonly isPermanent: boolean;

  /** `message` is for logs: the library's and the server's code, never their texts, which may hold an address. */
  constructor(message: string, { isPermanent }: { isPermanent: boolean }) {
    super(message);
    this.name = "SmtpError";
    this.isPermanent = isPermanent;
  }
}

export interface MailTransport {
  /** Resolves once the server has accepted the mail. Throws `SmtpError`, after `whole` at the latest. */
  send(id: string, mail: QueuedMail): Promise<void>;
  /** Aborts all mails being sent: each `send` throws `SmtpError`. */
  close(): void;
}

export interface SmtpOptions {
  readonly from: MailFrom;
  /** The client's name in EHLO. */
  readonly clientName: string;
  readonly timeouts: SmtpTimeouts;
  /** PEM certificates trusted instead of the platform's certificate authorities. */
  readonly ca?: string | readonly string[];
}

/** The library's codes for a refusal of the mail itself. Other errors concern the connection and may be temporary. */
const REFUSALS = ["EENVELOPE", "EMESSAGE"];

/** 530 requires authentication (RFC 4954 section 6): a fault of the configuration, not of the mail. */
const LOGIN_WANTED = 530;

function toSmtpError(error: unknown): SmtpError {
  if (error instanceof SmtpError) return error;
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const reply = typeof responseCode === "number" ? responseCode : 0;
  const isPermanent = REFUSALS.includes(String(code)) && reply >= 500 && reply !== LOGIN_WANTED;
  return new SmtpError([code ?? "ERROR", ...(reply > 0 ? [reply] : [])].join(" "), { isPermanent });
}

interface Library {
  readonly MailComposer: typeof MailComposer;
  readonly SmtpConnection: typeof SmtpConnection;
}

/** Loads nodemailer. Called only where mails are sent: it takes a tenth of the start time. */
async function loadLibrary(): Promise<Library> {
  const [composer, connection] = await Promise.all([
    import("nodemailer/lib/mail-composer"),
    import("nodemailer/lib/smtp-connection"),
  ]);
  return { MailComposer: composer.default, SmtpConnection: connection.default };
}

/** Returns the message in wire format (RFC 5322). A mail that is sent twice has the same Message-ID. */
async function compose(
  { MailComposer }: Library,
  { id, mail, from }: { readonly id: string; readonly mail: QueuedMail; readonly from: MailFrom },
): Promise<Uint8Array> {
  const message = new MailComposer({
    from: { ...from },
    to: { name: "", address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${id}@${from.address.split("@")[1]}>`,
    date: new Date(mail.createdAt),
    headers: { "Auto-Submitted": "auto-generated" }, // RFC 3834 section 5: prevents automatic replies
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return await message.compile().build();
}

function connectTo(
  { SmtpConnection }: Library,
  server: SmtpServer,
  { clientName, timeouts, ca }: SmtpOptions,
): SmtpConnection {
  return new SmtpConnection({
    host: server.host,
    port: server.port,
    name: clientName,
    secure: server.security === "tls",
    requireTLS: server.security === "starttls",
    ignoreTLS: server.security === "none",
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(ca !== undefined && { ca: [ca].flat() }) },
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    dnsTimeout: timeouts.connect,
    socketTimeout: timeouts.silence,
    socketCloseTimeout: 0,
    maxResponseSize: LONGEST_ANSWER,
  });
}

/** Submits one message over a connection of its own. Rejects if any step fails. */
async function submit(
  connection: SmtpConnection,
  { login }: SmtpServer,
  { from, to, message }: { from: string; to: string; message: Uint8Array },
): Promise<void> {
  const step = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => begin((error) => error ? reject(error) : resolve()));
  await step((done) => connection.connect(done));
  if (login !== undefined) {
    const credentials = { user: login.user, pass: login.password };
    await step((done) => connection.login({ ...credentials, credentials }, done));
  }
  await step((done) => connection.send({ from, to: [to] }, message as Buffer, done));
  connection.quit();
}

/**
 * Creates a transport to a mail server over SMTP (RFC 5321), with a connection per mail. Verifies certificates. With
 * `starttls`, sends nothing before TLS is established (RFC 3207). It refuses a server that does not offer TLS, or
 * whose offer an attacker removed.
 */
export function createSmtpTransport(server: SmtpServer, options: SmtpOptions): MailTransport {
  const open = new Set<() => void>();
  // Loads the library at once, because an attacker may have replaced its files by the time of the first mail.
  const loading = loadLibrary();
  loading.catch(() => {});
  const send: MailTransport["send"] = async (id, mail) => {
    const library = await loading;
    const message = await compose(library, { id, mail, from: options.from });
    const connection = connectTo(library, server, options);
    const { promise: broken, reject } = Promise.withResolvers<never>();
    connection.on("error", reject);
    connection.on("end", () => reject(new SmtpError("CLOSED", { isPermanent: false })));
    const abort = (): void => reject(new SmtpError("BROKEN_OFF", { isPermanent: false }));
    open.add(abort);
    const limit = setTimeout(
      () => reject(new SmtpError("TOO_SLOW", { isPermanent: false })),
      options.timeouts.whole,
    );
    try {
      const mailing = { from: options.from.address, to: mail.to, message };
      await Promise.race([submit(connection, server, mailing), broken]);
    } catch (error) {
      connection.close();
      throw toSmtpError(error);
    } finally {
      clearTimeout(limit);
      open.delete(abort);
    }
  };
  return { send, close: () => open.forEach((abort) => abort()) };
}
