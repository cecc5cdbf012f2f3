import * as v from "valibot";
import { list, NextCursor, Time } from "../../api/value.ts";
import { SCOPES } from "../../oauth/scope.ts";

const ALGORITHMS = ["ES256", "RS256", "EdDSA"] as const;

/** A registered application. */
export const OAuthClient = v.strictObject({
  id: v.string(),
  clientId: v.string(),
  clientSecret: v.exactOptional(
    v.pipe(v.string(), v.description("Only when it is made, and only for `web`")),
  ),
  name: v.string(),
  redirectUris: list(v.string()),
  postLogoutRedirectUris: list(v.string()),
  backchannelLogoutUri: v.pipe(
    v.nullable(v.string()),
    v.description("Where it hears that a session is over (OpenID Connect Back-Channel Logout)"),
  ),
  backchannelLogoutSessionRequired: v.pipe(
    v.boolean(),
    v.description("Whether it must be told which session, each time"),
  ),
  uri: v.string(),
  type: v.picklist(["spa", "native", "web"]),
  public: v.boolean(),
  tokenEndpointAuthMethod: v.picklist(["client_secret_basic", "none"]),
  idTokenSignedResponseAlg: v.picklist(ALGORITHMS),
  scopes: v.pipe(list(v.picklist(SCOPES)), v.description("What it may ask people for")),
  dpopBoundAccessTokens: v.pipe(
    v.boolean(),
    v.description("Whether its tokens for keys are bound to a key of its own (RFC 9449)"),
  ),
  disabled: v.boolean(),
  declared: v.pipe(
    v.boolean(),
    v.description("Whether a file of the operator's declares it, which alone changes it then"),
  ),
  previousSecretExpiresAt: v.pipe(
    v.nullable(Time),
    v.description("Until when the secret before the present one counts as well; null where none does"),
  ),
  createdAt: Time,
  updatedAt: Time,
});

export const ClientAnswer = v.strictObject({ client: OAuthClient });

export const ClientDone = v.strictObject({ success: v.literal(true), client: OAuthClient });

export const ClientList = v.strictObject({ clients: list(OAuthClient), nextCursor: NextCursor });
