import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HOUR } from "../../src/lib/time.ts";
import { ask, ASKING_TERMS, assertionFor, newProgramOf, REQUESTS } from "../support/asking.ts";
import type { Program } from "../support/asking.ts";
import type { Client } from "../support/client.ts";
import { AT_ONCE, withFourServices } from "../support/four-services.ts";
import type { FourServices } from "../support/four-services.ts";
import { mailsTo } from "../support/recovery.ts";
import {
  askForConsent,
  decide,
  exchange,
  getCode,
  pkcePair,
  providerOf,
  registerClient,
  userinfo,
} from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";
import { counted, kindOf, testOnce } from "../support/once-rule.ts";
import type { OnceRule } from "../support/once-rule.ts";

const LIMIT = { timeout: 60_000 };

/** Registers a client, and creates its pending request for the owner's consent. */
async function pendingConsent(
  { apps, browsers }: FourServices,
): Promise<{ readonly client: Registered; readonly request: string }> {
  const client = await registerClient(providerOf(apps[0]!));
  return { client, request: await askForConsent(browsers[0]!, client, pkcePair()) };
}

const CONSENT: readonly OnceRule[] = [
  {
    title: "an allowed request gets one code",
    prepare: async (services) => {
      const { request } = await pendingConsent(services);
      return (service) => decide(services.browsers[service]!, request);
    },
    done: { "303 code": "consent_given" },
    refused: ["400"],
  },
  {
    title: "a request that is allowed and refused at once is one of them",
    prepare: async (services) => {
      const { request } = await pendingConsent(services);
      return (service, index) =>
        decide(services.browsers[service]!, request, index % 8 < 4 ? "approve" : "deny");
    },
    done: { "303 code": "consent_given", "303 access_denied": undefined },
    refused: ["400"],
  },
  {
    title: "a consent is withdrawn once",
    prepare: async (services) => {
      const { client, request } = await pendingConsent(services);
      await decide(services.browsers[0]!, request);
      return (service) =>
        services.browsers[service]!.request("DELETE", `/api/auth/grants/${client.clientId}`);
    },
    done: { "204": "consent_withdrawn" },
    refused: ["404 not_found"],
  },
];

describe("of twenty decisions about one request of an application", () => testOnce(CONSENT));

test("tokens that an application got while its consent was withdrawn are invalid", LIMIT, async () => {
  await withFourServices(async ({ apps, browsers }) => {
    const doors = apps.map(providerOf);
    const client = await registerClient(doors[0]!);
    await getCode(browsers[0]!, client);
    const given = await Promise.all(Array.from({ length: AT_ONCE }, () => getCode(browsers[0]!, client)));
    const answers = await Promise.all(given.map(async (code, index) => {
      if (index === AT_ONCE / 2) {
        const path = `/api/auth/grants/${client.clientId}`;
        assert.equal((await browsers[index % 4]!.request("DELETE", path)).status, 204);
      }
      return await exchange(doors[index % 4]!, client, code);
    }));
    assert.deepEqual(
      Object.keys(counted(answers.map(kindOf))).filter((kind) => !/^(200|400)/.test(kind)),
      [],
    );
    for (const { status, body } of answers) {
      if (status === 200) assert.equal((await userinfo(doors[3]!, body.access_token)).status, 401);
    }
    assert.deepEqual((await browsers[2]!.get("/api/auth/grants")).body.grants, []);
  });
});

/** Returns the owner's program at each service, under a policy that requires the owner's approval. */
async function newPrograms({ apps, browsers }: FourServices): Promise<readonly Program[]> {
  const { body } = await browsers[0]!.post("/api/auth/tokens", ASKING_TERMS);
  return apps.map((app) => newProgramOf(app, body.token.id, body.text));
}

/** Creates a request for a signature that the owner must approve. */
async function pendingSignature(
  services: FourServices,
): Promise<{ readonly programs: readonly Program[]; readonly id: string; readonly path: string }> {
  const programs = await newPrograms(services);
  const id = await ask(programs[0]!, services.keyId);
  return { programs, id, path: `${REQUESTS}/${id}` };
}

/** Returns `count` assertions of the owner's passkey, made one after another. */
async function touches(owner: Client, id: string, count: number): Promise<readonly unknown[]> {
  const responses: unknown[] = [];
  for (let touch = 0; touch < count; touch++) responses.push(await assertionFor(owner, id));
  return responses;
}

const OVER = "409 signing_request_over";
/** A passkey's counter never falls, so an earlier assertion may be refused because of that. */
const TOUCHED_BEFORE = "401 invalid_passkey";

const SIGNATURES: readonly OnceRule[] = [
  {
    title: "an assertion approves once",
    prepare: async (services) => {
      const { id, path } = await pendingSignature(services);
      const response = await assertionFor(services.browsers[0]!, id);
      return (service) => services.browsers[service]!.post(`${path}/approval`, { response });
    },
    done: { "200 signed": "message_signed" },
    refused: [OVER, TOUCHED_BEFORE],
  },
  {
    title: "twenty assertions approve once",
    prepare: async (services) => {
      const { id, path } = await pendingSignature(services);
      const responses = await touches(services.browsers[0]!, id, AT_ONCE);
      return (service, index) =>
        services.browsers[service]!.post(`${path}/approval`, { response: responses[index] });
    },
    done: { "200 signed": "message_signed" },
    refused: [OVER, TOUCHED_BEFORE],
  },
  {
    title: "a request that is approved, declined and withdrawn at once is one of them",
    prepare: async (services) => {
      const { programs, id, path } = await pendingSignature(services);
      const responses = await touches(services.browsers[0]!, id, AT_ONCE);
      const acts: readonly ((service: number, index: number) => ReturnType<Program["get"]>)[] = [
        (service) => services.browsers[service]!.post(`${path}/decline`),
        (service, index) =>
          services.browsers[service]!.post(`${path}/approval`, { response: responses[index] }),
        (service) => programs[service]!.remove(path),
      ];
      return (service, index) => acts[index % 3]!(service, index);
    },
    done: {
      "200 signed": "message_signed",
      "200 declined": "signing_request_ended",
      "204": "signing_request_ended",
    },
    refused: [OVER, TOUCHED_BEFORE],
  },
];

describe("of twenty decisions about one request of a program", () => testOnce(SIGNATURES));

describe("twenty requests of a program at four services", () => {
  test(
    "are one if they are equal, and the owner is notified once",
    LIMIT,
    () =>
      withFourServices(async (services) => {
        const { browsers, keyId, concurrently, count } = services;
        const programs = await newPrograms(services);
        const answers = await concurrently((service) =>
          programs[service]!.post(`/api/keys/${keyId}/sign`, { message: "hello" })
        );
        assert.deepEqual(counted(answers.map(kindOf)), { "202 pending": AT_ONCE });
        assert.equal(new Set(answers.map(({ body }) => body.request.id)).size, 1);
        assert.equal(await count("signature_asked"), 1);
        const mails = await mailsTo(browsers[3]!, "ada@example.com");
        assert.equal(mails.filter(({ text }) => text.includes(answers[0]!.body.request.id)).length, 1);
      }),
  );

  test(
    "are ten if each is different, because ten may be pending",
    LIMIT,
    () =>
      withFourServices(async (services) => {
        const programs = await newPrograms(services);
        const answers = await services.concurrently((service, index) =>
          programs[service]!.post(`/api/keys/${services.keyId}/sign`, { message: `message ${index}` })
        );
        assert.deepEqual(counted(answers.map(kindOf)), {
          "202 pending": 10,
          "429 too_many_signing_requests": AT_ONCE - 10,
        });
        assert.equal((await services.browsers[2]!.get(REQUESTS)).body.requests.length, 10);
      }),
  );

  test(
    "are signed or expired, and not both, if the hour ends at two of the services",
    LIMIT,
    () =>
      withFourServices(async (services) => {
        const { apps, browsers, keyId, concurrently, count } = services;
        const { programs, id, path } = await pendingSignature(services);
        for (const app of apps) app.now += HOUR - 60_000;
        const responses = await touches(browsers[0]!, id, AT_ONCE);
        // The clocks of two services are ahead of the others: a request there records the expiry.
        for (const [index, app] of apps.entries()) app.now += index < 2 ? 60_000 : 59_999;
        const answers = await concurrently((service, index) =>
          service < 2
            ? programs[service]!.post(`/api/keys/${keyId}/sign`, { message: `message ${index % 9}` })
            : browsers[service]!.post(`${path}/approval`, { response: responses[index] })
        );
        const kinds = counted(answers.map(kindOf));
        const known = ["200 signed", "202 pending", OVER, TOUCHED_BEFORE];
        assert.deepEqual(
          Object.keys(kinds).filter((kind) => !known.includes(kind)),
          [],
          JSON.stringify(kinds),
        );
        const signed = kinds["200 signed"] ?? 0;
        assert.ok(signed <= 1, JSON.stringify(kinds));
        assert.equal(await count("message_signed"), signed);
        const seen = await Promise.all(programs.map((program) => program.get(path)));
        const state = signed === 1 ? "signed" : "expired";
        assert.deepEqual(counted(seen.map(({ body }) => body.request.status)), { [state]: 4 });
      }),
  );
});
