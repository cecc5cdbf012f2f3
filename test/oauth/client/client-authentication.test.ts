import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newSecret } from "../../../src/lib/id.ts";
import { connectDatabase } from "../../../src/db/database.ts";
import { createGroupCommit } from "../../../src/db/group-commit.ts";
import { engineOf } from "../../../src/db/port.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import { createRateLimiter } from "../../../src/limits/rate-limit.ts";
import {
  changeClient,
  endPreviousSecret,
  rotateClientSecret,
} from "../../../src/oauth/client/client-administration.ts";
import { authenticateClient } from "../../../src/oauth/client/client-authentication.ts";
import type { ClientCredentials } from "../../../src/oauth/client/client-authentication.ts";
import type { ClientType } from "../../../src/db/schema/oauth.ts";
import { NETWORK, NOW, oauthError, openFixture, random, register } from "../fixture.ts";

const UNKNOWN = "0".repeat(26);

function basic(text: string): string {
  return `Basic ${new TextEncoder().encode(text).toBase64()}`;
}

async function stage(type: ClientType = "web") {
  const fixture = await openFixture();
  const { client, clientSecret = "" } = await register(fixture, { type });
  const authenticate = (
    { authorization, form = {}, query = [], network = NETWORK, now = NOW }: {
      authorization?: string;
      form?: Record<string, string>;
      query?: string[];
      network?: string;
      now?: number;
    },
    services = fixture.services,
  ) => {
    const credentials: ClientCredentials = {
      authorization,
      form: new Map(Object.entries(form)),
      queryNames: new Set(query),
      network,
      now,
    };
    return authenticateClient(fixture.db, services, credentials);
  };
  const right = basic(`${client.clientId}:${clientSecret}`);
  return { ...fixture, fixture, client, clientSecret, right, authenticate };
}

/** Percent-encodes every character. */
function encodeAll(text: string): string {
  return [...text].map((character) => "%" + character.charCodeAt(0).toString(16)).join("");
}

describe("authenticateClient() of a web client", () => {
  test("accepts HTTP Basic, the scheme in any case and with more spaces (T60, T72)", async () => {
    const { authenticate, right, client, taken } = await stage();
    for (const scheme of ["Basic ", "basic ", "BASIC ", "Basic  "]) {
      assert.deepEqual(await authenticate({ authorization: right.replace("Basic ", scheme) }), client);
    }
    assert.deepEqual(taken, []);
  });

  test("accepts an equal client_id and an empty client_secret in the body (T67)", async () => {
    const { authenticate, right, client } = await stage();
    const form = { client_id: client.clientId, client_secret: "" };
    assert.deepEqual(await authenticate({ authorization: right, form }), client);
  });

  test("form-url-decodes both parts (T70)", async () => {
    const { authenticate, client, clientSecret } = await stage();
    const authorization = basic(`${encodeAll(client.clientId)}:${encodeAll(clientSecret)}`);
    assert.deepEqual(await authenticate({ authorization }), client);
  });

  test("refuses another client_id in the body as invalid_request (T68)", async () => {
    const { authenticate, right } = await stage();
    const sent = authenticate({ authorization: right, form: { client_id: UNKNOWN } });
    await assert.rejects(sent, oauthError("invalid_request"));
  });

  test("refuses two Authorization headers as invalid_request (T72)", async () => {
    const { authenticate, right } = await stage();
    await assert.rejects(
      authenticate({ authorization: `${right}, ${right}` }),
      oauthError("invalid_request"),
    );
  });

  test("gives the same answer to a wrong secret, an unknown and a disabled client (T61, T62, T63)", async () => {
    const { authenticate, fixture, client, right } = await stage();
    const messages = new Set<string>();
    const tryWith = (authorization: string) =>
      assert.rejects(authenticate({ authorization }), (error) => {
        messages.add((error as Error).message);
        return oauthError("invalid_client")(error);
      });
    await tryWith(basic(`${client.clientId}:${"x".repeat(43)}`));
    await tryWith(basic(`${UNKNOWN}:${"x".repeat(43)}`));
    await transaction(
      fixture.db,
      (tx) =>
        changeClient(tx, fixture.services, {
          random,
          clientId: client.clientId,
          change: { disabled: true },
          now: NOW,
        }),
    );
    await tryWith(right);
    assert.equal(messages.size, 1);
  });

  test("refuses the old secret after a rotation and accepts the new one (T73)", async () => {
    const { authenticate, db, services, client, right } = await stage();
    const clientSecret = newSecret(random);
    await transaction(
      db,
      (tx) =>
        rotateClientSecret(tx, services, {
          clientId: client.clientId,
          clientSecret,
          previousUntil: undefined,
          now: NOW,
        }),
    );
    await assert.rejects(authenticate({ authorization: right }), oauthError("invalid_client"));
    await authenticate({ authorization: basic(`${client.clientId}:${clientSecret}`) });
  });

  test("accepts two secrets until the older one expires, and never a third", async () => {
    const { authenticate, db, services, client: { clientId }, clientSecret: first } = await stage();
    const rotate = async (previousUntil: number | undefined) => {
      const value = { clientId, clientSecret: newSecret(random), previousUntil, now: NOW };
      return (await transaction(db, (tx) => rotateClientSecret(tx, services, value))).clientSecret!;
    };
    const isGood = async (secret: string, now = NOW) => {
      try {
        await authenticate({ authorization: basic(`${clientId}:${secret}`), now });
        return true;
      } catch (error) {
        oauthError("invalid_client")(error);
        return false;
      }
    };
    const goods = async (secrets: readonly string[], now = NOW) =>
      await Promise.all(secrets.map((secret) => isGood(secret, now)));
    const second = await rotate(NOW + 1000);
    assert.deepEqual(await goods([first, second]), [true, true]);
    assert.deepEqual(await goods([first, second], NOW + 999), [true, true]);
    assert.deepEqual(await goods([first, second], NOW + 1000), [false, true]);
    const third = await rotate(NOW + 1000);
    assert.deepEqual(await goods([first, second, third]), [false, true, true]);
    const other = await stage();
    assert.equal(await isGood(other.clientSecret), false, "another client's");
    await transaction(db, (tx) => endPreviousSecret(tx, services, { clientId, now: NOW }));
    assert.deepEqual(await goods([first, second, third]), [false, false, true]);
    const again = transaction(db, (tx) => endPreviousSecret(tx, services, { clientId, now: NOW }));
    await assert.rejects(again, { code: "not_found" });
    const fourth = await rotate(undefined);
    assert.deepEqual(await goods([third, fourth]), [false, true], "without an overlap at once");
  });

  test("refuses a previous secret whose expiry an attacker moved in the database", async () => {
    const { authenticate, db, services, client: { clientId }, clientSecret: first } = await stage();
    const clientSecret = newSecret(random);
    const value = { clientId, clientSecret, previousUntil: NOW + 1000, now: NOW };
    await transaction(db, (tx) => rotateClientSecret(tx, services, value));
    await db.updateTable("client").set({ previous_secret_expires_at: NOW + 1e9 }).execute();
    const late = authenticate({ authorization: basic(`${clientId}:${first}`), now: NOW + 2000 });
    await assert.rejects(late, oauthError("invalid_client"));
  });

  test("refuses everything else as invalid_client (T64, T65, T66, T69, T71, T72)", async () => {
    const { authenticate, client, clientSecret, right, taken } = await stage();
    const id = client.clientId;
    const encoded = right.slice("Basic ".length);
    const sent = [
      {},
      { form: { client_id: id } },
      { form: { client_id: id, client_secret: clientSecret } },
      { authorization: right, form: { client_secret: clientSecret } },
      { authorization: right, form: { client_id: id, client_secret: "x" } },
      { authorization: right, query: ["client_secret"] },
      { authorization: right, form: { client_assertion: "x" } },
      { form: { client_id: id, client_assertion: "x" } },
      { authorization: "" },
      { authorization: "Basic" },
      { authorization: "Basic " },
      { authorization: `Bearer ${encoded}` },
      { authorization: encoded },
      { authorization: right + "=" },
      { authorization: right + "!" },
      { authorization: `Basic ${encoded.slice(0, -3)}` },
      { authorization: basic(id) },
      { authorization: basic(`:${clientSecret}`) },
      { authorization: basic(`${id}:`) },
      { authorization: basic(`${id}:%zz`) },
      { authorization: basic(`${id}:${clientSecret}%`) },
      { authorization: basic(`${id}:${clientSecret}\0`) },
      { authorization: basic(`${id}:${clientSecret}\n`) },
      { authorization: basic(`${id}: ${clientSecret}`) },
      { authorization: basic(`${id.toUpperCase()}:${clientSecret}`) },
      { authorization: `Basic ${Uint8Array.of(0xff, 0x3a, 0xfe).toBase64()}` },
    ];
    for (const credentials of sent) {
      await assert.rejects(authenticate(credentials), oauthError("invalid_client"));
    }
    assert.equal(taken.length, sent.length);
    assert.ok(
      taken.every(({ name, subject }) => name === "client_authentication" && subject.startsWith(NETWORK)),
    );
  });

  test("names the allowed method when the secret is in the body or the client sends none", async () => {
    const { authenticate, client } = await stage();
    const form = { client_id: client.clientId };
    await assert.rejects(authenticate({ form: { ...form, client_secret: "x" } }), {
      message: "This client authenticates with client_secret_basic; remove client_secret from the body",
    });
    await assert.rejects(authenticate({ form }), {
      message: "This client authenticates with client_secret_basic",
    });
  });
});

for (const type of ["spa", "native"] as const) {
  describe(`authenticateClient() of a ${type} client`, () => {
    test("accepts client_id alone", async () => {
      const { authenticate, client } = await stage(type);
      assert.deepEqual(await authenticate({ form: { client_id: client.clientId } }), client);
    });

    test("refuses any secret or Authorization header, and names the reason", async () => {
      const { authenticate, client: { clientId } } = await stage(type);
      const sent = [
        { form: { client_id: clientId, client_secret: "x" } },
        { form: { client_id: clientId }, authorization: basic(`${clientId}:x`) },
        { authorization: basic(`${clientId}:x`) },
      ];
      for (const credentials of sent) {
        await assert.rejects(authenticate(credentials), { code: "invalid_client", message: /is public/ });
      }
    });
  });
}

test("authenticateClient() limits failures for each client and network and no other (T73)", async () => {
  const { authenticate, services, client, right } = await stage();
  const limited = { ...services, limits: createRateLimiter(services.vault) };
  const wrong = basic(`${client.clientId}:${"x".repeat(43)}`);
  for (let count = 0; count < 20; count++) {
    await assert.rejects(authenticate({ authorization: wrong }, limited), oauthError("invalid_client"));
  }
  await assert.rejects(
    authenticate({ authorization: wrong }, limited),
    (error) => error instanceof ProtocolError && error.code === "rate_limited",
  );
  await authenticate({ authorization: right, network: "192.0.2.2" }, limited);
  const other = authenticate({ authorization: wrong, network: "192.0.2.2" }, limited);
  await assert.rejects(other, oauthError("invalid_client"));
});

test("authenticateClient() counts unknown clients for the network only", async () => {
  const { authenticate, services, client, right } = await stage();
  const limited = { ...services, limits: createRateLimiter(services.vault) };
  const named = (index: number): string => basic(`${UNKNOWN.slice(2)}${10 + index}:${"x".repeat(43)}`);
  for (let count = 0; count < 20; count++) {
    await assert.rejects(
      authenticate({ authorization: named(count) }, limited),
      oauthError("invalid_client"),
    );
  }
  const isLimited = (error: unknown) => error instanceof ProtocolError && error.code === "rate_limited";
  await assert.rejects(authenticate({ authorization: named(20) }, limited), isLimited);
  await assert.rejects(authenticate({ form: { client_id: "unknown" } }, limited), isLimited);
  const elsewhere = authenticate({ authorization: named(21), network: "192.0.2.2" }, limited);
  await assert.rejects(elsewhere, oauthError("invalid_client"));
  assert.deepEqual(await authenticate({ authorization: right }, limited), client);
});

test("authenticateClient() shares the commits of failures with other writers", async () => {
  const { authenticate, services, fixture } = await stage();
  let [jobs, commits] = [0, 0];
  const engine = engineOf(fixture.db);
  const counting = createGroupCommit(connectDatabase({
    ...engine,
    transaction: (job) => (commits++, engine.transaction(job)),
  }));
  const groupCommit: typeof services.groupCommit = { run: (job) => (jobs++, counting.run(job)) };
  const failures = Array.from({ length: 20 }, () => authenticate({}, { ...services, groupCommit }));
  for (const failure of await Promise.allSettled(failures)) assert.equal(failure.status, "rejected");
  assert.equal(jobs, 20);
  assert.ok(commits < 5, `${commits} commits`);
});
