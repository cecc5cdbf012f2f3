import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { readState } from "../identity/callback.ts";
import type { ProviderConnection } from "../identity/provider-request.ts";
import type {
  Attempt,
  CallbackParameters,
  ExternalIdentity,
  IdentityProvider,
} from "../identity/provider.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import { readName } from "../lib/text.ts";
import type { Instant } from "../lib/time.ts";
import { isAddressTaken } from "./account.ts";
import { normaliseEmail } from "./email/email-address.ts";
import { findAccountByIdentity } from "./identity/identity.ts";
import { consumeIdentityRequest, newAttempt, storeIdentityRequest } from "./identity/identity-request.ts";
import { type AdmissionFault, admissionFault, type SignUpAdmission } from "./invitation.ts";
import type { ReturnedBrowser } from "./identity/identity-request.ts";
import type { AccountServices } from "./services.ts";
import { issueSignInTicket } from "./identity/sign-in-ticket.ts";
import { issueTicket } from "./sign-up-ticket.ts";

const NAME_LIMIT = 100;

/**
 * Begins a sign-in at an identity provider and returns its authorization URL. Throws `rate_limited`. Throws an
 * IdentityError if the provider's metadata is unavailable. `db` must be the outer handle, because the provider may be
 * slow.
 */
export async function beginIdentitySignIn(
  db: Db,
  { vault, authority, limits }: AccountServices,
  value: {
    provider: IdentityProvider;
    connection: ProviderConnection;
    redirectUri: string;
    browserHash: string;
    returnTo: string;
    network: string;
    now: Instant;
    random: RandomBytes;
  },
): Promise<URL> {
  const { provider, connection, now } = value;
  await transaction(db, (tx) => limits.take(tx, "identity_request", value.network, now));
  const attempt = newAttempt(vault, { ...value, providerId: provider.id });
  const url = await provider.authorizationUrl(attempt, connection);
  const request = { ...value, providerId: provider.id };
  await storeIdentityRequest(db, authority, { request, state: attempt.state, now });
  return url;
}

/**
 * Deletes the stored request of a browser that returns from a provider, and returns its data. The request is used
 * even if the checks fail. Throws an IdentityError. `db` must be the outer handle.
 */
export async function receiveReturn(
  db: Db,
  services: AccountServices,
  value: {
    provider: IdentityProvider;
    callback: CallbackParameters;
    redirectUri: string;
    browserHash: string;
    sessionId: string | undefined;
    now: Instant;
  },
): Promise<ReturnedBrowser> {
  const state = readState(value.callback);
  return await consumeIdentityRequest(db, services, { ...value, providerId: value.provider.id, state });
}

/**
 * The next step for the user. A provider alone never signs a user in. A new user registers a passkey with the ticket
 * and a known user authenticates with one. An address that already has an account is not linked to it.
 */
export type IdentityOutcome =
  | { readonly next: "register_passkey"; readonly ticket: string }
  | { readonly next: "sign_in"; readonly ticket: string }
  | { readonly next: "address_taken" }
  /** A new user who may not create an account. */
  | { readonly next: "refused"; readonly why: AdmissionFault };

/**
 * Fetches the user's identity from the provider and returns the next step. Finds accounts by issuer and subject only.
 * Throws an IdentityError without writing anything. `db` must be the outer handle.
 */
export async function identifyPerson(
  db: Db,
  { authority }: AccountServices,
  value: {
    provider: IdentityProvider;
    connection: ProviderConnection;
    callback: CallbackParameters;
    attempt: Attempt;
    admission: SignUpAdmission;
    now: Instant;
    random: RandomBytes;
  },
): Promise<IdentityOutcome> {
  const { now, random } = value;
  const identity = await value.provider.identify(value.callback, value.attempt, value.connection);
  const email = readEmail(identity);
  return await transaction(db, async (tx): Promise<IdentityOutcome> => {
    const account = await findAccountByIdentity(tx, authority, identity);
    if (account !== undefined) {
      const ticket = await issueSignInTicket(tx, authority, { accountId: account.id, now, random });
      return { next: "sign_in", ticket };
    }
    // Control of the address at another provider must not give access to the account: that needs its passkey.
    if (email !== null && await isAddressTaken(tx, authority, { email, now })) {
      return { next: "address_taken" };
    }
    const why = admissionFault(value.admission, email);
    if (why !== undefined) return { next: "refused", why };
    const name = readName(identity.name ?? "", NAME_LIMIT) ?? null;
    const { issuer, subject } = identity;
    const ticket = await issueTicket(tx, authority, {
      email,
      name,
      identity: { issuer, subject },
      invitationId: value.admission.invitation?.id,
      now,
      random,
    });
    return { next: "register_passkey", ticket };
  });
}

/** Returns the normalised address, or null if the provider has not verified one or it is not plain. */
function readEmail({ verifiedEmail }: ExternalIdentity): string | null {
  if (verifiedEmail === undefined) return null;
  try {
    return normaliseEmail(verifiedEmail);
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}
