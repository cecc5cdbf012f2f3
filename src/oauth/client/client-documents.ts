import type { AllowedHosts, Outgoing } from "../../lib/outgoing.ts";
import { type Cause, createRemoteDocuments, RemoteDocumentError } from "../../lib/remote-document.ts";
import { type Instant, MINUTE } from "../../lib/time.ts";
import { parseJson } from "../../lib/json.ts";
import { ClientDocumentError, readClientDocument } from "./client-document.ts";
import { type ClientKey, type ClientKeys, readKeySet } from "./client-keys.ts";
import { type Client, documentedClient } from "./client.ts";
import { type DocumentHosts, isAcceptedHost, readDocumentUrl } from "./document-url.ts";

/** Maximum sizes in bytes. */
const DOCUMENT_LIMIT = 5 * 1024;
const KEY_SET_LIMIT = 32 * 1024;

/** A key set without the wanted key is fetched again at most once in this time. */
const KEY_SET_REST = MINUTE;

/** The clients that describe themselves, and the key sets of all clients. */
export interface ClientDocuments {
  readonly isOn: boolean;
  /** Returns true if `getClient` sends a request. */
  mustFetch(clientId: string, now: Instant): boolean;
  /** Returns the client that the document at this URL describes. Throws a ClientDocumentError. */
  getClient(clientId: string, cause: Cause): Promise<Client>;
  /**
   * Returns the keys of a client. If `isMissing` says that the wanted one is not among the cached keys, fetches them
   * again. Throws a RemoteDocumentError.
   */
  getKeys(
    keys: ClientKeys,
    cause: Cause,
    isMissing: (keys: readonly ClientKey[]) => boolean,
  ): Promise<readonly ClientKey[]>;
}

export function createClientDocuments(
  outgoing: Outgoing,
  { hosts, allowed }: { readonly hosts: DocumentHosts; readonly allowed: AllowedHosts },
): ClientDocuments {
  const documents = createRemoteDocuments(outgoing, { allowed, limit: DOCUMENT_LIMIT });
  const keySets = createRemoteDocuments(outgoing, { allowed, limit: KEY_SET_LIMIT });
  const local = allowed === "any";

  function urlOf(clientId: string): URL {
    const url = readDocumentUrl(clientId, { local });
    if (url === undefined) throw new ClientDocumentError("its address is not an https URL with a path");
    if (isAcceptedHost(hosts, url.host)) return url;
    throw new ClientDocumentError("this server does not accept it from there");
  }

  async function getKeySet(
    url: string,
    cause: Cause & { readonly newerThan?: Instant },
  ): Promise<readonly ClientKey[]> {
    const { text } = await keySets.get(url, cause);
    try {
      return readKeySet(parseJson(text)) ?? [];
    } catch {
      return [];
    }
  }

  return {
    isOn: hosts !== "off",
    mustFetch: (clientId, now) => !documents.isCached(urlOf(clientId).href, now),
    async getClient(clientId, cause) {
      const url = urlOf(clientId);
      try {
        const { text } = await documents.get(url.href, cause);
        return documentedClient(clientId, readClientDocument(url, text));
      } catch (error) {
        documents.forget(url.href);
        if (error instanceof RemoteDocumentError) throw new ClientDocumentError("it cannot be fetched");
        throw error;
      }
    },
    async getKeys({ jwks, jwksUri }, cause, isMissing) {
      if (jwksUri === undefined) return jwks!;
      const keys = await getKeySet(jwksUri, cause);
      if (!isMissing(keys)) return keys;
      return await getKeySet(jwksUri, { ...cause, newerThan: cause.now - KEY_SET_REST });
    },
  };
}
