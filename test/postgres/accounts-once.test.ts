import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { verifyAudit } from "../../src/audit/verify.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { DAY } from "../../src/lib/time.ts";
import { ADMIN_KEY, createTestApp, ORIGIN } from "../support/app.ts";
import { newProgramOf } from "../support/asking.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { proveAddress, readCode, registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { AT_ONCE, withFourServices } from "../support/four-services.ts";
import { administer, callAs, postForm, providerOf, registerClient } from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";
import { counted, kindOf, testOnce } from "../support/once-rule.ts";
import type { OnceRule } from "../support/once-rule.ts";
import { mailsTo } from "../support/own-account.ts";
import { inSeveral } from "../support/lent-postgres.ts";

const LIMIT = { timeout: 60_000 };
const OLD = "ada@example.com";
const NEW = "ada@example.org";
const EMAIL = "/api/auth/account/email";

/** Requests a change of address. Returns the request that finishes it. */
async function beginChange(session: Client): Promise<object> {
  assert.equal((await session.post(`${EMAIL}/code`, { email: NEW })).status, 200);
  return { email: NEW, code: await readCode(session, NEW) };
}

async function emailOf(browser: Client): Promise<string> {
  return (await browser.get("/api/auth/session")).body.account.email;
}

const CHANGED = { "200": "email_changed" };
const TAKEN_BACK = { "303": "email_change_taken_back" };

const ADDRESS: readonly OnceRule[] = [
  {
    title: "changed once by one code",
    prepare: async (services) => {
      const body = await beginChange(services.browsers[1]!);
      return (service) => services.browsers[service]!.post(EMAIL, body);
    },
    done: CHANGED,
    // A request after the change finds that the account has that address already.
    refused: ["400 invalid_code", "400 invalid_request"],
    after: async ({ browsers }) => {
      assert.equal(await emailOf(browsers[3]!), NEW);
      assert.equal((await mailsTo(browsers[2]!, OLD)).filter(({ text }) => /take-back/.test(text)).length, 1);
    },
  },
  {
    title: "verified once by eight sessions",
    prepare: async (services) => {
      const asked: { readonly session: Client; readonly body: object }[] = [];
      for (let index = 0; index < 8; index++) {
        const authenticator = services.browsers[0]!.authenticator;
        const session = { ...services.apps[index % 4]!.client(), authenticator };
        assert.equal((await signIn(session)).status, 200);
        asked.push({ session, body: await beginChange(session) });
      }
      return (service, index) => {
        const { session, body } = asked[index % 8]!;
        return services.at(service, session).post(EMAIL, body);
      };
    },
    done: CHANGED,
    refused: ["400 invalid_code", "400 invalid_request"],
  },
  {
    title: "verified for one of eight accounts",
    prepare: async ({ apps, at }) => {
      const asked: { readonly person: Client; readonly body: object }[] = [];
      for (let index = 0; index < 8; index++) {
        const person = apps[index % 4]!.client();
        await signUp(person, `person${index}@example.com`);
        asked.push({ person, body: await beginChange(person) });
      }
      return (service, index) => {
        const { person, body } = asked[index % 8]!;
        return at(service, person).post(EMAIL, body);
      };
    },
    done: CHANGED,
    refused: ["400 invalid_code", "400 invalid_request", "409 account_exists"],
    after: async ({ apps: [app] }) => {
      const accounts = await app!.db.selectFrom("account").select("email").execute();
      assert.equal(accounts.filter(({ email }) => email === NEW).length, 1);
    },
  },
  {
    title: "reverted once by one link",
    prepare: async (services) => {
      const body = await beginChange(services.browsers[1]!);
      assert.equal((await services.browsers[0]!.post(EMAIL, body)).status, 200);
      const [mail] = await mailsTo(services.browsers[0]!, OLD);
      const token = new URL(/\bhttp\S+\/take-back\S+/.exec(mail!.text)![0]).searchParams.get("token")!;
      return (service) => postForm(services.apps[service]!.client(), "/take-back", { token });
    },
    done: TAKEN_BACK,
    refused: ["404"],
  },
];

describe("twenty requests at four services: an address is", () => testOnce(ADDRESS));

const ACCOUNT: readonly OnceRule[] = [
  {
    title: "gets one further passkey for one response",
    prepare: async ({ browsers }) => {
      const path = "/api/auth/passkey/registration";
      const options = await browsers[0]!.post(`${path}/options`, {});
      assert.equal(options.status, 200, options.text);
      const response = await createAuthenticator().register(options.body, { origin: ORIGIN });
      return (service) => browsers[service]!.post(path, { response });
    },
    done: { "201": "passkey_added" },
    refused: ["400 invalid_passkey_registration"],
  },
  {
    title: "gets one request for its deletion",
    prepare: ({ browsers }) =>
      Promise.resolve((service) => browsers[service]!.post("/api/auth/account/deletion", { confirm: OLD })),
    done: { "200": "deletion_asked" },
    refused: ["401 authentication_required"],
  },
];

describe("twenty requests at four services: an account", () => testOnce(ACCOUNT));

test("an invitation for three accounts creates three of twenty", LIMIT, async () => {
  await inSeveral(4, async (engines) => {
    const environment = { SIGN_UP: "invite" };
    const apps = await Promise.all(
      engines.map((engine) => createTestApp({ db: connectDatabase(engine), environment })),
    );
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const made = await apps[0]!.client().post("/api/admin/invitations", { uses: 3 }, { headers });
    const link = new URL(made.body.link);
    const browsers = Array.from({ length: AT_ONCE }, (_, index) => apps[index % 4]!.client());
    for (const [index, browser] of browsers.entries()) {
      assert.equal((await browser.get(link.pathname + link.search)).status, 303);
      assert.equal(await proveAddress(browser, `visitor${index}@example.com`), "register_passkey");
    }
    const kinds = counted(
      (await Promise.all(browsers.map((one) => registerPasskey(one, "new")))).map(kindOf),
    );
    assert.deepEqual(kinds, { "201": 3, "403 invitation_required": AT_ONCE - 3 });
    const { body } = await apps[3]!.client().get("/api/admin/invitations", { headers });
    assert.equal(body.invitations[0].used, 3);
    assert.equal((await apps[2]!.db.selectFrom("account").selectAll().execute()).length, 3);
  });
});

test(
  "of twenty new secrets of a client the last is valid, and the one before it until it expires",
  LIMIT,
  async () => {
    await withFourServices(async ({ apps, concurrently }) => {
      const doors = apps.map(providerOf);
      const client = await registerClient(doors[0]!);
      const introspect = (service: number, one: Registered): Promise<Answer> =>
        callAs(doors[service]!, one, "/api/auth/oauth2/introspect", { token: "none" });
      const secrets = [client.clientSecret!];
      const answers = await concurrently(async (service, index) => {
        if (index % 2 === 1) return await introspect(service, client);
        const made = await administer(doors[service]!, "POST", `/${client.clientId}/secret`, {
          previousExpiresIn: 3600,
        });
        secrets.push(made.body.client.clientSecret);
        return made;
      });
      // The first secret is not valid after two rotations.
      const kinds = Object.keys(counted(answers.map(kindOf)));
      assert.deepEqual(kinds.filter((kind) => kind !== "200" && kind !== "401"), []);
      for (const service of [0, 1, 2, 3]) {
        const tried = await Promise.all(
          secrets.map((clientSecret) => introspect(service, { ...client, clientSecret })),
        );
        assert.equal(
          tried.filter(({ status }) => status === 200).length,
          2,
          JSON.stringify(tried.map(kindOf)),
        );
      }
    });
  },
);

test(
  "an account is deleted once, completely, and its concurrent signatures are in the log",
  LIMIT,
  async () => {
    await withFourServices(async ({ apps, browsers: [browser], keyId, count }) => {
      const terms = { name: "Bot", keys: "all", actions: ["read", "sign"] };
      const { body } = await browser!.post("/api/auth/tokens", terms);
      const programs = apps.map((app) => newProgramOf(app, body.token.id, body.text));
      const asked = await browser!.post("/api/auth/account/deletion", { confirm: OLD });
      assert.equal(asked.status, 200, asked.text);
      for (const app of apps) app.now += 7 * DAY;
      let isGone = false;
      let signatures = 0;
      const signing = programs.map(async (program, index) => {
        for (let turn = 0;; turn++) {
          const wasGone = isGone;
          const answer = await program.post(`/api/keys/${keyId}/sign`, { message: `${index} ${turn}` });
          if (answer.status !== 200) return kindOf(answer);
          assert.equal(wasGone, false);
          signatures++;
        }
      });
      while (signatures < 20) await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all(apps.map((app) => app.maintain()));
      isGone = true;
      const refused = Object.keys(counted(await Promise.all(signing)));
      assert.deepEqual(
        refused.filter((kind) => kind !== "401 authentication_required" && kind !== "404 not_found"),
        [],
      );
      assert.equal(await count("account_deleted"), 1);
      assert.equal(await count("message_signed"), signatures);
      assert.deepEqual(await apps[3]!.db.selectFrom("ethereum_key").selectAll().execute(), []);
      const mails = await mailsTo(apps[1]!.client(), OLD);
      assert.equal(mails.filter(({ subject }) => /deleted/.test(subject)).length, 1);
      assert.equal((await verifyAudit(apps[2]!.db, apps[2]!.vault)).fault, undefined);
    });
  },
);
