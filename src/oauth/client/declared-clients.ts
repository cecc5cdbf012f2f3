import { hashSecret } from "../../accounts/session/bearer-secret.ts";
import { passInconsistent } from "../../db/error.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { pageRows } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { AUTHENTICATION_METHODS, type Client, declarationsOf, findClient, toClient } from "./client.ts";
import {
  changeClient,
  endPreviousSecret,
  registerClient,
  rotateClientSecret,
} from "./client-administration.ts";
import type { ClientServices } from "./client-administration.ts";
import { checkKeyAccess, type ClientChange, type ClientMetadata } from "./client-metadata.ts";
import { previousSecretEnd } from "./client-secret.ts";

/** A client as a file declares it. Members left out get the defaults of registration. */
export interface DeclaredClient {
  readonly clientId: string;
  readonly metadata: ClientMetadata;
  readonly disabled: boolean;
  /** Undefined unless the client authenticates by a secret. */
  readonly clientSecret: string | undefined;
}

/** Thrown if the declared clients conflict with the stored ones. `faults` has a sentence for each conflict. */
export class DeclarationError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("; "));
    this.name = "DeclarationError";
    this.faults = faults;
  }
}

interface OperationContext {
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** More than a file can declare. */
const MOST_DECLARED = 100_000;

/** Lists the clients that a file declared at the last start, without those whose rows do not add up. */
async function listDeclared(db: Db, authority: RowAuthority): Promise<readonly Client[]> {
  const page = { after: undefined, limit: MOST_DECLARED };
  return (await pageRows(db, authority, "client", "declared", { declared: 1 }, page)).map(toClient);
}

/**
 * Applies a file's declarations in one transaction with the write lock. Registers new clients and changes others; a
 * client that an administrator registered is then declared. Disables clients that the file no longer declares and
 * leaves them to the administrator. Without a file (`undefined`), keeps its clients and leaves them to the
 * administrator. Writes nothing if nothing changes. Leaves a client whose row does not add up, which then counts as
 * disabled in this process. Throws `DeclarationError` without changes.
 */
export async function applyDeclaredClients(
  db: Db,
  services: ClientServices,
  declared: readonly DeclaredClient[] | undefined,
  context: OperationContext,
): Promise<void> {
  // Most services have no such file. Their starts must not wait for the write lock.
  if (declared === undefined && (await listDeclared(db, services.authority)).length === 0) return;
  const failed = await transaction(db, async (tx) => {
    const before = await listDeclared(tx, services.authority);
    const faults: string[] = [];
    const failed = new Set<string>();
    for (const entry of declared ?? []) {
      try {
        const fault = await declare(tx, services, entry, context);
        if (fault !== undefined) faults.push(`client ${entry.clientId} ${fault}`);
      } catch (error) {
        passInconsistent(error);
        failed.add(entry.clientId);
      }
    }
    if (faults.length > 0) throw new DeclarationError(faults);
    const ids = new Set(declared?.map(({ clientId }) => clientId));
    const change = declared === undefined ? { declared: false } : { declared: false, disabled: true };
    for (const { clientId } of before.filter(({ clientId }) => !ids.has(clientId))) {
      await changeClient(tx, services, { clientId, change, ...context, by: "file" });
    }
    return failed;
  });
  if (declared === undefined) return;
  const applied = new Set(declared.map(({ clientId }) => clientId)).difference(failed);
  declarationsOf(db).known = { at: context.now, applied, failed };
}

/** Returns the complete change for a declared client, independent of its previous state. */
function changeOf({ metadata, disabled }: DeclaredClient): ClientChange & { readonly declared: true } {
  const { type, ...options } = metadata;
  const { dpopBoundAccessTokens } = checkKeyAccess(options, type);
  return {
    postLogoutRedirectUris: [],
    idTokenSignedResponseAlg: "ES256",
    scopes: ["openid"],
    backchannelLogoutUri: null,
    backchannelLogoutSessionRequired: false,
    requirePushedAuthorizationRequests: false,
    deviceGrant: false,
    tokenEndpointAuthMethod: AUTHENTICATION_METHODS[type][0],
    groups: null,
    ...options,
    dpopBoundAccessTokens,
    disabled,
    declared: true,
  };
}

/** Registers or changes the client of an entry. Returns the fault if that is impossible. */
async function declare(
  tx: Db,
  services: ClientServices,
  entry: DeclaredClient,
  { now, random }: OperationContext,
): Promise<string | undefined> {
  const { clientId, metadata, clientSecret } = entry;
  const client = await findClient(tx, services.authority, clientId);
  if (client === undefined) {
    try {
      await registerClient(tx, services, { metadata, clientSecret, declaredId: clientId, now, random });
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== "client_declared") throw error;
      return "has a row in the database that this service did not write";
    }
  } else if (client.type !== metadata.type) {
    return `is of type ${client.type}, which does not change: declare another under a new clientId`;
  } else if (clientSecret !== undefined) {
    await keepSecret(tx, services, { client, clientSecret, now });
  }
  await changeClient(tx, services, { clientId, change: changeOf(entry), now, random, by: "file" });
  return undefined;
}

/** Makes the file's secret the only valid one. */
async function keepSecret(
  tx: Db,
  services: ClientServices,
  { client, clientSecret, now }: { client: Client; clientSecret: string; now: Instant },
): Promise<void> {
  const whose = { clientId: client.clientId, now, by: "file" } as const;
  if (hashSecret(clientSecret) !== client.secretHash) {
    await rotateClientSecret(tx, services, { ...whose, clientSecret, previousUntil: undefined });
  } else if (previousSecretEnd(client, now) !== undefined) {
    await endPreviousSecret(tx, services, whose);
  }
}
