import { isSidLive } from "../../accounts/session/application-session.ts";
import { findAccount } from "../../accounts/account.ts";
import type { Db } from "../../db/schema/schema.ts";
import { together } from "../../db/transaction.ts";
import { constantTimeEqualText, toBase64url, utf8 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import { findRow, hasRow } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { OAuthError } from "../error.ts";
import {
  deleteWaitingGrant,
  endReplayedGrant,
  findGrant,
  type Grant,
  isOfClient,
  readCode,
  type StoredCode,
} from "../grant.ts";
import { readOpaqueToken } from "./opaque-token.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { prolongGrant, signTokens, type TokenResponse } from "./token-response.ts";
import { isRegisteredRedirectUri } from "../client/redirect-uri.ts";
import { newRefreshToken } from "./refresh-token.ts";
import type { OAuthServices } from "../services.ts";
import {
  refreshKeyOf,
  requireBoundKey,
  requireEnabled,
  requireResource,
  type TokenRequest,
} from "./token-request.ts";
import { readTokenRights } from "./token-rights.ts";

/** Maximum clock difference of two processes. A code further in the future was issued before a clock was set back. */
const CLOCK_SKEW = 5 * SECOND;

const INVALID_CODE = "The code is wrong, expired, used, or was issued to another client or redirect_uri";

/**
 * Handles `grant_type=authorization_code` (RFC 6749 section 4.1.3, RFC 7636 section 4.6). Checks before it uses the
 * code, so that a wrong verifier or another client does not use it. A replay that is correct in everything else ends
 * the grant (OAuth 2.1 section 7.5). Any other replay ends nothing.
 */
export async function redeemCode(
  db: Db,
  services: OAuthServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { client, now } = request;
  const { code, grant } = await checkCode(db, services, request);
  if (grant.state !== "waiting") {
    await endReplayedGrant(services, { grant, now });
    throw new OAuthError("invalid_grant", INVALID_CODE);
  }
  // The client's registration may have changed since the code was issued.
  const isRegistered = isRegisteredRedirectUri(client, code.redirectUri);
  if (!isRegistered) throw new OAuthError("invalid_grant", INVALID_CODE);
  const use = { grant, nonce: code.nonce, refusal: INVALID_CODE };
  // A concurrent request was first: this one is a replay, or the grant has ended.
  return await issueFirstTokens(db, services, request, use) ?? await redeemCode(db, services, request);
}

/** The first use of a grant. */
interface FirstUse {
  readonly grant: Grant;
  readonly nonce: string | undefined;
  /** The description of an `invalid_grant`. */
  readonly refusal: string;
}

/**
 * Issues the first tokens of a grant, with the duties at `GrantTypeHandler`. Returns undefined if a concurrent request
 * used the code first. Throws `invalid_grant` if the account or the session of the code has ended.
 */
export async function issueFirstTokens(
  db: Db,
  services: OAuthServices,
  request: TokenRequest,
  { grant, nonce, refusal }: FirstUse,
): Promise<TokenResponse | undefined> {
  const { client, proof, now, random } = request;
  const account = await findAccount(db, services.authority, grant.account_id);
  if (account === undefined) throw new OAuthError("invalid_grant", refusal);
  const token = newRefreshToken(grant, request);
  const jkt = proof?.jkt;
  const rights = readTokenRights(grant, { ...request, form: withoutScope(request.form) });
  const subject = { grant, rights, client, account, nonce, jkt, refreshToken: token.text, now, random };
  const response = await signTokens(db, services, subject);
  const which = { id: grant.id, accountId: account.id, now };
  return await services.groupCommit.run(async (tx) => {
    const [, isLive] = await together(
      requireEnabled(tx, services, { client, account }),
      isSessionLive(tx, services.authority, grant),
    );
    if (!isLive) throw new OAuthError("invalid_grant", refusal);
    const present = await findGrant(tx, services.authority, which);
    if (present?.state !== "waiting") return undefined;
    const issue = {
      event: "code_redeemed",
      grant,
      token,
      parent: undefined,
      jkt: refreshKeyOf(request),
      now,
    } as const;
    await together(request.recordRequest(tx), prolongGrant(tx, services, issue));
    return response;
  }, { accountId: account.id, extraKeys: request.rowKeys });
}

/** Returns false if the session of the code has ended, of which the client was already notified. */
async function isSessionLive(
  tx: Db,
  authority: RowAuthority,
  { account_id: accountId, session_id: id, sid }: Grant,
): Promise<boolean> {
  if (id !== null && await hasRow(tx, authority, "session", { account_id: accountId, id })) return true;
  // Another session of the same user may have taken over its sign-ins.
  return await isSidLive(tx, authority, sid);
}

/** RFC 6749 section 4.1.3 and RFC 8628 section 3.4 define no scope for this request, so it is ignored. */
function withoutScope(form: OAuthParameters): OAuthParameters {
  return new Map([...form].filter(([name]) => name !== "scope"));
}

/** Returns the code and its grant, which may be in use, after all parameters were checked. */
async function checkCode(
  db: Db,
  services: OAuthServices,
  request: TokenRequest,
): Promise<{ code: StoredCode; grant: Grant }> {
  const { client, form } = request;
  const text = findParameter(form, "code");
  if (text === undefined) throw new OAuthError("invalid_request", "Send the code");
  const redirectUri = findParameter(form, "redirect_uri");
  if (redirectUri === undefined) {
    throw new OAuthError("invalid_request", "Send the redirect_uri of the authorization request");
  }
  const found = await findCode(db, services.authority, text);
  if (found === undefined) throw new OAuthError("invalid_grant", INVALID_CODE);
  const { code, grant } = found;
  await requireInTime(services, grant, request.now);
  if (!isOfClient(client, grant) || code.redirectUri !== redirectUri) {
    throw new OAuthError("invalid_grant", INVALID_CODE);
  }
  const verifier = findParameter(form, "code_verifier");
  if (verifier === undefined || !isVerifierOf(code.codeChallenge, verifier)) {
    throw new OAuthError("invalid_grant", "Send the code_verifier of the code_challenge");
  }
  requireBoundKey(grant, request);
  requireResource(services, grant, request);
  return { code, grant };
}

async function findCode(
  db: Db,
  authority: RowAuthority,
  text: string,
): Promise<{ readonly code: StoredCode; readonly grant: Grant } | undefined> {
  const read = readOpaqueToken(text, "grant");
  if (read === undefined) return undefined;
  const where = { account_id: read.accountId, id: read.id };
  const grant = await findRow(db, authority, "authorization_grant", "ofAccountById", where);
  const code = grant && readCode(grant);
  return code !== undefined && read.matches(code.secretHash) ? { code, grant: grant! } : undefined;
}

async function requireInTime(services: OAuthServices, grant: Grant, now: Instant): Promise<void> {
  const { id, account_id: accountId, state } = grant;
  const isWaiting = state === "waiting";
  if (grant.expires_at > now && (!isWaiting || grant.created_at <= now + CLOCK_SKEW)) return;
  if (isWaiting) await deleteWaitingGrant(services, { id, accountId });
  throw new OAuthError("invalid_grant", INVALID_CODE);
}

/** RFC 7636 sections 4.1 and 4.6. */
function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  return constantTimeEqualText(toBase64url(sha256(utf8(verifier))), challenge);
}
