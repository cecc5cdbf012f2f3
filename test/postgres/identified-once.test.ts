import assert from "node:assert/strict";
import { describe } from "node:test";
import type { TestAppOptions } from "../support/app.ts";
import { NO_PROVIDERS, ORIGIN } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { AT_ONCE } from "../support/four-services.ts";
import type { FourServices } from "../support/four-services.ts";
import { beginAt, comeBack, visitProvider } from "../support/identity.ts";
import { testOnce } from "../support/once-rule.ts";
import type { OnceRule } from "../support/once-rule.ts";
import { createUpstream } from "../support/upstream.ts";

const IDENTITIES = "/api/auth/account/identities";

const upstream = await createUpstream({ now: () => Date.UTC(2026, 0, 31, 9, 30) });
// The user at the provider has no account at the service.
upstream.claims = { email: "grace@example.com" };
const options: TestAppOptions = {
  identity: {
    ...NO_PROVIDERS,
    providers: [upstream.config],
    fetch: upstream.fetch,
  },
};

/** Starts to link an identity in a signed-in browser. Returns the query that the provider sends back. */
async function comeToLink(browser: Client): Promise<URLSearchParams> {
  const begun = await browser.post(IDENTITIES, { provider: upstream.config.id });
  assert.equal(begun.status, 200, begun.text);
  return upstream.visit(begun.body.location);
}

/** Returns the response of a new passkey in a browser that came from the provider to sign up. */
async function comeToSignUp(browser: Client): Promise<unknown> {
  const back = await visitProvider(browser, upstream);
  assert.match(back.headers.get("location") ?? "", /^\/sign-up/);
  const made = await browser.post("/api/auth/passkey/registration/options", {});
  return await browser.authenticator.register(made.body, { origin: ORIGIN });
}

async function newPeople({ apps }: FourServices, count: number): Promise<readonly Client[]> {
  const people = Array.from({ length: count }, (_, index) => apps[index % 4]!.client());
  for (const [index, person] of people.entries()) await signUp(person, `person${index}@example.com`);
  return people;
}

/** Asserts that the identity belongs to one account, and that each account has the passkey of its creation. */
async function assertOneHolder({ apps: [app] }: FourServices): Promise<void> {
  const rowsOf = async (table: "identity" | "account" | "passkey" | "ethereum_key") =>
    (await app!.db.selectFrom(table).selectAll().execute()).length;
  assert.equal(await rowsOf("identity"), 1);
  const accounts = await rowsOf("account");
  assert.deepEqual([await rowsOf("passkey"), await rowsOf("ethereum_key")], [accounts, accounts]);
}

const RULES: readonly OnceRule[] = [
  {
    title: "comes back once with one state",
    prepare: async ({ apps, at }) => {
      const browser = apps[0]!.client();
      const location = await beginAt(browser, upstream);
      // Each with its own code, which the provider accepts once.
      return (service) => comeBack(at(service, browser), upstream, upstream.visit(location));
    },
    done: { "303": undefined },
    refused: ["400"],
  },
  {
    title: "is linked to one account of eight",
    prepare: async (services) => {
      const people = await newPeople(services, 8);
      const queries: URLSearchParams[] = [];
      for (let index = 0; index < AT_ONCE; index++) queries.push(await comeToLink(people[index % 8]!));
      return (service, index) =>
        comeBack(services.at(service, people[index % 8]!), upstream, queries[index]!);
    },
    done: { "303 linked": "identity_linked" },
    refused: ["303 already", "303 taken"],
    after: assertOneHolder,
  },
  {
    title: "signs up once in twenty browsers",
    prepare: async ({ apps, at }) => {
      const browsers = Array.from({ length: AT_ONCE }, (_, index) => apps[index % 4]!.client());
      const responses: unknown[] = [];
      for (const browser of browsers) responses.push(await comeToSignUp(browser));
      return (service, index) =>
        at((service + 1) % 4, browsers[index]!).post("/api/auth/passkey/registration", {
          response: responses[index],
        });
    },
    done: { "201": "account_created" },
    refused: ["409 account_exists"],
    after: assertOneHolder,
  },
  {
    title: "signs up or is linked",
    prepare: async (services) => {
      const [person] = await newPeople(services, 1);
      const browsers = Array.from({ length: AT_ONCE / 2 }, (_, index) => services.apps[index % 4]!.client());
      const responses: unknown[] = [];
      for (const browser of browsers) responses.push(await comeToSignUp(browser));
      const queries: URLSearchParams[] = [];
      for (let index = 0; index < AT_ONCE / 2; index++) queries.push(await comeToLink(person!));
      return (service, index) => {
        const half = index >> 1;
        return index % 2 === 0
          ? comeBack(services.at(service, person!), upstream, queries[half]!)
          : services.at(service, browsers[half]!).post("/api/auth/passkey/registration", {
            response: responses[half],
          });
      };
    },
    done: { "201": "account_created", "303 linked": undefined },
    refused: ["409 account_exists", "303 already", "303 taken"],
    after: assertOneHolder,
  },
  {
    title: "is unlinked once",
    prepare: async ({ browsers }) => {
      await comeBack(browsers[0]!, upstream, await comeToLink(browsers[0]!));
      const [{ id }] = (await browsers[1]!.get(IDENTITIES)).body.identities;
      return (service) => browsers[service]!.request("DELETE", `${IDENTITIES}/${id}`);
    },
    done: { "204": "identity_unlinked" },
    refused: ["404 not_found"],
  },
];

describe("a user of another provider, at four services at once,", () => testOnce(RULES, options));
