import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createClient, registerPasskey } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { findFreePort } from "../support/free-port.ts";
import { builtPrograms, serviceOf, titleOf } from "../commands/run-command.ts";
import { startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { smtpAnswer, startScriptedServer, startSmtpServer } from "../support/smtp.ts";
import type { TakenMail } from "../support/smtp.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TIMEOUT = { timeout: 60_000 };
const PASSWORD = "s3cr3t-p:ass";

function mailTo(port: number, login = ""): Record<string, string> {
  return { SMTP_URL: `smtp://${login}localhost:${port}`, MAIL_FROM: "The Wallet <wallet@example.com>" };
}

function clientOf(service: Service): Client {
  return createClient(service.baseUrl, (request) => fetch(request));
}

async function askForCode(client: Client, email: string): Promise<void> {
  const answer = await client.post("/api/auth/email-code", { email });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

function codeIn({ raw }: TakenMail): string {
  return /^@localhost #(\d{6})\r$/m.exec(raw)![1]!;
}

/** Makes every mail of a database due. */
async function makeDue(dataDir: string): Promise<void> {
  const db = await openDatabase(await openSqlite(`${dataDir}/holdfast.db`));
  await db.updateTable("outbox").set({ next_attempt_at: 0 }).execute();
  await closeDatabase(db);
}

async function until(found: () => boolean): Promise<void> {
  while (!found()) await delay(20);
}

for (const name of Object.keys(builtPrograms())) {
  const runtime = serviceOf(name);

  describe(`mail from a service on ${titleOf(name)}`, () => {
    test("an e-mailed code creates an account, and there is no outbox page", TIMEOUT, async () => {
      using data = temporaryFolder();
      await using smtp = await startSmtpServer({ login: { user: "w@example.com", password: PASSWORD } });
      const env = mailTo(smtp.port, `w%40example.com:${encodeURIComponent(PASSWORD)}@`);
      await using service = await startService({ runtime, dataDir: data.path, env });
      const client = clientOf(service);
      await askForCode(client, "alice@example.com");
      const [mail] = await smtp.taken(1);
      assert.deepEqual([mail!.from, ...mail!.to], ["wallet@example.com", "alice@example.com"]);
      assert.equal(mail!.user, "w@example.com");
      const code = codeIn(mail!);
      const verified = await client.post("/api/auth/email-code/verify", { email: "alice@example.com", code });
      assert.equal(verified.body.next, "register_passkey");
      assert.equal((await registerPasskey(client)).status, 201);
      assert.equal((await client.get("/dev/outbox")).status, 404);
      const page = await (await fetch(`${service.baseUrl}/sign-up`)).text();
      assert.match(page, /id="email-form"/);
      assert.doesNotMatch(page, /outbox/);
      await until(() => service.stdout.some((line) => line.includes("mail_sent")));
      assert.deepEqual(await service.stop(), { code: 0, signal: null });
      const output = [...service.stdout, ...service.stderr].join("\n");
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), code, "alice", "w@example.com"]) {
        assert.equal(output.includes(secret), false, secret);
      }
    });

    test("neither an answer nor a stop waits for a mail server that hangs", TIMEOUT, async () => {
      using data = temporaryFolder();
      await using smtp = await startScriptedServer([], "hang");
      await using service = await startService({ runtime, dataDir: data.path, env: mailTo(smtp.port) });
      for (let n = 0; n < 10; n++) await askForCode(clientOf(service), `user${n}@example.com`);
      assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200);
      assert.deepEqual(await service.stop(), { code: 0, signal: null });
    });

    test("a deferred mail survives kill -9", TIMEOUT, async () => {
      using data = temporaryFolder();
      const port = await findFreePort();
      {
        await using service = await startService({ runtime, dataDir: data.path, env: mailTo(port) });
        await askForCode(clientOf(service), "alice@example.com");
        await until(() => service.stdout.some((line) => line.includes("mail_deferred")));
        await service.kill();
      }
      await using smtp = await startSmtpServer();
      await makeDue(data.path);
      await using service = await startService({ runtime, dataDir: data.path, env: mailTo(smtp.port) });
      const [mail] = await smtp.taken(1);
      assert.deepEqual(mail!.to, ["alice@example.com"]);
      assert.deepEqual(await service.stop(), { code: 0, signal: null });
    });

    test(
      "a mail in delivery at kill -9 is sent by the next process after its lease",
      TIMEOUT,
      async () => {
        using data = temporaryFolder();
        {
          const script = ["220 mail\r\n", "250 mail\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n"];
          await using smtp = await startScriptedServer(script, "hang");
          await using service = await startService({ runtime, dataDir: data.path, env: mailTo(smtp.port) });
          await askForCode(clientOf(service), "alice@example.com");
          await until(() => smtp.received.join("").includes("\r\n.\r\n"));
          await service.kill();
        }
        await makeDue(data.path);
        await using smtp = await startSmtpServer();
        await using service = await startService({ runtime, dataDir: data.path, env: mailTo(smtp.port) });
        assert.deepEqual((await smtp.taken(1))[0]!.to, ["alice@example.com"]);
        await service.stop();
      },
    );

    test("two processes on one database send each mail once, greylisted or not", TIMEOUT, async () => {
      using data = temporaryFolder();
      const greylisted = new Set<string>();
      await using smtp = await startSmtpServer({
        onRecipient: (address) => {
          if (/^user[0-3]@/.test(address) && !greylisted.has(address)) {
            greylisted.add(address);
            throw smtpAnswer(450);
          }
        },
      });
      const env = { ...mailTo(smtp.port), RATE_LIMITS: "off" };
      await using one = await startService({ runtime, dataDir: data.path, env });
      await using two = await startService({ runtime, dataDir: data.path, env });
      const addresses = Array.from({ length: 24 }, (_, n) => `user${n}@example.com`);
      await Promise.all(addresses.map((email, n) => askForCode(clientOf(n % 2 === 0 ? one : two), email)));
      await smtp.taken(addresses.length);
      await one.stop();
      await two.stop();
      assert.equal(greylisted.size, 4);
      assert.deepEqual(smtp.mails.flatMap(({ to }) => to).sort(), addresses.sort());
    });
  });
}
