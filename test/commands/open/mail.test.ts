import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { builtRuntime, ServiceStartError, startService } from "../../support/service.ts";
import { CERTIFICATES } from "../../support/smtp-certificates.ts";
import { startSmtpServer } from "../../support/smtp.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const RUNTIME = builtRuntime();
const TIMEOUT = { timeout: 60_000 };

test("a mail goes to a server whose certificate NODE_EXTRA_CA_CERTS trusts", TIMEOUT, async () => {
  using folder = temporaryFolder();
  const NODE_EXTRA_CA_CERTS = join(folder.path, "ca.pem");
  writeFileSync(NODE_EXTRA_CA_CERTS, CERTIFICATES.localhost.cert);
  await using smtp = await startSmtpServer({ ...CERTIFICATES.localhost, secure: true });
  const SMTP_URL = `smtps://localhost:${smtp.port}`;
  const env = { SMTP_URL, MAIL_FROM: "wallet@example.com", NODE_EXTRA_CA_CERTS };
  await using service = await startService({ runtime: RUNTIME, dataDir: join(folder.path, "data"), env });
  const answer = await fetch(`${service.baseUrl}/api/auth/email-code`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com" }),
  });
  assert.equal(answer.status, 200, await answer.text());
  const [mail] = await smtp.taken(1);
  assert.equal(mail!.isSecure, true);
});

test("a start exits 2 when the file of NODE_EXTRA_CA_CERTS cannot be read", TIMEOUT, async () => {
  using folder = temporaryFolder();
  const env = {
    SMTP_URL: "smtps://mail.example.com",
    MAIL_FROM: "wallet@example.com",
    NODE_EXTRA_CA_CERTS: join(folder.path, "none.pem"),
  };
  await assert.rejects(
    startService({ runtime: RUNTIME, dataDir: join(folder.path, "data"), env }),
    (error) => {
      assert.ok(error instanceof ServiceStartError);
      assert.deepEqual(error.exit, { code: 2, signal: null }, error.message);
      assert.match(error.stderr.at(-1)!, /NODE_EXTRA_CA_CERTS/);
      return true;
    },
  );
});
