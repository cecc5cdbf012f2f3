import type { ClientType, TokenAlgorithm } from "../../db/schema/oauth.ts";
import { type InputFault, ProtocolError } from "../../lib/error.ts";
import { readName } from "../../lib/text.ts";
import { type KeyScope, keyScopesOf, SCOPES } from "../scope.ts";
import { AUTHENTICATION_METHODS, type AuthenticationMethod, type Client } from "./client.ts";
import { type ClientKeys, readClientKeys } from "./client-keys.ts";
import { NAME_LIMIT, URI_LIMIT } from "./client-limits.ts";
import { findLogoutUriFault, type LogoutHosts } from "./logout-uri.ts";
import { findRedirectUriFault, findUriFault } from "./redirect-uri.ts";

const GROUP_LIMIT = 1000;

/** The metadata of a client (RFC 7591 section 2, in the spelling of this API). */
export interface ClientMetadata {
  readonly name: string;
  readonly uri: string;
  readonly type: ClientType;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[];
  /** The back-channel logout URI. Null has the same effect as leaving it out. */
  readonly backchannelLogoutUri?: string | null;
  /** True if each logout token must name the session. Defaults to false. */
  readonly backchannelLogoutSessionRequired?: boolean;
  /** Defaults to ES256. */
  readonly idTokenSignedResponseAlg?: TokenAlgorithm;
  /** The scopes that the client may request. Defaults to `openid`, which every client may request. */
  readonly scopes?: readonly (typeof SCOPES)[number][];
  /** True if access tokens for keys must be bound (RFC 9449 section 5.2). Defaults to true with key scopes. */
  readonly dpopBoundAccessTokens?: boolean;
  /** Defaults to the first method of the type. */
  readonly tokenEndpointAuthMethod?: AuthenticationMethod;
  /** The keys of `private_key_jwt`: one of the two. Null has the same effect as leaving it out. */
  readonly jwks?: unknown;
  readonly jwksUri?: string | null;
  /** Ids of the groups whose members may use it. Defaults to null, every account. */
  readonly groups?: readonly string[] | null;
  /** True if every authorization request must be pushed (RFC 9126 section 6). Defaults to false. */
  readonly requirePushedAuthorizationRequests?: boolean;
  /** True if it may use the device authorization grant (RFC 8628). Defaults to false. */
  readonly deviceGrant?: boolean;
}

/** A change of a client. The type cannot change, because it determines the authentication method. */
export type ClientChange = Partial<Omit<ClientMetadata, "type">> & { readonly disabled?: boolean };

/**
 * Validates metadata against the rules for the client's type and returns it with a normalised name. Throws
 * `invalid_request` that names every fault. Does not check that a host exists. The service sends requests only to the
 * logout URI and to `jwksUri`, and checks the host again before each.
 */
export function checkClientMetadata<T extends ClientChange>(
  metadata: T,
  type: ClientType,
  logoutHosts: LogoutHosts,
): T {
  const faults: InputFault[] = [];
  const name = metadata.name === undefined ? undefined : readName(metadata.name, NAME_LIMIT);
  if (metadata.name !== undefined && name === undefined) {
    faults.push({
      path: "/name",
      message: `Expected 1 to ${NAME_LIMIT} characters without control characters`,
    });
  }
  // Displayed as a link, so an application's own scheme is not allowed.
  const uriFault = metadata.uri === undefined ? undefined : findUriFault(metadata.uri, "web");
  if (uriFault !== undefined) faults.push({ path: "/uri", message: uriFault });
  if (metadata.redirectUris?.length === 0) {
    faults.push({ path: "/redirectUris", message: "Expected at least one URI" });
  }
  faults.push(
    ...listFaults("/redirectUris", metadata.redirectUris ?? [], type),
    ...listFaults("/postLogoutRedirectUris", metadata.postLogoutRedirectUris ?? [], type),
  );
  const { backchannelLogoutUri: logoutUri } = metadata;
  const logoutFault = logoutUri == null ? undefined : findLogoutUriFault(logoutUri, logoutHosts);
  if (logoutFault !== undefined) faults.push({ path: "/backchannelLogoutUri", message: logoutFault });
  if (faults.length > 0) {
    throw new ProtocolError("invalid_request", "Cannot save client: correct the members named in errors", {
      errors: faults,
    });
  }
  return name === undefined ? metadata : { ...metadata, name };
}

type LogoutMetadata = Pick<Client, "backchannelLogoutUri" | "backchannelLogoutSessionRequired">;

/** Throws `invalid_request` if a session id is required without a logout URI. */
export function checkLogoutMetadata(
  { backchannelLogoutUri: uri, backchannelLogoutSessionRequired: given }: ClientChange,
  before: LogoutMetadata = { backchannelLogoutUri: undefined, backchannelLogoutSessionRequired: false },
): LogoutMetadata {
  const backchannelLogoutUri = uri === undefined ? before.backchannelLogoutUri : uri ?? undefined;
  if (backchannelLogoutUri === undefined) {
    if (given === true) refuse("/backchannelLogoutSessionRequired", "Expected with backchannelLogoutUri");
    return { backchannelLogoutUri, backchannelLogoutSessionRequired: false };
  }
  const isRequired = given ?? before.backchannelLogoutSessionRequired;
  return { backchannelLogoutUri, backchannelLogoutSessionRequired: isRequired };
}

interface KeyAccess {
  readonly keyScopes: readonly KeyScope[];
  readonly dpopBoundAccessTokens: boolean;
}

/**
 * Returns the key access after a change. Throws `invalid_request` for a public client that could sign with unbound
 * tokens, and for a token binding without key scopes.
 */
export function checkKeyAccess(
  { scopes, dpopBoundAccessTokens: given }: ClientChange,
  type: ClientType,
  before: KeyAccess = { keyScopes: [], dpopBoundAccessTokens: false },
): KeyAccess {
  const keyScopes = scopes === undefined ? before.keyScopes : keyScopesOf(scopes.join(" "));
  const isForKeys = keyScopes.length > 0;
  // Without previous key scopes, `dpopBoundAccessTokens` was not chosen yet.
  const unless = before.keyScopes.length > 0 ? before.dpopBoundAccessTokens : isForKeys;
  const isBound = given ?? (isForKeys && unless);
  if (isBound && !isForKeys) {
    refuse("/dpopBoundAccessTokens", "Expected with keys:read or keys:sign in scopes");
  }
  if (!isBound && type !== "web" && keyScopes.includes("keys:sign")) {
    refuse(
      "/dpopBoundAccessTokens",
      "Expected true: the tokens of a public client must be bound to its key",
    );
  }
  return { keyScopes, dpopBoundAccessTokens: isBound };
}

interface ClientAuthentication {
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
  readonly keys: ClientKeys | undefined;
}

const KEY_FAULTS = {
  jwks: "Expected either jwksUri or jwks, a set of 1 to 20 public keys (RSA of 2048 bits, P-256 or Ed25519)",
  jwksUri: "Expected an https address of a key set",
} as const;

/**
 * Returns the authentication after a change. The method changes only with its keys. Throws `invalid_request` for a
 * method that the type does not have, and unless exactly one of `jwks` and `jwksUri` comes with `private_key_jwt`.
 */
export function checkAuthentication(
  { tokenEndpointAuthMethod: method, jwks, jwksUri }: ClientChange,
  type: ClientType,
  { before, logoutHosts }: { readonly before?: ClientAuthentication; readonly logoutHosts: LogoutHosts },
): ClientAuthentication {
  const methods: readonly AuthenticationMethod[] = AUTHENTICATION_METHODS[type];
  const chosen = method ?? before?.tokenEndpointAuthMethod ?? methods[0]!;
  if (!methods.includes(chosen)) {
    refuse("/tokenEndpointAuthMethod", `Expected ${methods.join(" or ")} for this type`);
  }
  const areGiven = jwks != null || jwksUri != null;
  if (chosen !== "private_key_jwt") {
    if (areGiven) refuse("/tokenEndpointAuthMethod", "Expected private_key_jwt with jwks or jwksUri");
    return { tokenEndpointAuthMethod: chosen, keys: undefined };
  }
  if (!areGiven && before?.keys !== undefined) return { tokenEndpointAuthMethod: chosen, keys: before.keys };
  const keys = readClientKeys({ jwks, jwksUri }, { local: logoutHosts === "local" });
  if ("fault" in keys) refuse(`/${keys.fault}`, KEY_FAULTS[keys.fault]);
  return { tokenEndpointAuthMethod: chosen, keys };
}

function refuse(path: string, message: string): never {
  const errors: readonly InputFault[] = [{ path, message }];
  throw new ProtocolError("invalid_request", "Cannot save client: correct the members named in errors", {
    errors,
  });
}

/** Returns the ids of groups, each once. Throws `invalid_request` for more than 1000. */
export function checkGroups(groups: readonly string[] | null): readonly string[] | null {
  if (groups !== null && groups.length > GROUP_LIMIT) {
    refuse("/groups", `Expected at most ${GROUP_LIMIT} groups`);
  }
  return groups === null ? null : [...new Set(groups)];
}

function listFaults(path: string, uris: readonly string[], type: ClientType): InputFault[] {
  if (uris.length > URI_LIMIT) return [{ path, message: `Expected at most ${URI_LIMIT} URIs` }];
  return uris.flatMap((uri, index) => {
    const message = uris.indexOf(uri) < index ? "Expected each URI once" : findRedirectUriFault(uri, type);
    return message === undefined ? [] : [{ path: `${path}/${index}`, message }];
  });
}
