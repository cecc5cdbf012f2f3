import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { newVisit, signUpHere } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { launchBrowser } from "../support/browser.ts";
import { makeAccount } from "../support/made-account.ts";
import { send, serveOverTls } from "../support/tls-app.ts";
import type { TlsApp } from "../support/tls-app.ts";

const LIMIT = { timeout: 90_000 };
// Two registered domains. The browser below resolves both to this machine, and no other host.
const OLD = "wallet.example.localhost";
const NEW = "keys.elsewhere.localhost";

/** Signs in on the page, which asks for the passkey by itself. Returns the account's address. */
async function signInAt({ page }: Visit, { baseUrl }: TlsApp): Promise<string | null> {
  await page.goto(`${baseUrl}/sign-in?next=/account`);
  await page.waitForURL(`${baseUrl}/account`);
  const { account } = await page.evaluate(async () => (await fetch("/api/auth/session")).json());
  return account?.email ?? null;
}

describe("a move to another host name, over TLS, in a real browser", () => {
  let browser: Browser;
  let old: TlsApp;
  let moved: TlsApp;
  /** True if the old host forwards requests for the list of related origins to the service. */
  let isForwarding = true;

  before(async () => {
    old = await serveOverTls(OLD, () => {});
    moved = await serveOverTls(NEW, (request, response) => {
      const isAsked = isForwarding && request.headers.host === OLD && request.url === "/.well-known/webauthn";
      if (!isAsked) {
        response.statusCode = 404;
        response.end();
        return;
      }
      // Like a proxy at the old host, with that host's name.
      const asked = new Request(moved.baseUrl + request.url!, { headers: { host: OLD } });
      void moved.app.app(asked, { clientAddress: "127.0.0.1" }).then((answer) => send(answer, response));
    }, {
      db: old.app.db,
      environment: (origin) => ({ BASE_URL: origin, RP_ID: OLD, RELATED_ORIGINS: origin }),
    });
    const { port } = new URL(moved.baseUrl);
    browser = await launchBrowser([
      ...moved.flags.filter((flag) => !flag.startsWith("--host-resolver-rules")),
      // A relying party's id has no port: browsers use 443 of that host.
      `--host-resolver-rules=MAP ${OLD}:443 127.0.0.1:${port},MAP ${OLD} 127.0.0.1,MAP ${NEW} 127.0.0.1,MAP * ~NOTFOUND`,
    ]);
  }, { timeout: 60_000 });
  after(async () => {
    await browser.close();
    await moved[Symbol.asyncDispose]();
    await old[Symbol.asyncDispose]();
  });

  test("the new host signs in with the old host's passkeys, and makes more of them", LIMIT, async () => {
    const ada = await newVisit(browser);
    const stage = { app: old.app, baseUrl: old.baseUrl, stop: () => Promise.resolve() };
    await makeAccount(stage, ada);
    assert.equal(await signInAt(ada, moved), ada.email);
    const bob = await newVisit(browser);
    await signUpHere({ app: moved.app, baseUrl: moved.baseUrl, stop: () => Promise.resolve() }, bob);
    const [credential] = await bob.authenticator.credentials();
    assert.equal(credential!.rpId, OLD, "a passkey of the new host is one of the old domain");
    await bob.context.clearCookies();
    assert.equal(await signInAt(bob, moved), bob.email);
    assert.equal(await signInAt(bob, old), bob.email, "and serves at the old host too");
    await ada.context.close();
    await bob.context.close();
  });

  test("no passkey works at the new host if the old one does not list related origins", LIMIT, async () => {
    const ada = await newVisit(browser);
    await makeAccount({ app: old.app, baseUrl: old.baseUrl, stop: () => Promise.resolve() }, ada);
    isForwarding = false;
    await ada.page.goto(`${moved.baseUrl}/signed-out`); // a page without a ceremony of its own
    const refused = await ada.page.evaluate(async () => {
      const body = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
      const options = await (await fetch("/api/auth/passkey/authentication/options", body)).json();
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      return await navigator.credentials.get({ publicKey }).then(() => "signed", (error) => error.name);
    });
    assert.equal(refused, "SecurityError");
    await ada.context.close();
  });
});
