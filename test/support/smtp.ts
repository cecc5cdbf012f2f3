import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import type { SMTPServerOptions } from "smtp-server";

/** A mail that a server accepted. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The raw text, as received. */
  readonly raw: string;
  /** The authenticated user. */
  readonly user: string | undefined;
  readonly isSecure: boolean;
}

/** A mail server on this machine. */
export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly TakenMail[];
  taken(count: number): Promise<readonly TakenMail[]>;
}

/** The requirements and behaviour of a server. An error that its functions throw is its reply, with `responseCode`. */
export interface SmtpBehaviour extends SMTPServerOptions {
  readonly login?: { readonly user: string; readonly password: string };
  /** Called for each recipient, counted from 1. */
  readonly onRecipient?: (address: string, count: number) => void | Promise<void>;
  /** Called for each message, counted from 1. */
  readonly onMessage?: (count: number) => void | Promise<void>;
}

/** Creates a mail server's reply of refusal. */
export function smtpAnswer(responseCode: number): Error {
  return Object.assign(new Error("Refused by the test"), { responseCode });
}

/** Starts a real mail server on a free port of this machine. */
export async function startSmtpServer(behaviour: SmtpBehaviour = {}): Promise<TestSmtpServer> {
  const { login, onRecipient, onMessage, ...options } = behaviour;
  const mails: TakenMail[] = [];
  const waiting = new Set<() => void>();
  const counts = { recipients: 0, messages: 0 };
  const server = new SMTPServer({
    disableReverseLookup: true,
    authOptional: login === undefined,
    ...(options.secure === true || options.cert !== undefined ? {} : { disabledCommands: ["STARTTLS"] }),
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username })
        : done(smtpAnswer(535)),
    onRcptTo: ({ address }, _session, done) => {
      void (async () => await onRecipient?.(address, ++counts.recipients))().then(() => done(), done);
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        void (async () => await onMessage?.(++counts.messages))().then(() => {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            from: mailFrom === false ? "" : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString("utf8"),
            user: typeof session.user === "string" ? session.user : undefined,
            isSecure: session.secure,
          });
          done();
          for (const look of waiting) look();
        }, done);
      });
    },
    ...options,
  });
  // Without it, a client that aborts TLS would end this process.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    taken: async (count) => {
      while (mails.length < count) {
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
      return mails;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A server that follows a script: one reply for each line it receives, then it hangs or hangs up. */
export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  /** Every line that clients sent. */
  readonly received: string[];
}

/** Starts a server that replies by the script, beginning with its greeting. After the last reply it does `then`. */
export async function startScriptedServer(
  script: readonly string[],
  then: "hang" | "hang up",
): Promise<ScriptedServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const answers = [...script];
    const answer = (): void => {
      const next = answers.shift();
      if (next !== undefined) socket.write(next);
      else if (then === "hang up") socket.destroy();
    };
    socket.on("error", () => {});
    socket.on("data", (data) => {
      received.push(data.toString());
      answer();
    });
    answer();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
