import type MailComposer from "nodemailer/lib/mail-composer";
import type SmtpConnection from "nodemailer/lib/smtp-connection";
import { SECOND } from "../lib/time.ts";
import type { QueuedMail } from "./mailer.ts";

/** Where mail is handed in. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (RFC 8314), STARTTLS that must succeed (RFC 3207), or none: on this machine only. */
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

/** Whom mails come from. */
export interface MailFrom {
  readonly name: string;
  readonly address: string;
}

/** How long a server may take, in milliseconds. */
export interface SmtpPatience {
  readonly connect: number;
  readonly greeting: number;
  /** Between two signs of life. */
  readonly silence: number;
  /** For everything, from the first packet to the last answer. */
  readonly whole: number;
}

export const SMTP_PATIENCE: SmtpPatience = {
  connect: 10 * SECOND,
  greeting: 10 * SECOND,
  silence: 20 * SECOND,
  whole: 60 * SECOND,
};

/** A server's answer is a few lines: what is longer is no mail server. */
const LONGEST_ANSWER = 65_536;

/** A mail that a server did not take. */
export class SmtpError extends Error {
  /** Whether the same mail will never be taken: 5xx to the sender, the address or the message. */
  readonly isPermanent: boolean;

  /** `message` is for logs: the library's code and the server's, never its words, which may hold an address. */
  constructor(message: string, { isPermanent }: { isPermanent: boolean }) {
    super(message);
    this.name = "SmtpError";
    this.isPermanent = isPermanent;
  }
}

/** What hands mails in. */
export interface MailTransport {
  /** Resolves once the server has taken the mail for delivery. Throws `SmtpError`, after `whole` at the latest. */
  send(id: string, mail: QueuedMail): Promise<void>;
  /** Breaks off whatever is being sent: each throws `SmtpError`. */
  close(): void;
}

/** What the transport needs besides the server. */
export interface SmtpOptions {
  readonly from: MailFrom;
  /** How we call ourselves (EHLO). */
  readonly clientName: string;
  readonly patience: SmtpPatience;
  /** Trusted in place of the platform's certificate authorities: PEM. */
  readonly ca?: string | readonly string[];
}

/** Codes of the library for a refusal of this very mail; any other concerns the connection and may mend itself. */
const REFUSALS = ["EENVELOPE", "EMESSAGE"];

/** 530 asks for a login (RFC 4954 section 6): that is the configuration's fault, not the mail's. */
const LOGIN_WANTED = 530;

function toSmtpError(error: unknown): SmtpError {
  if (error instanceof SmtpError) return error;
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const reply = typeof responseCode === "number" ? responseCode : 0;
  const isPermanent = REFUSALS.includes(String(code)) && reply >= 500 && reply !== LOGIN_WANTED;
  return new SmtpError([code ?? "ERROR", ...(reply > 0 ? [reply] : [])].join(" "), { isPermanent });
}

/** What nodemailer is used for. */
interface Library {
  readonly MailComposer: typeof MailComposer;
  readonly SmtpConnection: typeof SmtpConnection;
}

/** Loaded only where mails are sent: it takes a tenth of a start. */
async function loadLibrary(): Promise<Library> {
  const [composer, connection] = await Promise.all([
    import("nodemailer/lib/mail-composer"),
    import("nodemailer/lib/smtp-connection"),
  ]);
  return { MailComposer: composer.default, SmtpConnection: connection.default };
}

/** The message as it goes over the wire (RFC 5322). A mail that is sent twice has the same Message-ID. */
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
    headers: { "Auto-Submitted": "auto-generated" }, // RFC 3834 section 5: no answers from absent people
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return await message.compile().build();
}

function connectTo(
  { SmtpConnection }: Library,
  server: SmtpServer,
  { clientName, patience, ca }: SmtpOptions,
): SmtpConnection {
  return new SmtpConnection({
    host: server.host,
    port: server.port,
    name: clientName,
    secure: server.security === "tls",
    requireTLS: server.security === "starttls",
    ignoreTLS: server.security === "none",
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(ca !== undefined && { ca: [ca].flat() }) },
    connectionTimeout: patience.connect,
    greetingTimeout: patience.greeting,
    dnsTimeout: patience.connect,
    socketTimeout: patience.silence,
    socketCloseTimeout: 0,
    maxResponseSize: LONGEST_ANSWER,
  });
}

/** Hands one message in over a connection of its own, step by step; whichever step fails, all fails. */
async function handIn(
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
 * A transport to a mail server over SMTP (RFC 5321), a connection for each mail. Certificates are verified, and with
 * `starttls` nothing is said before TLS is up (RFC 3207): a server that does not offer it, or from whose offer
 * somebody took it away, is refused.
 */
export function createSmtpTransport(server: SmtpServer, options: SmtpOptions): MailTransport {
  const open = new Set<() => void>();
  // At once, and not with the first mail: by then somebody may have put other files in its place.
  const loading = loadLibrary();
  loading.catch(() => {});
  const send: MailTransport["send"] = async (id, mail) => {
    const library = await loading;
    const message = await compose(library, { id, mail, from: options.from });
    const connection = connectTo(library, server, options);
    const { promise: broken, reject } = Promise.withResolvers<never>();
    connection.on("error", reject);
    connection.on("end", () => reject(new SmtpError("CLOSED", { isPermanent: false })));
    const breakOff = (): void => reject(new SmtpError("BROKEN_OFF", { isPermanent: false }));
    open.add(breakOff);
    const limit = setTimeout(
      () => reject(new SmtpError("TOO_SLOW", { isPermanent: false })),
      options.patience.whole,
    );
    try {
      const mailing = { from: options.from.address, to: mail.to, message };
      await Promise.race([handIn(connection, server, mailing), broken]);
    } catch (error) {
      connection.close();
      throw toSmtpError(error);
    } finally {
      clearTimeout(limit);
      open.delete(breakOff);
    }
  };
  return { send, close: () => open.forEach((breakOff) => breakOff()) };
}
