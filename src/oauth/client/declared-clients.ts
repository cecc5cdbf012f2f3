import { hashSecret } from "../../accounts/session/bearer-secret.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { findClient, listClients } from "./client.ts";
import type { Client } from "./client.ts";
import {
  changeClient,
  endPreviousSecret,
  registerClient,
  rotateClientSecret,
} from "./client-administration.ts";
import type { ClientKeeper } from "./client-administration.ts";
import { checkKeyAccess } from "./client-metadata.ts";
import type { ClientChange, ClientMetadata } from "./client-metadata.ts";
import { previousSecretEnd } from "./client-secret.ts";

/** A client as a file declares it: all of it, so that what is left out is what registering gives. */
export interface DeclaredClient {
  readonly clientId: string;
  readonly metadata: ClientMetadata;
  readonly disabled: boolean;
  /** Undefined exactly for public clients. */
  readonly clientSecret: string | undefined;
}

/** What a file declares cannot be so over the clients that there are: a sentence for each of them. */
export class DeclarationError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("; "));
    this.name = "DeclarationError";
    this.faults = faults;
  }
}

interface Moment {
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** Clients that are read at a time. */
const READ_AT_ONCE = 500;

/** Those that a file declared at the last start. */
async function listDeclared(db: Db, authority: RowAuthority): Promise<Client[]> {
  const declared: Client[] = [];
  let after: string | undefined;
  do {
    const { clients, next } = await listClients(db, authority, { after, limit: READ_AT_ONCE });
    declared.push(...clients.filter((client) => client.declared));
    after = next;
  } while (after !== undefined);
  return declared;
}

/**
 * Makes the clients what a file declares, in one transaction that has the write lock: new ones are registered, others
 * changed (one that the administrator registered is the file's from then on), and what the file no longer declares is
 * disabled and the administrator's. Without a file (`undefined`) what it declared stays as it is, and becomes the
 * administrator's. Where all is so already nothing is written. Throws `DeclarationError`, having changed nothing.
 */
export async function bringInLine(
  db: Db,
  keeper: ClientKeeper,
  declared: readonly DeclaredClient[] | undefined,
  moment: Moment,
): Promise<void> {
  // Most have no such file: their starts wait for nobody who writes.
  if (declared === undefined && (await listDeclared(db, keeper.authority)).length === 0) return;
  await transaction(db, async (tx) => {
    const before = await listDeclared(tx, keeper.authority);
    const faults: string[] = [];
    for (const entry of declared ?? []) {
      const fault = await declare(tx, keeper, entry, moment);
      if (fault !== undefined) faults.push(`client ${entry.clientId} ${fault}`);
    }
    if (faults.length > 0) throw new DeclarationError(faults);
    const ids = new Set(declared?.map(({ clientId }) => clientId));
    const change = declared === undefined ? { declared: false } : { declared: false, disabled: true };
    for (const { clientId } of before.filter(({ clientId }) => !ids.has(clientId))) {
      await changeClient(tx, keeper, { clientId, change, now: moment.now, by: "file" });
    }
  });
}

/** What an entry says of its client, whatever that was before. */
function changeOf({ metadata, disabled }: DeclaredClient): ClientChange & { readonly declared: true } {
  const { type, ...said } = metadata;
  const { keyScopes, dpopBoundAccessTokens } = checkKeyAccess(said, type);
  return {
    postLogoutRedirectUris: [],
    idTokenSignedResponseAlg: "ES256",
    backchannelLogoutUri: null,
    backchannelLogoutSessionRequired: false,
    ...said,
    scopes: ["openid", ...keyScopes],
    dpopBoundAccessTokens,
    disabled,
    declared: true,
  };
}

/** Registers or changes what one entry declares; answers why that cannot be. */
async function declare(
  tx: Db,
  keeper: ClientKeeper,
  entry: DeclaredClient,
  { now, random }: Moment,
): Promise<string | undefined> {
  const { clientId, metadata, clientSecret } = entry;
  const client = await findClient(tx, keeper.authority, clientId);
  if (client === undefined) {
    try {
      await registerClient(tx, keeper, { metadata, clientSecret, declaredId: clientId, now, random });
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== "client_declared") throw error;
      return "has a row in the database that this service did not write";
    }
  } else if (client.type !== metadata.type) {
    return `is of type ${client.type}, which does not change: declare another under a new clientId`;
  } else if (clientSecret !== undefined) {
    await keepSecret(tx, keeper, { client, clientSecret, now });
  }
  await changeClient(tx, keeper, { clientId, change: changeOf(entry), now, by: "file" });
  return undefined;
}

/** The secret of the file is the one that counts. */
async function keepSecret(
  tx: Db,
  keeper: ClientKeeper,
  { client, clientSecret, now }: { client: Client; clientSecret: string; now: Instant },
): Promise<void> {
  const whose = { clientId: client.clientId, now, by: "file" } as const;
  if (hashSecret(clientSecret) !== client.secretHash) {
    await rotateClientSecret(tx, keeper, { ...whose, clientSecret, previousUntil: undefined });
  } else if (previousSecretEnd(client, now) !== undefined) {
    await endPreviousSecret(tx, keeper, whose);
  }
}
