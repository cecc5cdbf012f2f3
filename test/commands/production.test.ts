import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startEmulator } from "../support/emulator.ts";
import { findFreePort } from "../support/free-port.ts";
import { startSmtpServer } from "../support/smtp.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const RUNTIME = builtRuntime();
const TIMEOUT = { timeout: 60_000 };

const WHOLE = {
  BASE_URL: "https://wallet.example.com",
  TEE: "dstack",
  TEE_DSTACK_SOCKET: "/nonexistent/dstack.sock",
  TEE_TSM_PATH: "/nonexistent/report",
  ADMIN_API_KEY: "k".repeat(32),
  SMTP_URL: "smtp://user:s3cr3t@mail.example.com",
  MAIL_FROM: "wallet@example.com",
};

const REFUSED: readonly [
  title: string,
  edit: Readonly<Record<string, string>>,
  lines: readonly RegExp[],
][] = [
  ["everything is missing", {
    TEE: "simulated",
    ADMIN_API_KEY: "",
    SMTP_URL: "",
    MAIL_FROM: "",
    RATE_LIMITS: "off",
  }, [/TEE must be/, /ADMIN_API_KEY must be set/, /SMTP_URL and MAIL_FROM, or IDENTITY/, /RATE_LIMITS must/]],
  ["the origin is plain http", { BASE_URL: "http://wallet.example.com" }, [/BASE_URL must be https/]],
  ["auto finds no real TEE", { TEE: "auto" }, [/no real TEE/]],
  ["the name of the service has a line end", { SERVICE_NAME: "Tom\nAda" }, [/SERVICE_NAME must/]],
  ["the mail server is misspelt", { SMTP_URL: "smtp://user:s3cr3t@mail.example.com?tls=no" }, [
    /SMTP_URL must/,
  ]],
];

for (const [title, edit, lines] of REFUSED) {
  test(`a production start exits 2 with one line for each fault when ${title}`, TIMEOUT, async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    await assert.rejects(
      startService({ runtime: RUNTIME, dataDir, env: { ...WHOLE, ...edit } }),
      (error) => {
        assert.ok(error instanceof ServiceStartError);
        assert.deepEqual(error.exit, { code: 2, signal: null }, error.message);
        assert.equal(error.stderr.length, lines.length, error.message);
        for (const [index, line] of lines.entries()) assert.match(error.stderr[index]!, line);
        assert.doesNotMatch(error.message, /s3cr3t/);
        return true;
      },
    );
    assert.equal(existsSync(join(dataDir, "holdfast.db")), false);
  });
}

test(
  "a complete production environment serves, in a TEE, with Secure cookies and mail",
  TIMEOUT,
  async () => {
    using folder = temporaryFolder();
    const socket = join(folder.path, "agent.sock");
    const agent = await startEmulator("guest-agent", socket);
    try {
      await using smtp = await startSmtpServer();
      const port = await findFreePort();
      const BASE_URL = "https://wallet.example.com:8443";
      const SMTP_URL = `smtp://localhost:${smtp.port}`;
      const env = { ...WHOLE, BASE_URL, TEE_DSTACK_SOCKET: socket, PORT: String(port), SMTP_URL };
      await using service = await startService({ runtime: RUNTIME, dataDir: join(folder.path, "data"), env });
      const origin = `http://127.0.0.1:${port}`;
      assert.equal((await fetch(`${origin}/readyz`)).status, 200);
      const ask = (headers: Readonly<Record<string, string>>) =>
        fetch(`${origin}/api/auth/email-code`, {
          method: "POST",
          headers: { "content-type": "application/json", origin: BASE_URL, ...headers },
          body: JSON.stringify({ email: "alice@example.com" }),
        });
      assert.equal((await ask({})).status, 403, "the first account takes an invitation too");
      const made = await fetch(`${origin}/api/admin/invitations`, {
        method: "POST",
        headers: { authorization: `Bearer ${WHOLE.ADMIN_API_KEY}` },
      });
      const { link } = await made.json() as { link: string };
      assert.ok(link.startsWith(`${BASE_URL}/sign-up?invitation=`));
      const opened = await fetch(link.replace(BASE_URL, origin), { redirect: "manual" });
      const cookie = opened.headers.getSetCookie().find((text) =>
        text.startsWith("__Host-service.invitation=")
      )!;
      const answer = await ask({ cookie: cookie.split(";")[0]! });
      assert.equal(answer.status, 200, await answer.text());
      assert.ok(answer.headers.getSetCookie().every((cookie) => cookie.endsWith("; Secure")));
      assert.ok(answer.headers.has("strict-transport-security"));
      const [mail] = await smtp.taken(1);
      assert.match(mail!.raw, /^@wallet\.example\.com #\d{6}\r$/m);
      assert.equal((await fetch(`${origin}/dev/outbox`)).status, 404);
      assert.equal(existsSync(join(folder.path, "data/admin-api-key")), false);
      assert.deepEqual(await service.stop(), { code: 0, signal: null });
    } finally {
      await agent.stop();
    }
  },
);
