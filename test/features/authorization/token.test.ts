import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { utf8 } from "../../../src/lib/bytes.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { forgetAccount } from "../../../src/store/delete-account-rows.ts";
import { createTestAuthority } from "../../support/vault.ts";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";
import {
  assertError,
  authorizeFully,
  callAs,
  CHALLENGE,
  changeClient,
  codeForm,
  deleteClient,
  encode,
  getCode,
  getTokens,
  INTROSPECT,
  postForm,
  redeem,
  refresh,
  register,
  REVOKE,
  rotateSecret,
  TOKEN,
  userinfo,
  VERIFIER,
} from "./story.ts";
import type { Fields } from "./story.ts";
import { basic } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";

const SECOND = 1000;
const DAY = 86_400_000;

async function openStory(
  change: object = {},
): Promise<{ app: TestApp; browser: Client; client: Registered }> {
  const app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  return { app, browser, client: await register(app, change) };
}

function basicOf(text: string | Uint8Array): Readonly<Record<string, string>> {
  const bytes = typeof text === "string" ? utf8(text) : text;
  return { authorization: `Basic ${bytes.toBase64()}` };
}

describe("POST token: PKCE", () => {
  test("requires the verifier of the challenge (T36 to T40), and still accepts it afterwards (T35, T42)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    const wrong = [
      undefined,
      "",
      "a".repeat(43),
      VERIFIER.slice(1),
      `${VERIFIER}=`,
      "a".repeat(129),
      CHALLENGE,
    ];
    wrong.push(`${VERIFIER.slice(1)}é`, VERIFIER.toLowerCase());
    for (const code_verifier of wrong) {
      assertError(await redeem(app, client, code, { code_verifier }), 400, "invalid_grant", code_verifier);
    }
    assert.equal((await redeem(app, client, code)).status, 200);
    assertError(await redeem(app, client, code), 400, "invalid_grant");
  });
});

describe("POST token: client authentication", () => {
  test("accepts Basic in any case of the scheme, form-url-decoded, beside an equal client_id (T60, T67, T70, T72)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { clientId, clientSecret } = client;
    const right = basic(client).authorization!.slice(6);
    const encoded = [...`${clientId}`].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    const cases: (readonly [Readonly<Record<string, string>>, Fields])[] = [
      [basic(client), {}],
      [basic(client), { client_id: clientId }],
      [{ authorization: `basic ${right}` }, {}],
      [{ authorization: `BASIC  ${right}` }, {}],
      [basicOf(`${encoded}:${clientSecret}`), {}],
    ];
    for (const [headers, change] of cases) {
      const form = codeForm(client, await getCode(browser, client), change);
      assert.equal((await postForm(app.client(), TOKEN, form, headers)).status, 200);
    }
  });

  test("refuses everything else as 401 invalid_client with WWW-Authenticate (T61 to T66, T69, T71, T72)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { clientId, clientSecret } = client;
    const code = await getCode(browser, client);
    const secret = { client_secret: clientSecret };
    type Way = readonly [string, Readonly<Record<string, string>>, Fields];
    const cases: Way[] = [
      ["T61", basicOf(`${clientId}:wrong`), {}],
      ["T62", basicOf(`0123456789abcdefghijklmnop:${clientSecret}`), {}],
      ["T64", {}, {}],
      ["T64", {}, { client_id: clientId }],
      ["T65", {}, { client_id: clientId, ...secret }],
      ["T66", basic(client), secret],
      ["T71", { authorization: "Basic !!!" }, {}],
      ["T71", { authorization: "Basic" }, {}],
      ["T71", basicOf(clientId), {}],
      ["T71", basicOf(`:${clientSecret}`), {}],
      ["T71", basicOf(`${clientId}:`), {}],
      ["T71", basicOf(`${clientId}:%zz`), {}],
      ["T71", basicOf(`${clientId}:\0`), {}],
      ["T71", basicOf(new Uint8Array([255, 58, 255])), {}],
      ["T72", { authorization: `Bearer ${clientSecret}` }, {}],
    ];
    for (const [number, headers, change] of cases) {
      for (const path of [TOKEN, REVOKE, INTROSPECT]) {
        const form = { ...codeForm(client, code, change), token: "x" };
        const answer = await postForm(app.client(), path, form, headers);
        assertError(answer, 401, "invalid_client", `${number} ${path} ${answer.text}`);
        assert.equal(answer.headers.get("www-authenticate"), 'Basic realm="oauth"');
        assert.ok(!answer.text.includes(clientSecret!));
      }
    }
    const inQuery = await postForm(
      app.client(),
      `${TOKEN}?client_secret=${clientSecret}`,
      codeForm(client, code),
      basic(client),
    );
    assertError(inQuery, 401, "invalid_client", "T69");
    assert.ok(!app.logged.join("\n").includes(clientSecret!), "T69: no log has the secret");
    const misplaced = await postForm(app.client(), TOKEN, {
      ...codeForm(client, code),
      client_id: clientId,
      ...secret,
    });
    assert.equal(
      misplaced.body.error_description,
      "This client authenticates with client_secret_basic; remove client_secret from the body",
    );
    assert.equal((await redeem(app, client, code)).status, 200);
  });

  test("refuses another client_id in the body (T68) and two Authorization headers (T72)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    const other = await postForm(
      app.client(),
      TOKEN,
      codeForm(client, code, { client_id: "x" }),
      basic(client),
    );
    assertError(other, 400, "invalid_request", "T68");
    const { authorization } = basic(client);
    const both = { authorization: `${authorization}, ${authorization}` };
    assertError(await postForm(app.client(), TOKEN, codeForm(client, code), both), 400, "invalid_request");
  });

  test("refuses a disabled client (T63) and accepts it again once it is enabled", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    await changeClient(app, client, { disabled: true });
    assertError(await redeem(app, client, code), 401, "invalid_client");
    await changeClient(app, client, { disabled: false });
    assert.equal((await redeem(app, client, code)).status, 200);
  });

  test("identifies public clients by client_id alone", async () => {
    for (const type of ["spa", "native"]) {
      const { app, browser, client } = await openStory({ type });
      await using _ = app;
      const code = await getCode(browser, client);
      const form = codeForm(client, code, { client_id: client.clientId });
      assertError(
        await postForm(app.client(), TOKEN, form, basicOf(`${client.clientId}:x`)),
        401,
        "invalid_client",
      );
      assertError(
        await postForm(app.client(), TOKEN, { ...form, client_secret: "x" }),
        401,
        "invalid_client",
      );
      assertError(await postForm(app.client(), TOKEN, codeForm(client, code)), 401, "invalid_client");
      assert.equal((await redeem(app, client, code)).status, 200);
    }
  });

  test("refuses the old secret at once after a rotation (T73)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    const rotated = await rotateSecret(app, client);
    assertError(await redeem(app, client, code), 401, "invalid_client");
    assert.equal((await redeem(app, rotated, code)).status, 200);
  });

  test("limits failures to 20 a minute for a client and network, and for no other (T73, T152)", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const client = await register(app);
    const wrong = (address: string) =>
      postForm(app.client(address), TOKEN, { grant_type: "refresh_token" }, basicOf(`${client.clientId}:x`));
    for (let round = 0; round < 20; round++) {
      assert.equal((await wrong(`2001:db8::${round}`)).status, 401);
    }
    const limited = await wrong("2001:db8::ffff");
    assertError(limited, 429, "temporarily_unavailable");
    assert.match(limited.headers.get("retry-after")!, /^[1-9]\d*$/);
    assert.equal((await wrong("2001:db8:0:1::1")).status, 401);
    const form = { grant_type: "refresh_token", refresh_token: "x" };
    assertError(await postForm(app.client("198.51.100.7"), TOKEN, form, basic(client)), 400, "invalid_grant");
  });
});

describe("POST token: the form", () => {
  test("needs a supported grant_type (T74, T80)", async () => {
    const { app, client } = await openStory();
    await using _ = app;
    for (const grant_type of [undefined, ""]) {
      assertError(await callAs(app, client, TOKEN, { grant_type, code: "x" }), 400, "invalid_request");
    }
    const unlisted = ["password", "implicit", "client_credentials", "foo", "constructor", "__proto__"];
    for (const grant_type of unlisted) {
      assertError(await callAs(app, client, TOKEN, { grant_type }), 400, "unsupported_grant_type");
    }
  });

  test("is a form of at most 64 KiB, by POST, and the query is ignored (T75, T76, T77)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    const form = encode(codeForm(client, code));
    const server = app.client();
    const headers = basic(client);
    assertError(await server.post(TOKEN, codeForm(client, code), { headers }), 415, "invalid_request");
    assertError(await postForm(server, TOKEN, "", headers), 400, "invalid_request");
    assertError(await postForm(server, TOKEN, `a=${"a".repeat(65_536)}`, headers), 413, "invalid_request");
    assertError(await postForm(server, TOKEN, "a=%zz", headers), 400, "invalid_request");
    assertError(await postForm(server, `${TOKEN}?${form}`, "", headers), 400, "invalid_request");
    const get = await server.get(`${TOKEN}?${form}`, { headers });
    assertError(get, 405, "invalid_request");
    assert.equal(get.headers.get("allow"), "POST, OPTIONS");
    // A parameter in the query does not count as repeated.
    assert.equal((await postForm(server, `${TOKEN}?code=x`, form, headers)).status, 200);
  });

  test("has each parameter once (T78), ignores unknown ones (T79) and treats an empty one as missing (T80, T88)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    const form = `${encode(codeForm(client, code, { client_id: client.clientId }))}&refresh_token=x`;
    for (const [name, value] of new URLSearchParams(form)) {
      const twice = `${form}&${encode({ [name]: value })}`;
      const answer = await postForm(app.client(), TOKEN, twice, basic(client));
      assertError(answer, 400, "invalid_request", name);
      assert.equal(answer.body.error_description, `Send ${name} once`);
    }
    for (const name of ["code", "redirect_uri"]) {
      for (const value of [undefined, ""]) {
        assertError(await redeem(app, client, code, { [name]: value }), 400, "invalid_request", name);
      }
    }
    assert.equal((await redeem(app, client, code, { foo: "bar", client_secret: "" })).status, 200);
  });

  test("answers JSON that is not cached, and no error echoes input (T81, T112, T118)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    const refused = await redeem(app, client, code, { code_verifier: "v".repeat(50) });
    for (const secret of [code, client.clientSecret!, "v".repeat(50)]) {
      assert.ok(!refused.text.includes(secret));
    }
    const { headers, body, status } = await redeem(app, client, code);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/json");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("pragma"), "no-cache");
    assert.deepEqual(headers.getSetCookie(), []);
    const { access_token, id_token, refresh_token, ...rest } = body;
    assert.deepEqual(rest, { token_type: "Bearer", expires_in: 3600, scope: "openid" });
    assert.match(refresh_token, /^[A-Za-z0-9]{60,}$/);
    const log = app.logged.join("\n");
    for (const secret of [access_token, id_token, refresh_token, code, VERIFIER]) {
      assert.ok(!log.includes(secret));
    }
  });
});

describe("POST token: codes", () => {
  test("work once; a correct replay revokes the tokens of the first use (T82, T83)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    const { body } = await redeem(app, client, code);
    assert.equal((await userinfo(app, body.access_token)).status, 200);
    assertError(await redeem(app, client, code), 400, "invalid_grant");
    assert.equal((await userinfo(app, body.access_token)).status, 401);
    assertError(await refresh(app, client, body.refresh_token), 400, "invalid_grant");
    const active = await callAs(app, client, INTROSPECT, { token: body.access_token });
    assert.deepEqual(active.body, { active: false });
  });

  test("replayed by another client, or with a wrong verifier, revoke nothing (T84)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const other = await register(app);
    const code = await getCode(browser, client);
    const { body } = await redeem(app, client, code);
    assertError(await postForm(app.client(), TOKEN, codeForm(client, code)), 401, "invalid_client");
    assertError(await redeem(app, other, code), 400, "invalid_grant");
    assertError(await redeem(app, client, code, { code_verifier: "a".repeat(43) }), 400, "invalid_grant");
    assert.equal((await userinfo(app, body.access_token)).status, 200);
    assert.equal((await refresh(app, client, body.refresh_token)).status, 200);
  });

  test(
    "give tokens to one of 100 requests at once, and these are revoked (T85)",
    { timeout: 60_000 },
    async () => {
      const { app, browser, client } = await openStory();
      await using _ = app;
      const code = await getCode(browser, client);
      const answers = await Promise.all(Array.from({ length: 100 }, () => redeem(app, client, code)));
      const won = answers.filter(({ status }) => status === 200);
      assert.equal(won.length, 1);
      for (const answer of answers) if (answer !== won[0]) assertError(answer, 400, "invalid_grant");
      assert.equal((await userinfo(app, won[0]!.body.access_token)).status, 401);
      assertError(await refresh(app, client, won[0]!.body.refresh_token), 400, "invalid_grant");
    },
  );

  test("are bound to the client (T86) and the redirect URI, with the requested port (T87, T89)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const other = await register(app);
    const code = await getCode(browser, client);
    assertError(await redeem(app, other, code), 400, "invalid_grant");
    const redirect_uri = client.redirectUris[1];
    assertError(await redeem(app, client, code, { redirect_uri }), 400, "invalid_grant");
    assert.equal((await redeem(app, client, code)).status, 200);

    const native = await register(app, { type: "native", redirectUris: ["http://127.0.0.1/cb"] });
    const used = { redirect_uri: "http://127.0.0.1:51004/cb" };
    const location = await authorizeFully(browser, native, used);
    const nativeCode = location.searchParams.get("code")!;
    assertError(await redeem(app, native, nativeCode), 400, "invalid_grant");
    assert.equal((await redeem(app, native, nativeCode, used)).status, 200);
  });

  test("last 60 seconds (T90), and stay expired when the clock goes back (T149)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const [inTime, late] = [await getCode(browser, client), await getCode(browser, client)];
    app.now += 59 * SECOND;
    assert.equal((await redeem(app, client, inTime)).status, 200);
    app.now += 2 * SECOND;
    assertError(await redeem(app, client, late), 400, "invalid_grant");
    app.now -= 300 * SECOND;
    assertError(await redeem(app, client, late), 400, "invalid_grant");
  });

  test("are compared exactly, and no other token is accepted as one (T91, T92)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const tokens = await getTokens(app, browser, client);
    const code = await getCode(browser, client);
    const session = browser.cookies.get("service.session_token")!;
    const others = [code.slice(1), code.slice(0, -1), `${code}a`, code.toUpperCase(), `${code}=`, "x", "%00"];
    others.push(tokens.access_token, tokens.id_token, tokens.refresh_token, session, client.clientSecret!);
    for (const other of others) {
      assertError(await redeem(app, client, other), 400, "invalid_grant", other.slice(0, 20));
    }
    assertError(await refresh(app, client, code), 400, "invalid_grant");
    assert.equal((await userinfo(app, code)).status, 401);
    const thief = app.client();
    thief.cookies.set("service.session_token", code);
    assert.equal((await thief.get("/api/keys")).status, 401);
    assert.equal((await redeem(app, client, code)).status, 200);
  });

  test("are refused after account (T93), redirect URI (T95) or client are deleted", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client);
    await changeClient(app, client, { redirectUris: ["https://books.example/new"] });
    assertError(await redeem(app, client, code), 400, "invalid_grant", "T95");
    const other = await register(app);
    const tokens = await getTokens(app, browser, other);
    const orphan = await getCode(browser, other);
    const { id } = await app.db.selectFrom("account").select("id").executeTakeFirstOrThrow();
    await transaction(app.db, (tx) => forgetAccount(tx, createTestAuthority(app.vault), id));
    assertError(await redeem(app, other, orphan), 400, "invalid_grant", "T93");
    assertError(await refresh(app, other, tokens.refresh_token), 400, "invalid_grant", "T106");
    assert.equal((await userinfo(app, tokens.access_token)).status, 401, "T126");
  });
});

describe("POST token: refreshing", () => {
  test("issues new tokens (T96), the same for ten seconds (T100), and revokes the family later (T97)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const first = await getTokens(app, browser, client);
    const { body: second, status } = await refresh(app, client, first.refresh_token);
    assert.equal(status, 200);
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.notEqual(second.access_token, first.access_token);
    app.now += 10 * SECOND - 1;
    assert.deepEqual((await refresh(app, client, first.refresh_token)).body, second);
    app.now += 1;
    assertError(await refresh(app, client, first.refresh_token), 400, "invalid_grant");
    assertError(await refresh(app, client, second.refresh_token), 400, "invalid_grant");
    assert.equal((await userinfo(app, second.access_token)).status, 401);
  });

  test("revokes the family at a reuse after the new token was used, and no other family (T98)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const other = await getTokens(app, browser, client);
    const first = await getTokens(app, browser, client);
    const { body: second } = await refresh(app, client, first.refresh_token);
    const { body: third } = await refresh(app, client, second.refresh_token);
    assertError(await refresh(app, client, first.refresh_token), 400, "invalid_grant");
    assertError(await refresh(app, client, third.refresh_token), 400, "invalid_grant");
    assert.equal((await refresh(app, client, other.refresh_token)).status, 200);
  });

  test("issues one successor to 50 requests at once (T99)", { timeout: 60_000 }, async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { refresh_token } = await getTokens(app, browser, client);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(app, client, refresh_token)));
    const children = new Set(
      answers.filter(({ status }) => status === 200).map(({ body }) => body.refresh_token),
    );
    assert.equal(children.size, 1);
  });

  test("is bound to the authenticated client (T101, T102), and needs a refresh token (T103)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { refresh_token, access_token } = await getTokens(app, browser, client);
    const other = await register(app);
    assertError(await refresh(app, other, refresh_token), 400, "invalid_grant");
    const form = { grant_type: "refresh_token", refresh_token };
    assertError(await postForm(app.client(), TOKEN, form), 401, "invalid_client");
    for (const wrong of ["x", `${refresh_token}a`, refresh_token.slice(1), access_token]) {
      assertError(await refresh(app, client, wrong), 400, "invalid_grant");
    }
    assertError(await refresh(app, client, ""), 400, "invalid_request");
    assert.equal((await refresh(app, client, refresh_token)).status, 200);
  });

  test("works for 7 days from each issue and 90 days in all (T104)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    let { refresh_token } = await getTokens(app, browser, client);
    const late = await getTokens(app, browser, client);
    const start = app.now;
    app.now += 7 * DAY;
    assertError(await refresh(app, client, late.refresh_token), 400, "invalid_grant");
    app.now -= 1;
    for (; app.now < start + 90 * DAY - 1; app.now = Math.min(app.now + 7 * DAY - 1, start + 90 * DAY - 1)) {
      const { status, body } = await refresh(app, client, refresh_token);
      assert.equal(status, 200, String((app.now - start) / DAY));
      refresh_token = body.refresh_token;
    }
    refresh_token = (await refresh(app, client, refresh_token)).body.refresh_token;
    app.now += 1;
    assertError(await refresh(app, client, refresh_token), 400, "invalid_grant");
  });

  test("accepts the granted scope and no other (T105)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { refresh_token } = await getTokens(app, browser, client);
    for (const scope of ["openid email", "email", '"']) {
      assertError(await refresh(app, client, refresh_token, { scope }), 400, "invalid_scope");
    }
    assert.equal((await refresh(app, client, refresh_token, { scope: "openid" })).body.scope, "openid");
  });

  test("is refused for a disabled client (T107), at revocation (T111) and at deletion", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const [first, second] = [await getTokens(app, browser, client), await getTokens(app, browser, client)];
    await changeClient(app, client, { disabled: true });
    assertError(await refresh(app, client, first.refresh_token), 401, "invalid_client");
    assert.equal((await userinfo(app, first.access_token)).status, 401);
    await changeClient(app, client, { disabled: false });
    assert.equal((await callAs(app, client, REVOKE, { token: first.refresh_token })).status, 200);
    assertError(await refresh(app, client, first.refresh_token), 400, "invalid_grant");
    assert.equal((await userinfo(app, first.access_token)).status, 401);
    assert.equal((await userinfo(app, second.access_token)).status, 200);
    await deleteClient(app, client);
    assertError(await refresh(app, client, second.refresh_token), 401, "invalid_client");
    assert.equal((await userinfo(app, second.access_token)).status, 401);
  });

  test("still works after the user signed out", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { refresh_token } = await getTokens(app, browser, client);
    await browser.post("/api/auth/sign-out");
    assert.equal((await refresh(app, client, refresh_token)).status, 200);
  });
});

test("a client makes at most 600 token requests a minute from a network", { timeout: 60_000 }, async () => {
  await using app = await createTestApp({ rateLimits: "on" });
  const client = await register(app);
  const form = { grant_type: "refresh_token", refresh_token: "x" };
  const ask = (address: string) => postForm(app.client(address), TOKEN, form, basic(client));
  for (let round = 0; round < 600; round++) assert.equal((await ask("192.0.2.1")).status, 400);
  const limited = await ask("192.0.2.1");
  assertError(limited, 429, "temporarily_unavailable");
  assert.match(limited.headers.get("retry-after")!, /^[1-9]\d*$/);
  assertError(await ask("192.0.2.2"), 400, "invalid_grant");
});
