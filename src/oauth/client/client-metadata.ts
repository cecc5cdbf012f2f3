import type { ClientType, TokenAlgorithm } from "../../db/schema/oauth.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { InputFault } from "../../lib/error.ts";
import { readName } from "../../lib/text.ts";
import { keyScopesOf, SCOPES } from "../scope.ts";
import type { KeyScope } from "../scope.ts";
import type { Client } from "./client.ts";
import { findLogoutUriFault } from "./logout-uri.ts";
import type { LogoutHosts } from "./logout-uri.ts";
import { findRedirectUriFault, findUriFault } from "./redirect-uri.ts";

/** Most URIs a client may register of either kind. */
export const URI_LIMIT = 50;
const NAME_LIMIT = 100;

/** What an administrator says of a client (RFC 7591 section 2, in our own spelling). */
export interface ClientMetadata {
  readonly name: string;
  /** Its home page. */
  readonly uri: string;
  readonly type: ClientType;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[];
  /** Where it hears that a session is over; null as if it were not given. */
  readonly backchannelLogoutUri?: string | null;
  /** Whether it must be told which session, each time; it need not unless given. */
  readonly backchannelLogoutSessionRequired?: boolean;
  /** ES256 unless given. */
  readonly idTokenSignedResponseAlg?: TokenAlgorithm;
  /** What it may ask people for; `openid`, which everybody may, unless given. */
  readonly scopes?: readonly (typeof SCOPES)[number][];
  /** Whether its tokens for keys are bound to a key of its own (RFC 9449 section 5.2); they are unless this is false. */
  readonly dpopBoundAccessTokens?: boolean;
}

/** What may change of a client. Its type may not: authentication hangs on it. */
export type ClientChange = Partial<Omit<ClientMetadata, "type">> & { readonly disabled?: boolean };

/**
 * Checks what is given against the rules for the client's type and answers it with the name trimmed. Throws
 * `invalid_request` that names every fault. Does not check that anybody is behind the URIs; of all of them only the one
 * for logouts is ever asked, and looked at again then.
 */
export function checkClientMetadata<T extends ClientChange>(
  metadata: T,
  type: ClientType,
  logoutHosts: LogoutHosts,
): T {
  const faults: InputFault[] = [];
  const name = metadata.name === undefined ? undefined : readName(metadata.name, NAME_LIMIT);
  if (metadata.name !== undefined && name === undefined) {
    faults.push({ path: "/name", message: `Expected 1 to ${NAME_LIMIT} characters, none of them a control` });
  }
  // Shown as a link: no place for an application's own scheme.
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

/** How a client hears of logouts. */
type LogoutWay = Pick<Client, "backchannelLogoutUri" | "backchannelLogoutSessionRequired">;

/**
 * How a client hears of logouts after a change. Without a URI it does not. Throws `invalid_request` where a word must name
 * the session that nobody is told.
 */
export function checkLogoutWay(
  { backchannelLogoutUri: uri, backchannelLogoutSessionRequired: given }: ClientChange,
  before: LogoutWay = { backchannelLogoutUri: undefined, backchannelLogoutSessionRequired: false },
): LogoutWay {
  const backchannelLogoutUri = uri === undefined ? before.backchannelLogoutUri : uri ?? undefined;
  if (backchannelLogoutUri === undefined) {
    if (given === true) refuse("/backchannelLogoutSessionRequired", "Expected with backchannelLogoutUri");
    return { backchannelLogoutUri, backchannelLogoutSessionRequired: false };
  }
  const isRequired = given ?? before.backchannelLogoutSessionRequired;
  return { backchannelLogoutUri, backchannelLogoutSessionRequired: isRequired };
}

/** What a client may ask of keys. */
interface KeyAccess {
  readonly keyScopes: readonly KeyScope[];
  readonly dpopBoundAccessTokens: boolean;
}

/**
 * What a client may ask of keys after a change. Throws `invalid_request` for a public client that would sign with tokens
 * which whoever finds them can use, and for a binding of tokens that there are none of.
 */
export function checkKeyAccess(
  { scopes, dpopBoundAccessTokens: given }: ClientChange,
  type: ClientType,
  before: KeyAccess = { keyScopes: [], dpopBoundAccessTokens: false },
): KeyAccess {
  const keyScopes = scopes === undefined ? before.keyScopes : keyScopesOf(scopes.join(" "));
  const isForKeys = keyScopes.length > 0;
  // Whoever had no scopes for keys chose nothing yet.
  const unless = before.keyScopes.length > 0 ? before.dpopBoundAccessTokens : isForKeys;
  const isBound = given ?? (isForKeys && unless);
  if (isBound && !isForKeys) {
    refuse("/dpopBoundAccessTokens", "Expected with keys:read or keys:sign in scopes");
  }
  if (!isBound && type !== "web" && keyScopes.includes("keys:sign")) {
    refuse(
      "/dpopBoundAccessTokens",
      "Expected true: a public client signs with tokens that are bound to its key",
    );
  }
  return { keyScopes, dpopBoundAccessTokens: isBound };
}

function refuse(path: string, message: string): never {
  const errors: readonly InputFault[] = [{ path, message }];
  throw new ProtocolError("invalid_request", "Cannot save client: correct the members named in errors", {
    errors,
  });
}

function listFaults(path: string, uris: readonly string[], type: ClientType): InputFault[] {
  if (uris.length > URI_LIMIT) return [{ path, message: `Expected at most ${URI_LIMIT} URIs` }];
  return uris.flatMap((uri, index) => {
    const message = uris.indexOf(uri) < index ? "Expected each URI once" : findRedirectUriFault(uri, type);
    return message === undefined ? [] : [{ path: `${path}/${index}`, message }];
  });
}
