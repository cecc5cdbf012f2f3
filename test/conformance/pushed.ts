import assert from "node:assert/strict";
import type { Registered } from "../support/oauth.ts";
import { checkErrorPage, checkTokenError } from "./checks.ts";
import { PASSED } from "./module.ts";
import type { Module, Outcome } from "./module.ts";
import type { Op } from "./op.ts";
import { newPerson } from "./person.ts";
import { authorize, call, finish, newClient, prepare } from "./relying-party.ts";
import type { Sent } from "./relying-party.ts";

const ENDPOINT = "pushed_authorization_request_endpoint";

/** Pushes a request. Returns what the browser carries instead. */
async function push(op: Op, sent: Sent): Promise<Sent> {
  const { status, body, text } = await call(op, sent.client, ENDPOINT, Object.fromEntries(sent.parameters));
  assert.equal(status, 201, text);
  assert.ok(Number.isInteger(body.expires_in) && body.expires_in > 0);
  assert.match(body.request_uri, /^urn:ietf:params:oauth:request_uri:[\x21-\x7E]{22,}$/);
  return carried(sent, body.request_uri);
}

function carried(sent: Sent, requestUri: string, { clientId }: Registered = sent.client): Sent {
  const parameters = new URLSearchParams({ client_id: clientId, request_uri: requestUri });
  return { ...sent, parameters };
}

async function newRequest(op: Op): Promise<{ readonly sent: Sent; readonly short: Sent }> {
  const sent = prepare(await newClient(op));
  return { sent, short: await push(op, sent) };
}

async function reuse(op: Op): Promise<Outcome> {
  const [browser, { sent, short }] = [await newPerson(op), await newRequest(op)];
  await finish(op, sent, await authorize(op, browser, short));
  checkErrorPage(await authorize(op, browser, short));
  return PASSED;
}

async function expired(op: Op): Promise<Outcome> {
  const { short } = await newRequest(op);
  op.pass(61);
  checkErrorPage(await authorize(op, await newPerson(op), short));
  return PASSED;
}

async function ofAnotherClient(op: Op): Promise<Outcome> {
  const [browser, { sent, short }] = [await newPerson(op), await newRequest(op)];
  const stolen = carried(sent, short.parameters.get("request_uri")!, await newClient(op));
  checkErrorPage(await authorize(op, browser, stolen));
  await finish(op, sent, await authorize(op, browser, short));
  return PASSED;
}

/** Opens the sign-in page without signing in, and then once more to sign in. */
async function reusedBeforeCompletion(op: Op): Promise<Outcome> {
  const { sent, short } = await newRequest(op);
  const path = `${new URL(op.metadata.authorization_endpoint).pathname}?${short.parameters}`;
  assert.equal((await op.client().get(path)).status, 303);
  await finish(op, sent, await authorize(op, await newPerson(op), short));
  return PASSED;
}

async function requestUriInside(op: Op): Promise<Outcome> {
  const { sent, short } = await newRequest(op);
  const form = { ...Object.fromEntries(sent.parameters), request_uri: short.parameters.get("request_uri")! };
  const errors = ["invalid_request", "invalid_request_object"];
  checkTokenError(await call(op, sent.client, ENDPOINT, form), errors);
  return PASSED;
}

/** The modules about pushed authorization requests, by the rest of their names. */
export const PUSHED_ROWS: readonly (readonly [string, Module["run"]])[] = [
  ["par-attempt-reuse-request_uri", reuse],
  ["par-attempt-to-use-expired-request_uri", expired],
  ["par-attempt-to-use-request_uri-for-different-client", ofAnotherClient],
  ["par-ensure-reused-request-uri-prior-to-auth-completion-succeeds", reusedBeforeCompletion],
  ["par-authorization-request-containing-request_uri", requestUriInside],
];
