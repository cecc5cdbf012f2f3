import { sha256 } from "../../src/lib/sha256.ts";
import { utf8 } from "../../src/lib/bytes.ts";
import { describedRoutes } from "../../scripts/openapi/described-routes.ts";
import type { Examples } from "../../scripts/openapi/document.ts";
import type { Json } from "../../scripts/openapi/schemas.ts";
import { ADMIN_KEY, createTestApp } from "./app.ts";
import { readCode, registerPasskey } from "./client.ts";
import type { Client } from "./client.ts";

/** Returns a source of bytes that are the same at each run. */
function seeded(): (length: number) => Uint8Array {
  let count = 0;
  return (length) => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, () => sha256(utf8(`example ${count++}`)));
    return new Uint8Array(blocks.flatMap((block) => [...block])).slice(0, length);
  };
}

const TYPED_DATA = {
  domain: {
    name: "Example",
    version: "1",
    chainId: 1,
    verifyingContract: "0x000000000000000000000000000000000000dEaD",
  },
  types: { Greeting: [{ name: "text", type: "string" }] },
  primaryType: "Greeting",
  message: { text: "hello" },
};
const TRANSACTION = {
  type: "eip1559",
  chainId: 1,
  nonce: 0,
  to: "0x000000000000000000000000000000000000dEaD",
  value: "1000000000000000",
  gas: 21_000,
  maxFeePerGas: "30000000000",
  maxPriorityFeePerGas: "1000000000",
};
const AUTHORIZATION = { chainId: 1, address: "0x000000000000000000000000000000000000dEaD", nonce: 0 };
const CLIENT = {
  name: "Ledger",
  uri: "https://ledger.example/",
  type: "web",
  redirectUris: ["https://ledger.example/callback"],
};

/** Replaces secrets, because scanners of repositories take them for real ones. */
function withoutSecrets(answer: Json): Json {
  const text = JSON.stringify(answer).replace(/"hfst_\w+"/, '"hfst_…"').replace(
    /"clientSecret":"[^"]+"/,
    '"clientSecret":"…"',
  );
  return JSON.parse(text);
}

const ROWS = new Map(describedRoutes().map((row) => [`${row.method} ${row.path}`, row]));

/** Runs a story against the service. Returns the requests and responses by operation, the same at each run. */
export async function recordExamples(): Promise<Examples> {
  await using app = await createTestApp({ random: seeded() });
  const examples: Record<string, { request?: Json; answer?: Json }> = {};
  const person = app.client();

  async function record(client: Client, route: string, path: string, body?: Json): Promise<Json> {
    const [method] = route.split(" ") as ["GET" | "POST" | "PATCH" | "DELETE"];
    const isAdmin = path.startsWith("/api/admin/");
    const { body: answer } = await client.request(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(isAdmin ? { headers: { authorization: `Bearer ${ADMIN_KEY}` } } : {}),
    });
    examples[ROWS.get(route)!.description.id] = {
      ...(body === undefined ? {} : { request: body }),
      ...(answer === undefined ? {} : { answer: withoutSecrets(answer) }),
    };
    return answer;
  }
  const same = (route: string, body?: Json) => record(person, route, route.split(" ")[1]!, body);

  await same("POST /api/auth/email-code", { email: "ada@example.com" });
  const code = await readCode(person, "ada@example.com");
  await same("POST /api/auth/email-code/verify", { email: "ada@example.com", code });
  const { body: { key } } = await registerPasskey(person, "new");
  await same("GET /api/auth/session");
  await same("GET /api/auth/sessions");
  await same("GET /api/auth/identity");
  await same("POST /api/auth/tokens", { name: "Payroll", keys: [key.id], actions: ["read", "sign"] });
  await same("GET /api/auth/tokens");
  await same("POST /api/keys/generate", { label: "Payroll" });
  await same("GET /api/keys");
  const ofKey = (route: string, body?: Json) =>
    record(person, route, route.split(" ")[1]!.replace(":keyId", key.id), body);
  await ofKey("GET /api/keys/:keyId");
  await ofKey("PATCH /api/keys/:keyId", { label: "Savings", blindSigning: "deny" });
  await ofKey("POST /api/keys/:keyId/sign", { message: "hello" });
  await ofKey("POST /api/keys/:keyId/sign-typed-data", TYPED_DATA);
  await ofKey("POST /api/keys/:keyId/sign-transaction", TRANSACTION);
  await ofKey("POST /api/keys/:keyId/sign-authorization", AUTHORIZATION);
  await ofKey("POST /api/keys/:keyId/explain", TYPED_DATA);
  await ofKey("POST /api/keys/:keyId/archive");
  await ofKey("POST /api/keys/:keyId/unarchive");
  await same("GET /api/auth/grants");
  const made = await same("POST /api/admin/oauth/clients", CLIENT) as { client: { clientId: string } };
  await same("GET /api/admin/oauth/clients");
  const ofClient = (route: string, body?: Json) =>
    record(person, route, route.split(" ")[1]!.replace(":clientId", made.client.clientId), body);
  await ofClient("GET /api/admin/oauth/clients/:clientId");
  await ofClient("PATCH /api/admin/oauth/clients/:clientId", { disabled: true });
  await ofClient("POST /api/admin/oauth/clients/:clientId/secret");
  await ofClient("DELETE /api/admin/oauth/clients/:clientId");
  await same("GET /livez");
  await same("GET /readyz");
  return examples;
}
