import { openOp } from "../conformance/op.ts";
import type { Op } from "../conformance/op.ts";
import { newPerson } from "../conformance/person.ts";
import { createClient } from "./client.ts";
import type { Answer, Client } from "./client.ts";
import { guideRegistration, newAppUrl, runGuide } from "./guide.ts";
import type { GuideProgram } from "./guide.ts";
import { registerClient } from "./oauth.ts";
import type { Registered } from "./oauth.ts";

/** A service, a signed-in user, and the URL of a future application. */
export interface GuideStory extends AsyncDisposable {
  readonly op: Op;
  readonly person: Client;
  readonly email: string;
  readonly appUrl: string;
}

export async function openGuideStory(): Promise<GuideStory> {
  const op = await openOp();
  // The programs use the real clock.
  op.pass((Date.now() - op.now()) / 1000);
  const person = await newPerson(op);
  const { email } = (await person.get("/api/auth/session")).body.account;
  const appUrl = await newAppUrl();
  return { op, person, email, appUrl, [Symbol.asyncDispose]: () => op[Symbol.asyncDispose]() };
}

/** Runs a program of the guide as a client, with additional variables. */
export function runFor(
  name: string,
  { op, appUrl }: GuideStory,
  client: Registered,
  more: object = {},
): GuideProgram {
  return runGuide(name, {
    ISSUER: op.origin,
    APP_URL: appUrl,
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.clientSecret ?? "",
    AUTH_SECRET: "a secret of the application, 32 characters or more",
    ...more,
  });
}

/** Runs a program of the guide that serves, and waits until it does. */
export async function startFor(name: string, story: GuideStory, client: Registered): Promise<GuideProgram> {
  const program = runFor(name, story, client);
  await program.line(/ is ready$/);
  return program;
}

/** Registers the client that the guide registers before it runs a program. */
export async function registerFor({ op, appUrl }: GuideStory, program = "app.mjs"): Promise<Registered> {
  return await registerClient(op, guideRegistration(program, appUrl));
}

export function browserAt({ appUrl }: GuideStory): Client {
  return createClient(appUrl, (request) => fetch(request));
}

export async function statusOf(answer: Promise<Answer>): Promise<number> {
  return (await answer).status;
}
