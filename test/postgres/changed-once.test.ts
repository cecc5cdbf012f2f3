import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connectDatabase } from "../../src/db/database.ts";
import { ADMIN_KEY, createTestApp, ORIGIN } from "../support/app.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { proveAddress, readCode, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { AT_ONCE } from "../support/four-services.ts";
import type { FourServices } from "../support/four-services.ts";
import { postForm } from "../support/oauth.ts";
import { counted, kindOf, testOnce } from "../support/once-rule.ts";
import type { OnceRule } from "../support/once-rule.ts";
import { mailsTo } from "../support/recovery.ts";
import { inSeveral } from "../support/several-engines.ts";

const OLD = "ada@example.com";
const NEW = "new@example.com";
const ADDRESS = "/api/auth/account/email";
const REGISTRATION = "/api/auth/passkey/registration";

/** Has a code sent to an address that an account is to have; the code. */
async function askCode(browser: Client, email: string): Promise<string> {
  const sent = await browser.post(`${ADDRESS}/code`, { email });
  assert.equal(sent.status, 200, sent.text);
  return await readCode(browser, email);
}

async function emailOf(browser: Client): Promise<string> {
  return (await browser.get("/api/auth/session")).body.account.email;
}

/** Eight sessions of one account, each with a code of its own to one address or to addresses of their own. */
async function askFromEight(
  { apps, browsers }: FourServices,
  addressOf: (index: number) => string,
): Promise<readonly { readonly browser: Client; readonly email: string; readonly code: string }[]> {
  const asked = [];
  for (let index = 0; index < 8; index++) {
    const browser = { ...apps[index % 4]!.client(), authenticator: browsers[0]!.authenticator };
    assert.equal((await signIn(browser)).status, 200);
    const email = addressOf(index);
    asked.push({ browser, email, code: await askCode(browser, email) });
  }
  return asked;
}

const RULES: readonly OnceRule[] = [
  {
    title: "gets another address once for a code",
    prepare: async ({ browsers }) => {
      const code = await askCode(browsers[0]!, NEW);
      return (service) => browsers[service]!.post(ADDRESS, { email: NEW, code });
    },
    done: { "200": "email_changed" },
    refused: ["400 invalid_code"],
    after: async ({ browsers }) => {
      assert.equal(await emailOf(browsers[3]!), NEW);
      assert.equal(
        (await mailsTo(browsers[1]!, OLD)).filter(({ text }) => /\/take-back/.test(text)).length,
        1,
      );
    },
  },
  {
    title: "does not change to the address that it has, whichever of eight sessions was first",
    prepare: async (services) => {
      const asked = await askFromEight(services, () => NEW);
      return (service, index) => {
        const { browser, email, code } = asked[index % 8]!;
        return services.at(service, browser).post(ADDRESS, { email, code });
      };
    },
    done: { "200": "email_changed" },
    refused: ["400 invalid_code", "400 invalid_request"],
    after: async ({ browsers }) => assert.equal(await emailOf(browsers[2]!), NEW),
  },
  {
    title: "gets an address that eight prove",
    prepare: async ({ apps, at }) => {
      const people: { readonly browser: Client; readonly code: string }[] = [];
      for (let index = 0; index < 8; index++) {
        const browser = apps[index % 4]!.client();
        await signUp(browser, `person${index}@example.com`);
        people.push({ browser, code: await askCode(browser, NEW) });
      }
      return (service, index) => {
        const { browser, code } = people[index % 8]!;
        return at(service, browser).post(ADDRESS, { email: NEW, code });
      };
    },
    done: { "200": "email_changed" },
    refused: ["400 invalid_code", "409 account_exists"],
    after: async ({ apps: [app] }) => {
      const rows = await app!.db.selectFrom("account").selectAll().where("email", "=", NEW).execute();
      assert.equal(rows.length, 1);
    },
  },
  {
    title: "has its old address back once",
    prepare: async ({ apps, browsers }) => {
      const code = await askCode(browsers[0]!, NEW);
      assert.equal((await browsers[1]!.post(ADDRESS, { email: NEW, code })).status, 200);
      const [mail] = await mailsTo(browsers[2]!, OLD);
      const link = new URL(/\bhttp\S+\/take-back\S+/.exec(mail!.text)![0]);
      const token = link.searchParams.get("token")!;
      return (service) => postForm(apps[service]!.client(), "/take-back", { token });
    },
    done: { "303": "email_change_taken_back" },
    refused: ["404"],
    after: async ({ browsers }) => {
      const { body } = await signIn(browsers[3]!);
      assert.equal(body.account.email, OLD);
    },
  },
  {
    title: "gets a further passkey once for a response",
    prepare: async ({ browsers }) => {
      const options = await browsers[0]!.post(`${REGISTRATION}/options`, {});
      assert.equal(options.status, 200, options.text);
      const response = await createAuthenticator().register(options.body, { origin: ORIGIN });
      return (service) => browsers[service]!.post(REGISTRATION, { response });
    },
    done: { "201": "passkey_added" },
    refused: ["400 invalid_passkey_registration"],
  },
  {
    title: "is to be deleted once",
    prepare: ({ browsers }) =>
      Promise.resolve((service) => browsers[service]!.post("/api/auth/account/deletion", { confirm: OLD })),
    done: { "200": "deletion_asked" },
    refused: ["401 authentication_required"],
  },
];

describe("an account, at four services at once,", () => testOnce(RULES));

test(
  "an invitation makes one account in forty browsers at four services",
  { timeout: 60_000 },
  () =>
    inSeveral(4, async (engines) => {
      const environment = { SIGN_UP: "invite" };
      const open = (engine: typeof engines[number]) =>
        createTestApp({ environment, db: connectDatabase(engine) });
      const apps = await Promise.all(engines.map(open));
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const invited = await apps[0]!.client().post("/api/admin/invitations", {}, { headers });
      const link = new URL(invited.body.link);
      const people: { readonly browser: Client; readonly response: unknown }[] = [];
      for (let index = 0; index < AT_ONCE; index++) {
        const browser = apps[index % 4]!.client();
        assert.equal((await browser.get(link.pathname + link.search)).status, 303);
        await proveAddress(browser, `person${index}@example.com`);
        const options = await browser.post(`${REGISTRATION}/options`, { account: "new" });
        people.push({
          browser,
          response: await browser.authenticator.register(options.body, { origin: ORIGIN }),
        });
      }
      const answers = await Promise.all(
        people.map(({ browser, response }) => browser.post(REGISTRATION, { account: "new", response })),
      );
      assert.deepEqual(counted(answers.map(kindOf)), { "201": 1, "403 invitation_required": AT_ONCE - 1 });
      assert.equal((await apps[3]!.db.selectFrom("account").selectAll().execute()).length, 1);
    }),
);
