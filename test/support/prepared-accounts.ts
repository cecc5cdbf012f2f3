import assert from "node:assert/strict";
import { ADMIN_KEY } from "./app.ts";
import type { TestApp } from "./app.ts";
import { ask, ASKING_POLICY, ASKING_TERMS, newProgramOf } from "./asking.ts";
import { proveAddress, signIn, signUp } from "./client.ts";
import type { Client } from "./client.ts";
import type { Json } from "../../scripts/openapi/schemas.ts";
import type { Credential, Known } from "./generated-requests.ts";
import { comeBack } from "./identity.ts";
import type { IdentityStage } from "./identity.ts";
import {
  authorizePath,
  basic,
  getCode,
  getTokens,
  pendingOf,
  pkcePair,
  postForm,
  providerOf,
  registerClient,
  userinfo,
} from "./oauth.ts";
import type { Fields, Tokens } from "./oauth.ts";
import { begin, makeCodes } from "./recovery.ts";

const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };
const SCOPE = "openid";
const RETURN = "https://books.example/bye";

/** Accounts, an application and their credentials, which requests of a test may end at any time. */
export interface PreparedAccounts {
  /** Creates the values that are missing or have ended. Returns all. */
  renew(): Promise<Known>;
}

function cookiesOf({ cookies }: Client): Credential {
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
}

const bearer = (token: string): Credential => ({ authorization: `Bearer ${token}` });

async function isOk(client: Client, path: string, headers: Fields = {}): Promise<boolean> {
  return (await client.get(path, { headers })).status === 200;
}

let accounts = 0;
const newAddress = (): string => `person${++accounts}@example.com`;

async function newAccount(app: TestApp): Promise<Client> {
  const client = app.client();
  await signUp(client, newAddress());
  return client;
}

interface Token {
  readonly id: string;
  readonly text: string;
}

/** Creates a token; undefined if the account has too many. */
async function newToken(owner: Client, terms: object): Promise<Token | undefined> {
  const { status, body } = await owner.post("/api/auth/tokens", terms);
  return status === 201 ? { id: body.token.id, text: body.text } : undefined;
}

/** Begins a recovery of a new account. Returns the browser that began it. */
async function newRecovery(app: TestApp): Promise<Client> {
  const [lost, elsewhere, email] = [app.client(), app.client(), newAddress()];
  await signUp(lost, email);
  const begun = await begin(elsewhere, email, (await makeCodes(lost))[0]);
  assert.equal(begun.status, 201, begun.text);
  return elsewhere;
}

/** Links an identity of the provider to the account. */
async function link(owner: Client, { upstream }: IdentityStage): Promise<void> {
  const begun = await owner.post("/api/auth/account/identities", { provider: upstream.config.id });
  if (begun.status === 200) await comeBack(owner, upstream, upstream.visit(begun.body.location));
}

// deno-lint-ignore no-explicit-any -- lists of every shape
async function listOf(client: Client, path: string, headers: Fields = {}): Promise<any> {
  return (await client.get(path, { headers })).body;
}

const idsOf = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id);

export async function prepareAccounts(stage: IdentityStage): Promise<PreparedAccounts> {
  const { app } = stage;
  const provider = providerOf(app);
  const other = await newAccount(app);
  const [foreignKey] = (await listOf(other, "/api/keys")).keys;
  const foreignAccount = (await listOf(other, "/api/auth/session")).account.id;
  const assets = (await app.client().get("/sign-in")).text.match(/\/assets\/([^/]+)\/([^"]+)/)!;
  let owner = await newAccount(app);
  let token: Token | undefined;
  let asking: Token | undefined;
  let recovering = await newRecovery(app);
  let administrator = app.client();
  const client = await registerClient(provider, { postLogoutRedirectUris: [RETURN] });
  /** The client that requests change, so that the other one stays as it is. */
  let changed = await registerClient(provider);
  let tokens: Tokens | undefined;

  async function replaceOwner(): Promise<void> {
    owner = await newAccount(app);
    token = asking = tokens = undefined;
  }

  /** Signs the owner in. Replaces an account that cannot be used any more. */
  async function renewOwner(): Promise<void> {
    if ((await listOf(owner, "/api/auth/session")).session !== null) return;
    if ((await signIn(owner)).status !== 200) await replaceOwner();
  }

  async function renewTokens(): Promise<void> {
    const isGood = async (one: Token | undefined) =>
      one !== undefined && await isOk(app.client(), "/api/keys", bearer(one.text));
    if (!await isGood(token)) {
      token = await newToken(owner, { name: "All", keys: "all", actions: ["read", "sign"] });
    }
    if (!await isGood(asking)) asking = await newToken(owner, ASKING_TERMS);
    if ((await listOf(owner, "/api/auth/tokens")).tokens.length < 3) await newToken(owner, ASKING_TERMS);
    if (token !== undefined && asking !== undefined) return;
    await replaceOwner();
    await renewTokens();
  }

  /** Asks the owner for a signature. Returns its key, a new one if the newest cannot sign. */
  async function askWithKey() {
    const program = newProgramOf(app, asking!.id, asking!.text);
    const newest = (await listOf(owner, "/api/keys")).keys.at(-1);
    // Generated requests may have archived every key.
    const asked = newest && await program.post(`/api/keys/${newest.id}/sign`, { message: "hello" });
    if (asked?.status === 202) return newest;
    const { key } = (await owner.post("/api/keys/generate", {})).body;
    await ask(program, key.id);
    return key;
  }

  async function renewClient(): Promise<void> {
    if (!await isOk(app.client(), `/api/admin/oauth/clients/${changed.clientId}`, ADMIN)) {
      changed = await registerClient(provider);
    }
    if (tokens === undefined || (await userinfo(provider, tokens.access_token)).status !== 200) {
      tokens = await getTokens(provider, owner, client);
    }
  }

  /** Returns what the OAuth endpoints accept. */
  async function oauthValues(): Promise<Record<string, readonly string[]>> {
    const given = await getCode(owner, client);
    const pkce = pkcePair();
    const asked = await owner.get(authorizePath(client, pkce, { prompt: "consent" }));
    const left = await owner.get(`/api/auth/oauth2/end-session?client_id=${client.clientId}`);
    const { access_token, refresh_token, id_token } = tokens!;
    return {
      client_id: [client.clientId],
      redirect_uri: client.redirectUris,
      post_logout_redirect_uri: [RETURN],
      scope: [SCOPE, "openid keys:read", "x"],
      code_challenge: [pkce.challenge],
      code_verifier: [given.verifier],
      code: [given.code, "123456"],
      token: [access_token, refresh_token],
      access_token: [access_token],
      refresh_token: [refresh_token],
      id_token_hint: [id_token],
      prompt: ["none", "login", "consent", "x"],
      max_age: ["0", "100000", "-1"],
      request: [pendingOf(asked, "/consent"), pendingOf(left, "/end-session")],
    };
  }

  async function renew(): Promise<Known> {
    await renewOwner();
    await renewTokens();
    await renewClient();
    if (!await isOk(recovering, "/api/auth/recovery")) recovering = await newRecovery(app);
    if (!await isOk(administrator, "/admin/applications")) {
      administrator = app.client();
      await postForm(administrator, "/admin/enter", { key: ADMIN_KEY, next: "" });
    }
    const signingUp = app.client();
    await proveAddress(signingUp, newAddress());
    const key = await askWithKey();
    await link(owner, stage);
    await owner.post("/api/admin/invitations", {}, { headers: ADMIN });
    const { account, session } = await listOf(owner, "/api/auth/session");
    const passkeyIds = idsOf((await listOf(owner, "/api/auth/passkeys")).passkeys);
    const sessionIds = idsOf((await listOf(owner, "/api/auth/sessions")).sessions);
    return {
      credentials: {
        session: [cookiesOf(owner)],
        token: [bearer(token!.text), bearer(asking!.text)],
        signUp: [cookiesOf(signingUp)],
        recovery: [cookiesOf(recovering)],
        admin: [ADMIN],
        administration: [cookiesOf(administrator)],
        client: [basic(client)],
        accessToken: [bearer(tokens!.access_token)],
      },
      values: {
        ...await oauthValues(),
        keyId: [key.id, key.id, foreignKey.id],
        identifier: [key.address, key.publicKey ?? key.address],
        passkeyId: passkeyIds,
        sessionId: sessionIds.filter((id) => id !== session.id),
        tokenId: idsOf((await listOf(owner, "/api/auth/tokens")).tokens).filter((id) =>
          id !== token!.id && id !== asking!.id
        ),
        requestId: idsOf((await listOf(owner, "/api/signing-requests")).requests),
        clientId: [changed.clientId],
        invitationId: idsOf((await listOf(owner, "/api/admin/invitations", ADMIN)).invitations),
        accountId: [foreignAccount, account.id],
        identityId: idsOf((await listOf(owner, "/api/auth/account/identities")).identities),
        provider: [stage.upstream.config.id],
        hash: [assets[1]!],
        name: [assets[2]!, "Payroll"],
        email: [newAddress(), "person1@example.com"],
        key: [ADMIN_KEY, "x"],
        keys: ["all", [key.id], [foreignKey.id]],
        actions: [["read"], ["read", "sign"]],
        action: ["add_token", `loosen_key:${key.id}`, "x"],
        policy: [null, ASKING_POLICY as unknown as Json, { version: 1 }, { version: 1, surplus: 1 }],
        expiresAt: ["2027-01-31T00:00:00Z"],
        networks: [["192.0.2.0/24"]],
        redirectUris: [["https://books.example/cb"], ["x"]],
        uri: ["https://books.example/"],
        days: ["7"],
        uses: ["1", 2],
        overlap: ["0", "3600"],
        next: ["/keys", "//evil.example"],
        limit: ["1", "1000"],
        address: [key.address, foreignKey.address],
        language: ["en", "de"],
        data: ["0x68656c6c6f", "0x"],
        confirm: [account.email],
      },
    };
  }
  return { renew };
}
