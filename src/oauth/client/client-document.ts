import { asObject } from "../../lib/object.ts";
import { parseJson } from "../../lib/json.ts";
import { readName } from "../../lib/text.ts";
import { type ClientKeys, readClientKeys } from "./client-keys.ts";
import { NAME_LIMIT, URI_LIMIT } from "./client-limits.ts";
import { findRedirectUriFault } from "./redirect-uri.ts";

/** A document that does not describe a client. The message contains nothing of the document. */
export class ClientDocumentError extends Error {}

/** The metadata that a client publishes at its `client_id` (draft-ietf-oauth-client-id-metadata-document). */
export interface ClientDocument {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly keys: ClientKeys | undefined;
}

function fail(message: string): never {
  throw new ClientDocumentError(message);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(parseJson(text)) ?? fail("it is not a JSON object");
  } catch (error) {
    if (error instanceof ClientDocumentError) throw error;
    fail("it is not JSON whose members stand once");
  }
}

/** Returns the redirect URIs that a native client may use. Leaves out the others, which nothing is sent to. */
function readRedirectUris(value: unknown): readonly string[] {
  const isList = Array.isArray(value) && value.length <= URI_LIMIT &&
    value.every((uri): uri is string => typeof uri === "string");
  if (!isList) fail(`redirect_uris must be a list of at most ${URI_LIMIT} texts`);
  const usable = [...new Set(value)].filter((uri) => findRedirectUriFault(uri, "native") === undefined);
  return usable.length > 0 ? usable : fail("redirect_uris must have a URI that this server accepts");
}

/**
 * Parses a client's metadata document (sections 4 and 4.1 of the draft). Throws a ClientDocumentError for malformed
 * JSON, a member that stands twice, another `client_id`, a shared secret, and a missing or unsupported
 * `token_endpoint_auth_method`. Ignores unknown members.
 */
export function readClientDocument(url: URL, text: string): ClientDocument {
  const document = parse(text);
  if (document["client_id"] !== url.href) fail("its client_id must be its own address");
  if (Object.keys(document).some((name) => name.startsWith("client_secret"))) fail("it must have no secret");
  const method = document["token_endpoint_auth_method"];
  if (method !== "none" && method !== "private_key_jwt") {
    fail("token_endpoint_auth_method must be none or private_key_jwt");
  }
  const { client_name: given = url.host } = document;
  const name = typeof given === "string" ? readName(given, NAME_LIMIT) : undefined;
  if (name === undefined) fail(`client_name must be a text of at most ${NAME_LIMIT} characters`);
  return {
    name,
    redirectUris: readRedirectUris(document["redirect_uris"]),
    keys: method === "none" ? undefined : readKeys(document, url),
  };
}

function readKeys({ jwks, jwks_uri: uri }: Readonly<Record<string, unknown>>, url: URL): ClientKeys {
  const keys = readClientKeys({ jwks, jwksUri: uri }, { local: url.protocol === "http:" });
  return "fault" in keys ? fail("jwks or jwks_uri must be there, one of the two, with public keys") : keys;
}
