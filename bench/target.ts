import { createClient, registerPasskey, signUp } from "../test/support/client.ts";
import type { Client } from "../test/support/client.ts";
import { startService } from "../test/support/service.ts";
import type { Service, ServiceRuntime } from "../test/support/service.ts";

export interface Person {
  readonly headers: Readonly<Record<string, string>>;
  readonly keyId: string;
}

/** A measured service. The load uses its numeric address, so that no resolver is measured. */
export interface Target {
  readonly runtime: ServiceRuntime;
  readonly service: Service;
  readonly address: string;
}

/** Starts the shipped command with limits off and default logging. */
export async function startTarget(runtime: ServiceRuntime, dataDir: string): Promise<Target> {
  const service = await startService({ runtime, dataDir, env: { RATE_LIMITS: "off" } });
  return { runtime, service, address: service.baseUrl.replace("localhost", "127.0.0.1") };
}

function newClient({ service }: Target): Client {
  return createClient(service.baseUrl, (request) => fetch(request));
}

/** Creates a user with an account and its first key. */
export async function enrolPerson(target: Target, email: string): Promise<Person> {
  const client = newClient(target);
  const { body } = await signUp(client, email);
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return { headers: { cookie, "content-type": "application/json" }, keyId: body.key.id };
}

/** Reads the code of a mail from the service's output, which is cheaper for the service than the outbox. */
async function readPrintedCode({ service: { stdout } }: Target, email: string): Promise<string> {
  const isMail = (line: string): boolean => line.includes("development_mail") && line.includes(email);
  for (;;) {
    const code = /\b\d{6}\b/.exec(stdout.findLast(isMail)?.split('"text"')[1] ?? "")?.[0];
    if (code !== undefined) return code;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function enrolQuickly(target: Target, email: string): Promise<void> {
  const client = newClient(target);
  await client.post("/api/auth/email-code", { email });
  const code = await readPrintedCode(target, email);
  await client.post("/api/auth/email-code/verify", { email, code });
  const { status, text } = await registerPasskey(client);
  if (status !== 201) throw new Error(`Cannot measure: ${status} ${text}`);
}

/** Measures whole sign-ups per second, from mail to session, with some users at once. */
export async function measureSignUps(
  target: Target,
  { people, concurrency, name }: { people: number; concurrency: number; name: string },
): Promise<number> {
  const start = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: concurrency }, async () => {
    while (next < people) await enrolQuickly(target, `${name}-${next++}@example.com`);
  }));
  return people / ((performance.now() - start) / 1000);
}
