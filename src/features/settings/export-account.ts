import { listFormerAddresses } from "../../accounts/email/email-change.ts";
import { beginExport } from "../../accounts/export-account.ts";
import { listIdentities } from "../../accounts/identity/identity.ts";
import { listPasskeyRecords } from "../../accounts/passkey/passkey.ts";
import { listRemovals } from "../../accounts/passkey/removed-passkey.ts";
import { listSignIns } from "../../accounts/session/application-session.ts";
import { listSessions } from "../../accounts/session/end-sessions.ts";
import { listDevices } from "../../accounts/session/known-browser.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { listApiTokens } from "../../accounts/token/api-token.ts";
import { toAccountJson } from "../../api/account.ts";
import { toApplicationJson } from "../../api/application.ts";
import { toKeyJson } from "../../api/key.ts";
import { toPasskeyJson } from "../../api/passkey.ts";
import { toRecoverySettingsJson } from "../../api/recovery.ts";
import { toSessionJson } from "../../api/session.ts";
import { toSigningRequestJson } from "../../api/signing-request.ts";
import { toTokenJson } from "../../api/token.ts";
import { EXPORT_FORMAT } from "../../audit/account-export.ts";
import { findHead } from "../../audit/account-log.ts";
import { exportEntries } from "../../audit/exported-entry.ts";
import { session } from "../../http/guard/account-guards.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { quoteClaims } from "../../keys/attestation.ts";
import { listSlotClaims } from "../../sealing/slots.ts";
import { findPolicyEntry } from "../../keys/key-row.ts";
import { eachKey } from "../../keys/key.ts";
import { listAllRequests } from "../../keys/signing-requests/signing-request.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { yieldToEventLoop } from "../../lib/cooperative.ts";
import { ProtocolError } from "../../lib/error.ts";
import { asStreamed } from "../../lib/stream.ts";
import { type Instant, toIso } from "../../lib/time.ts";
import { listApplications } from "../../oauth/authorize/consent.ts";
import { readRecoverySettings } from "../../recovery/recovery-settings.ts";
import { listSubscriptions } from "../../push/subscription.ts";
import { listWebhooks } from "../../webhooks/webhook.ts";
import { toIdentityJson } from "./account.ts";

/** The value of a member of the file. An async iterable is written as a list while it is read. */
type Member = unknown | AsyncIterable<unknown>;

function isMany(value: Member): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function* written(
  members: AsyncIterable<readonly [name: string, value: Member]>,
): AsyncGenerator<string> {
  let before = "{\n";
  for await (const [name, value] of members) {
    yield `${before}${JSON.stringify(name)}: `;
    before = ",\n";
    if (isMany(value)) yield* writtenList(value);
    else yield JSON.stringify(value);
  }
  yield "\n}\n";
}

async function* writtenList(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = "[\n";
  for await (const value of values) {
    yield before + JSON.stringify(value);
    before = ",\n";
  }
  yield before === "[\n" ? "[]" : "\n]";
}

/** Characters of the file that take a millisecond to read and write. */
const PART_LENGTH = 16_384;

/** Returns the texts as a stream. Other requests run between two parts, even if the browser reads without a pause. */
function streamOf(texts: AsyncIterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      await yieldToEventLoop();
      let part = "";
      while (part.length < PART_LENGTH) {
        const { value, done } = await texts.next();
        if (done === true) break;
        part += value;
      }
      if (part === "") controller.close();
      else controller.enqueue(encoder.encode(part));
    },
    cancel: async () => {
      await texts.return?.();
    },
  });
}

/** Reads the members of the file one at a time, each after the previous one was sent. */
async function* membersOf(
  services: Services,
  { session, account }: SignedIn,
  now: Instant,
): AsyncGenerator<readonly [name: string, value: Member]> {
  const { db, vault, authority, identityProviders, baseUrl } = services;
  const accountId = account.id;
  const head = await findHead(db, vault);
  if (head === undefined) {
    throw new ProtocolError("unavailable", "The end of the log was changed");
  }
  yield ["format", EXPORT_FORMAT];
  yield ["service", baseUrl];
  yield ["exportedAt", toIso(now)];
  yield ["account", toAccountJson(account)];
  yield ["formerAddresses", await listFormerAddresses(db, authority, { accountId, now })];
  const identities = await listIdentities(db, authority, accountId);
  yield [
    "identities",
    identities.map((one) => ({ ...toIdentityJson(one, identityProviders), subject: one.subject })),
  ];
  const passkeys = await listPasskeyRecords(db, authority, accountId);
  yield [
    "passkeys",
    passkeys.map(({ passkey, publicKey, algorithm, signCount }) => ({
      ...toPasskeyJson(passkey, session),
      aaguid: passkey.aaguid,
      publicKey: toBase64url(publicKey),
      algorithm,
      signCount,
    })),
  ];
  const removals = await listRemovals(db, authority, accountId);
  yield [
    "removedPasskeys",
    removals.map(({ id, credentialId, removedAt }) => ({
      id,
      credentialId: toBase64url(credentialId),
      removedAt: toIso(removedAt),
    })),
  ];
  const sessions = await listSessions(db, services, { accountId, now });
  const signIns = await listSignIns(db, authority, accountId);
  yield [
    "sessions",
    sessions.map((one) => ({
      ...toSessionJson(one, session),
      applications: signIns.filter(({ session_id }) => session_id === one.id)
        .map(({ id: sid, client_id: clientId }) => ({ clientId, sid })),
    })),
  ];
  const devices = await listDevices(db, authority, accountId);
  yield [
    "devices",
    devices.map(({ id, createdAt, lastSeenAt }) => ({
      id,
      createdAt: toIso(createdAt),
      lastSeenAt: toIso(lastSeenAt),
    })),
  ];
  yield [
    "wayBack",
    toRecoverySettingsJson(await readRecoverySettings(db, services, { accountId, now }), now),
  ];
  yield ["keys", exportKeys(services, accountId, now)];
  yield ["tokens", (await listApiTokens(db, authority, accountId)).map((token) => toTokenJson(token))];
  const browsers = await listSubscriptions(db, services, { accountId, now });
  yield [
    "pushSubscriptions",
    browsers.map(({ id, device, createdAt }) => ({ id, device, createdAt: toIso(createdAt) })),
  ];
  const webhooks = await listWebhooks(db, authority, accountId);
  yield [
    "webhooks",
    webhooks.map(({ id, url, events, signature, createdAt }) => ({
      id,
      url,
      events,
      signature,
      createdAt: toIso(createdAt),
    })),
  ];
  const applications = await listApplications(db, authority, { accountId, now });
  yield ["applications", applications.map((one) => toApplicationJson(one))];
  const requests = await listAllRequests(db, authority, { accountId, now });
  yield ["signingRequests", requests.map(toSigningRequestJson)];
  yield ["log", { head: { seq: head.seq, hash: head.hash.toHex() } }];
  yield ["entries", exportEntries(db, { accountId, head })];
}

async function* exportKeys(
  { db, vault, authority, baseUrl, configurationHash, tee }: Services,
  accountId: string,
  now: Instant,
): AsyncGenerator<unknown> {
  const slots = await listSlotClaims(db, { vault, authority });
  for await (const key of eachKey(db, authority, accountId)) {
    const place = { accountId, keyIndex: key.keyIndex };
    const policyEntry = await findPolicyEntry(db, { vault, authority }, place);
    const claims = quoteClaims(tee, key, {
      baseUrl,
      configurationHash,
      nonce: undefined,
      policyEntry,
      slots,
      now,
    });
    yield { ...toKeyJson(key), settings: key.policyState, quoteClaims: JSON.parse(claims) };
  }
}

export const exportAccount = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async (context, signedIn, _input, services) => {
    const { now } = context;
    await beginExport(services.db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      signedIn,
    });
    const headers = {
      "content-type": "application/json",
      "content-disposition": 'attachment; filename="holdfast-export.json"',
    };
    return asStreamed(new Response(streamOf(written(membersOf(services, signedIn, now))), { headers }));
  },
);
