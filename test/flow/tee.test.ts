import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseQuote } from "../../src/tee/quote/parse.ts";
import { createClient, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { builtPrograms, serviceOf, takesAll, titleOf } from "../commands/run-command.ts";
import { startEmulator } from "../support/emulator.ts";
import type { Emulator } from "../support/emulator.ts";
import { ServiceStartError, startService } from "../support/service.ts";
import type { Service, ServiceRuntime } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const NONCE = "AAECAwQFBgcICQoLDA0ODw";

/** A service with a TEE, which can be started again. */
interface Deployment {
  readonly runtime: ServiceRuntime;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

function start({ runtime, dataDir, env }: Deployment): Promise<Service> {
  return startService({ runtime, dataDir, env: { LOG_LEVEL: "error", ...env } });
}

function clientOf(service: Service, cookies: ReadonlyMap<string, string> = new Map()): Client {
  const client = createClient(service.baseUrl, (request) => fetch(request));
  for (const [name, value] of cookies) client.cookies.set(name, value);
  return client;
}

function quote(client: Client, keyId: string): Promise<Answer> {
  return client.get(`/api/keys/${keyId}/quote?nonce=${NONCE}`);
}

/** Verifies that an answer is a quote of the provider whose claims name the key and the nonce. */
async function assertQuoted({ status, body, text }: Answer, provider: string, keyId: string): Promise<void> {
  assert.equal(status, 200, text);
  assert.equal(body.provider, provider);
  assert.equal(body.inTee, true);
  if (provider === "dstack") assertEventLog(body.eventLog);
  else assert.ok(!("eventLog" in body));
  const claims = JSON.parse(body.claims);
  assert.equal(claims.keyId, keyId);
  assert.equal(claims.nonce, NONCE);
  assert.equal(claims.keyProvider.name, provider === "dstack" ? "kms" : "file");
  assert.equal(claims.keyProvider.verified, null);
  const { baseUrl } = claims;
  const configuration = JSON.stringify({
    baseUrl,
    provider,
    rateLimits: "on",
    signUp: "open",
    identityProviders: [],
  });
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(configuration));
  const wanted = new Uint8Array(hash).toBase64({ alphabet: "base64url", omitPadding: true });
  assert.equal(claims.configurationHash, wanted);
  const preimage = new TextEncoder().encode("holdfast/key-quote/v2\0" + body.claims);
  const { reportData } = parseQuote(Uint8Array.fromBase64(body.quote)).report;
  assert.deepEqual(reportData, new Uint8Array(await crypto.subtle.digest("SHA-512", preimage)));
}

/** Verifies that the agent's event log names the application and its key provider. */
function assertEventLog(eventLog: string): void {
  const events: string[] = JSON.parse(eventLog).map(({ event }: { event: string }) => event);
  assert.ok(events.includes("app-id") && events.includes("key-provider"), eventLog);
}

/** Verifies that quotes are refused while the TEE does not answer, and that the rest of the service works. */
async function assertOnlyQuotesMissing(client: Client, keyId: string): Promise<void> {
  const refused = await quote(client, keyId);
  assert.equal(refused.status, 503, refused.text);
  assert.equal(refused.body.code, "unavailable");
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  await assertServes(client, keyId);
}

async function assertServes(client: Client, keyId: string): Promise<void> {
  assert.equal((await client.post(`/api/keys/${keyId}/sign`, { message: "hello" })).status, 200);
  assert.equal((await client.get("/readyz")).status, 200);
}

/** Verifies that the service exits with 2 and states the reason in one line. */
async function assertRefused(deployment: Deployment, reason: RegExp): Promise<void> {
  await assert.rejects(start(deployment), (error) => {
    assert.ok(error instanceof ServiceStartError, String(error));
    assert.equal(error.exit.code, 2);
    const lines = error.stderr.filter((line) => line.startsWith("holdfast:"));
    assert.match(lines.join("\n"), reason);
    return lines.length === 1;
  });
}

/** Returns the address of the account's first key. */
async function address(client: Client): Promise<string> {
  const { body } = await client.get("/api/keys");
  return body.keys[0].address;
}

/** Verifies that only requests for quotes wait for an agent that hangs. */
async function assertOthersServed(agent: Emulator, client: Client, keyId: string): Promise<void> {
  await agent.behave({ faults: { GetQuote: "hang" } });
  let isAnswered = false;
  const quoted = quote(client, keyId).finally(() => isAnswered = true);
  for (let round = 0; round < 5; round++) await assertServes(client, keyId);
  assert.equal(isAnswered, false);
  const refused = await quoted;
  assert.equal(refused.status, 503, refused.text);
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
}

async function overDstack(name: string): Promise<void> {
  const runtime = serviceOf(name);
  using folder = temporaryFolder();
  const socket = join(folder.path, "agent.sock");
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir);
  // The SDK would connect to this socket.
  const misleading = { DSTACK_SIMULATOR_ENDPOINT: join(folder.path, "nowhere.sock") };
  const deployment = { runtime, dataDir, env: { TEE: "auto", TEE_DSTACK_SOCKET: socket, ...misleading } };
  const agent = await startEmulator("guest-agent", socket);
  const service = await start(deployment);
  const client = clientOf(service);
  const { key } = (await signUp(client, "ada@example.com")).body;
  await assertQuoted(await quote(client, key.id), "dstack", key.id);
  await agent.behave({ faults: { GetQuote: "debug" } });
  await assertOnlyQuotesMissing(client, key.id);
  await assertOthersServed(agent, client, key.id);
  await agent.kill();
  await assertOnlyQuotesMissing(client, key.id);
  const back = await startEmulator("guest-agent", socket);
  await assertQuoted(await quote(client, key.id), "dstack", key.id);
  await service.stop();

  await back.behave({ appId: "33".repeat(20) });
  await assertRefused(deployment, /sealing key/);
  await back.behave({ appId: "11".repeat(20) });
  if (takesAll(name)) {
    await back.behave({ keyProvider: "none" });
    await assertRefused(deployment, /no key provider/);
    await back.behave({ keyProvider: "kms" });
    await assertRefused({ ...deployment, env: { ...deployment.env, TEE: "simulated" } }, /real TEE/);
  }
  {
    await using again = await start(deployment);
    assert.equal(await address(clientOf(again, client.cookies)), key.address);
  }
  await back.stop();
}

async function overTdx(name: string): Promise<void> {
  const runtime = serviceOf(name);
  using folder = temporaryFolder();
  const [reports, keyFile] = [join(folder.path, "report"), join(folder.path, "key")];
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir);
  mkdirSync(reports);
  const writeKey = (key: Uint8Array): void => {
    rmSync(keyFile, { force: true });
    writeFileSync(keyFile, key, { mode: 0o600 });
  };
  const sealingKey = crypto.getRandomValues(new Uint8Array(32));
  writeKey(sealingKey);
  const env = { TEE: "tdx", TEE_TSM_PATH: reports, TEE_SEALING_KEY_FILE: keyFile };
  const deployment = { runtime, dataDir, env };
  const kernel = await startEmulator("configfs", reports);
  const service = await start(deployment);
  const client = clientOf(service);
  const { key } = (await signUp(client, "ada@example.com")).body;
  await assertQuoted(await quote(client, key.id), "tdx", key.id);
  await kernel.behave({ fault: "empty" });
  await assertOnlyQuotesMissing(client, key.id);
  await kernel.behave({ fault: null });
  await assertQuoted(await quote(client, key.id), "tdx", key.id);
  await service.stop();

  writeKey(crypto.getRandomValues(new Uint8Array(32)));
  await assertRefused(deployment, /sealing key/);
  if (takesAll(name)) {
    rmSync(keyFile);
    await assertRefused(deployment, /no such file/);
    const without = { TEE: "tdx", TEE_TSM_PATH: reports };
    await assertRefused({ runtime, dataDir, env: without }, /TEE_SEALING_KEY_FILE/);
  }
  writeKey(sealingKey);
  {
    await using again = await start(deployment);
    assert.equal(await address(clientOf(again, client.cookies)), key.address);
  }
  await kernel.stop();
}

for (const name of Object.keys(builtPrograms())) {
  const options = { timeout: 120_000 };
  const title = titleOf(name);
  test(
    `a service over dstack, on ${title}: quotes, an agent that fails and recovers, a changed key`,
    options,
    () => overDstack(name),
  );
  test(
    `a service over TDX, on ${title}: quotes, a kernel that fails, a key that is wrong, missing or not set`,
    options,
    () => overTdx(name),
  );
}
