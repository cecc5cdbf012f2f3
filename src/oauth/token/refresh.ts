import { type Account, findAccount } from "../../accounts/account.ts";
import { RETRY_WINDOW } from "../../db/retention.ts";
import type { Db } from "../../db/schema/schema.ts";
import { together } from "../../db/transaction.ts";
import { utf8 } from "../../lib/bytes.ts";
import { type Instant, isRecent } from "../../lib/time.ts";
import { SealError } from "../../vault/error.ts";
import { OAuthError } from "../error.ts";
import { endGrant, findGrant, type Grant, isOfClient } from "../grant.ts";
import { findParameter } from "../parameters.ts";
import { prolongGrant, signTokens, type TokenResponse } from "./token-response.ts";
import {
  findNextToken,
  findRefreshToken,
  findRefreshTokenRow,
  newRefreshToken,
  type RefreshToken,
} from "./refresh-token.ts";
import type { OAuthServices } from "../services.ts";
import {
  refreshKeyOf,
  requireBoundKey,
  requireEnabled,
  requireResource,
  type TokenRequest,
} from "./token-request.ts";
import { readTokenRights } from "./token-rights.ts";

const INVALID_TOKEN = "The refresh_token is wrong, expired, used, or was issued to another client";

interface Presented {
  readonly row: RefreshToken;
  readonly grant: Grant;
  readonly account: Account;
}

/**
 * Handles `grant_type=refresh_token` (RFC 6749 section 6) with rotation. A used token returns the same response for
 * ten seconds, unless its successor was used. Otherwise an attacker may have a copy, and the grant ends (OAuth 2.1
 * section 4.3.1). Does not change the token of another client.
 */
export async function refresh(
  db: Db,
  services: OAuthServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { client, proof, now, random } = request;
  const presented = await findPresented(db, services, request);
  const { row, grant, account } = presented;
  requireBoundKey(grant, request);
  requireResource(services, grant, request);
  if (!isNext(presented)) return await findRetryResponse(db, services, presented, request);
  if (row.expires_at <= now) throw new OAuthError("invalid_grant", INVALID_TOKEN);
  const rights = readTokenRights(grant, request);

  const token = newRefreshToken(grant, request);
  const subject = {
    grant,
    rights,
    client,
    account,
    nonce: undefined,
    jkt: proof?.jkt,
    refreshToken: token.text,
    now,
    random,
  };
  const response = await signTokens(db, services, subject);
  const answer = services.vault.seal(
    "token-answer",
    [utf8(row.id), utf8(token.id)],
    utf8(JSON.stringify(response)),
  );
  const { authority } = services;
  const committed = await services.groupCommit.run(async (tx) => {
    await requireEnabled(tx, services, { client, account });
    // The token's row outlives its grant, which may have ended since it was read.
    const present = await findGrant(tx, authority, { id: grant.id, accountId: account.id, now });
    if (present === undefined || !isNext({ row, grant: present })) return undefined;
    const jkt = grant.jkt ?? refreshKeyOf(request);
    const parent = { id: row.id, answer };
    const issue = { event: "grant_refreshed", grant, token, parent, jkt, now } as const;
    await together(request.recordRequest(tx), prolongGrant(tx, services, issue));
    return response;
  }, { accountId: account.id, extraKeys: request.rowKeys });
  // A concurrent request was first: the token is used, or the grant has ended.
  return committed ?? await refresh(db, services, request);
}

/** Returns true if the token may be used. The grant's state says it: a token's row does not change. */
function isNext({ row, grant }: Pick<Presented, "row" | "grant">): boolean {
  return grant.refresh_id === row.id;
}

async function findPresented(
  db: Db,
  { authority }: OAuthServices,
  { client, form, now }: TokenRequest,
): Promise<Presented> {
  const text = findParameter(form, "refresh_token");
  if (text === undefined) throw new OAuthError("invalid_request", "Send the refresh_token");
  const found = await findRefreshToken(db, authority, { text, now });
  const grant = found === undefined ? undefined : await findGrant(db, authority, {
    id: found.row.grant_id,
    accountId: found.accountId,
    now,
  });
  const account = grant !== undefined && isOfClient(client, grant)
    ? await findAccount(db, authority, grant.account_id)
    : undefined;
  if (account === undefined) throw new OAuthError("invalid_grant", INVALID_TOKEN);
  return { row: found!.row, grant: grant!, account };
}

/** Returns the response of a used token within the retry window. Otherwise ends the grant and throws. */
async function findRetryResponse(
  db: Db,
  services: OAuthServices,
  { row, grant }: Presented,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { recordRequest, now } = request;
  const answer = await findAnswer(db, services, { row, grant }, now);
  if (answer === undefined) {
    await services.groupCommit.run(async (tx) => {
      const which = { id: grant.id, accountId: grant.account_id, now };
      const present = await findGrant(tx, services.authority, which);
      if (present === undefined) return;
      // The answer may be in a row that the database hides.
      await findNextToken(tx, services.authority, present, now);
      await endGrant(tx, services, { grant: present, reason: "refresh_token_reused", now });
    });
    throw new OAuthError("invalid_grant", INVALID_TOKEN);
  }
  readTokenRights(grant, request);
  await services.groupCommit.run(recordRequest);
  return answer;
}

async function findAnswer(
  db: Db,
  { vault, authority }: OAuthServices,
  { row: { id }, grant }: Pick<Presented, "row" | "grant">,
  now: Instant,
): Promise<TokenResponse | undefined> {
  const next = await findRefreshTokenRow(db, authority, grant.refresh_id!);
  if (next?.parent_id !== id || !isRecent(next.created_at, now, RETRY_WINDOW)) return undefined;
  if (next.answer === null) return undefined;
  try {
    const opened = vault.open("token-answer", [utf8(id), utf8(next.id)], next.answer);
    return JSON.parse(new TextDecoder().decode(opened));
  } catch (error) {
    // An attacker edited this column, which the row's MAC does not cover.
    if (error instanceof SealError) return undefined;
    throw error;
  }
}
