import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { QueuedMail } from "../../src/mail/mailer.ts";
import { createSmtpTransport, SMTP_TIMEOUTS, SmtpError } from "../../src/mail/smtp.ts";
import type { SmtpOptions, SmtpServer } from "../../src/mail/smtp.ts";
import { CERTIFICATES } from "../support/smtp-certificates.ts";
import { smtpAnswer, startScriptedServer, startSmtpServer } from "../support/smtp.ts";

const TIMEOUT = { timeout: 60_000 };
const SHORT = { connect: 300, greeting: 300, silence: 300, whole: 300 };
const LOGIN = { user: "wallet@example.com", password: "p:ä/%" };

const MAIL: QueuedMail = {
  to: "alice@example.com",
  subject: "Your code",
  text: "Code 042042\n.\nafter a dot\n",
  html: "<p>Code 042042</p>",
  createdAt: Date.UTC(2026, 0, 2),
};

function transportTo(
  port: number,
  security: SmtpServer["security"] = "none",
  options: Partial<SmtpOptions> & { login?: SmtpServer["login"]; host?: string } = {},
): ReturnType<typeof createSmtpTransport> {
  const { login, host = "localhost", ...rest } = options;
  return createSmtpTransport({ host, port, security, login }, {
    from: { name: "The Wallet", address: "wallet@example.com" },
    clientName: "wallet.example.com",
    timeouts: SMTP_TIMEOUTS,
    ...rest,
  });
}

/** Returns the error that a send rejects with. Fails if it resolves. */
async function failure(sending: Promise<void>): Promise<SmtpError> {
  try {
    await sending;
  } catch (error) {
    assert.ok(error instanceof SmtpError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "The mail was taken" });
}

const CA = CERTIFICATES.localhost.cert;

describe("send()", () => {
  test("send() sends text and HTML with sender and recipient", TIMEOUT, async () => {
    await using server = await startSmtpServer();
    await transportTo(server.port).send("mail_1", MAIL);
    const [mail] = server.mails;
    assert.equal(mail!.from, "wallet@example.com");
    assert.deepEqual(mail!.to, ["alice@example.com"]);
    const [head] = mail!.raw.split("\r\n\r\n");
    assert.match(head!, /^From: The Wallet <wallet@example\.com>\r$/m);
    assert.match(head!, /^To: alice@example\.com\r$/m);
    assert.match(head!, /^Subject: Your code\r$/m);
    assert.match(head!, /^Message-ID: <mail_1@example\.com>\r$/m);
    assert.match(head!, /^Date: Fri, 02 Jan 2026 00:00:00 \+0000\r$/m);
    assert.match(head!, /^Auto-Submitted: auto-generated\r$/im);
    assert.match(mail!.raw, /Content-Type: text\/plain[^]*Code 042042\r\n\.\r\nafter a dot/);
    assert.match(mail!.raw, /Content-Type: text\/html[^]*<p>Code 042042<\/p>/);
  });

  test("send() uses TLS from the first byte with `tls`", TIMEOUT, async () => {
    await using server = await startSmtpServer({ ...CERTIFICATES.localhost, secure: true, login: LOGIN });
    await transportTo(server.port, "tls", { login: LOGIN, ca: CA }).send("mail_1", MAIL);
    assert.equal(server.mails[0]!.isSecure, true);
    assert.equal(server.mails[0]!.user, LOGIN.user);
  });

  test("send() logs in and speaks under TLS with `starttls`", TIMEOUT, async () => {
    await using server = await startSmtpServer({ ...CERTIFICATES.localhost, login: LOGIN });
    await transportTo(server.port, "starttls", { login: LOGIN, ca: CA }).send("mail_1", MAIL);
    assert.equal(server.mails[0]!.isSecure, true);
    assert.equal(server.mails[0]!.user, LOGIN.user);
  });

  test("send() sends nothing to a server whose STARTTLS offer was removed (RFC 3207)", TIMEOUT, async () => {
    await using server = await startScriptedServer([
      "220 mail ESMTP\r\n",
      "250-mail\r\n250 AUTH PLAIN LOGIN\r\n",
      "502 5.5.1 No such command\r\n",
      "250 mail\r\n",
      "250 ok\r\n",
    ], "hang up");
    const error = await failure(
      transportTo(server.port, "starttls", { login: LOGIN, ca: CA }).send("mail_1", MAIL),
    );
    assert.equal(error.isPermanent, false);
    assert.doesNotMatch(server.received.join(""), /AUTH|MAIL FROM|RCPT|042042/);
  });

  test("send() refuses data that was injected after the response to STARTTLS", TIMEOUT, async () => {
    await using server = await startScriptedServer([
      "220 mail ESMTP\r\n",
      "250-mail\r\n250 STARTTLS\r\n",
      "220 go ahead\r\n250-mail\r\n250 AUTH PLAIN\r\n",
    ], "hang");
    await failure(
      transportTo(server.port, "starttls", { login: LOGIN, ca: CA, timeouts: SHORT }).send("mail_1", MAIL),
    );
    assert.doesNotMatch(server.received.join(""), /AUTH|MAIL FROM/);
  });

  for (const security of ["tls", "starttls"] as const) {
    const secure = security === "tls";
    test(
      `send() refuses a certificate that no trusted authority issued, with ${security}`,
      TIMEOUT,
      async () => {
        await using server = await startSmtpServer({ ...CERTIFICATES.localhost, secure });
        const error = await failure(transportTo(server.port, security).send("mail_1", MAIL));
        assert.equal(error.isPermanent, false);
        assert.deepEqual(server.mails, []);
      },
    );

    test(`send() refuses a certificate for another name, with ${security}`, TIMEOUT, async () => {
      await using server = await startSmtpServer({ ...CERTIFICATES.elsewhere, secure });
      const ca = CERTIFICATES.elsewhere.cert;
      await failure(transportTo(server.port, security, { ca }).send("mail_1", MAIL));
      assert.deepEqual(server.mails, []);
    });
  }

  test("send() fails temporarily when the password is wrong, and does not log it", TIMEOUT, async () => {
    await using server = await startSmtpServer({ ...CERTIFICATES.localhost, login: LOGIN });
    const login = { ...LOGIN, password: "s3cr3t" };
    const error = await failure(
      transportTo(server.port, "starttls", { login, ca: CA }).send("mail_1", MAIL),
    );
    assert.equal(error.message, "EAUTH 535");
    assert.equal(error.isPermanent, false);
    assert.deepEqual(server.mails, []);
  });

  test("send() fails temporarily when the server requires a login that is not set", TIMEOUT, async () => {
    await using server = await startSmtpServer({ login: LOGIN });
    const error = await failure(transportTo(server.port).send("mail_1", MAIL));
    assert.equal(error.isPermanent, false);
  });

  for (const [code, isPermanent] of [[450, false], [452, false], [550, true], [553, true]] as const) {
    test(
      `send() fails ${isPermanent ? "for good" : "for now"} when the address gets ${code}`,
      TIMEOUT,
      async () => {
        await using server = await startSmtpServer({
          onRecipient: () => {
            throw smtpAnswer(code);
          },
        });
        const error = await failure(transportTo(server.port).send("mail_1", MAIL));
        assert.equal(error.isPermanent, isPermanent);
        assert.match(error.message, new RegExp(`^E[A-Z]+ ${code}$`));
      },
    );

    test(
      `send() fails ${isPermanent ? "for good" : "for now"} when the message gets ${code}`,
      TIMEOUT,
      async () => {
        await using server = await startSmtpServer({
          onMessage: () => {
            throw smtpAnswer(code);
          },
        });
        const error = await failure(transportTo(server.port).send("mail_1", MAIL));
        assert.equal(error.isPermanent, isPermanent);
      },
    );
  }

  test("send() fails temporarily when no server listens", TIMEOUT, async () => {
    const server = await startSmtpServer();
    await server[Symbol.asyncDispose]();
    assert.equal((await failure(transportTo(server.port).send("mail_1", MAIL))).isPermanent, false);
  });

  const SCRIPT = ["220 mail\r\n", "250 mail\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n"];
  const STAGES = ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "message"];
  for (const then of ["hang", "hang up"] as const) {
    for (const [count, stage] of STAGES.entries()) {
      test(`send() fails temporarily when the server ${then}s at ${stage}`, TIMEOUT, async () => {
        await using server = await startScriptedServer(SCRIPT.slice(0, count), then);
        const error = await failure(
          transportTo(server.port, "none", { timeouts: SHORT }).send("mail_1", MAIL),
        );
        assert.equal(error.isPermanent, false);
      });
    }
  }

  test("send() fails temporarily when the server sends an endless greeting", TIMEOUT, async () => {
    await using server = await startScriptedServer([`220-${"x".repeat(100_000)}\r\n`.repeat(2)], "hang");
    const timeouts = { ...SMTP_TIMEOUTS, whole: 1000 };
    const error = await failure(transportTo(server.port, "none", { timeouts }).send("mail_1", MAIL));
    assert.equal(error.isPermanent, false);
  });

  test("close() aborts the mail in delivery", TIMEOUT, async () => {
    await using server = await startScriptedServer(SCRIPT.slice(0, 2), "hang");
    const transport = transportTo(server.port);
    const failed = failure(transport.send("mail_1", MAIL));
    while (!server.received.join("").includes("MAIL FROM")) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    transport.close();
    assert.equal((await failed).message, "BROKEN_OFF");
  });

  const NAMES = ["A, B", "A <b@example.com>", 'A "B" C', "Schöne Welt \u{1F511}", "a;b:c(d)"];
  for (const name of NAMES) {
    test(`send() has one sender, one recipient and one subject when named ${name}`, TIMEOUT, async () => {
      await using server = await startSmtpServer();
      const from = { name, address: "wallet@example.com" };
      await transportTo(server.port, "none", { from }).send("mail_1", {
        ...MAIL,
        subject: `${name}: ${name}`,
      });
      const [mail] = server.mails;
      const [head] = mail!.raw.split("\r\n\r\n");
      assert.deepEqual(mail!.to, ["alice@example.com"]);
      for (const field of ["From", "To", "Subject", "Date", "Message-ID"]) {
        assert.equal(head!.match(new RegExp(`^${field}:`, "gim"))?.length, 1, field);
      }
      assert.doesNotMatch(head!, /^(?:Cc|Bcc|Reply-To|Sender):/im);
      assert.equal(head!.match(/<wallet@example\.com>/g)?.length, 1);
      assert.match(head!, /^[\x20-\x7e\r\n]*$/);
    });
  }
});
