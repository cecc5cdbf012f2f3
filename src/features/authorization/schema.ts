import * as v from "valibot";
import { Policy } from "../../api/policy.ts";
import { Count, list } from "../../api/value.ts";
import { FILLABLE_TEMPLATES, type FillableTemplate } from "../../policy/fill-template.ts";
import { GRANT_LENGTHS, type GrantLength } from "../../oauth/authorize/key-choice.ts";

/** The granted signing rights (RFC 9396 section 7). */
const Details = list(v.strictObject({
  type: v.literal("ethereum_sign"),
  policy: Policy,
  keys: list(v.string()),
}));

/** RFC 6749 section 5.1. */
export const TokenResponse = v.strictObject({
  access_token: v.string(),
  token_type: v.pipe(
    v.picklist(["Bearer", "DPoP"]),
    v.description("`DPoP` if the token is bound to a key (RFC 9449)"),
  ),
  expires_in: v.pipe(v.number(), v.description("Seconds")),
  refresh_token: v.exactOptional(v.string()),
  scope: v.string(),
  id_token: v.exactOptional(v.string()),
  authorization_details: v.exactOptional(Details),
});

/** RFC 7662 section 2.2. */
export const Introspection = v.union([
  v.strictObject({ active: v.literal(false) }),
  v.strictObject({
    active: v.literal(true),
    scope: v.string(),
    client_id: v.string(),
    sub: v.string(),
    iss: v.string(),
    iat: Count,
    exp: Count,
    token_type: v.exactOptional(v.picklist(["Bearer", "DPoP"])),
    aud: v.exactOptional(v.string()),
    jti: v.exactOptional(v.string()),
    cnf: v.exactOptional(v.strictObject({ jkt: v.string() })),
    authorization_details: v.exactOptional(Details),
  }),
]);

/** The standard claims that the service knows (OpenID Connect Core section 5.1). */
export const UserInfo = v.strictObject({
  sub: v.string(),
  email: v.exactOptional(v.string()),
  email_verified: v.exactOptional(v.literal(true)),
  name: v.exactOptional(v.string()),
  preferred_username: v.exactOptional(v.string()),
  locale: v.exactOptional(v.string()),
  updated_at: v.exactOptional(Count),
  groups: v.exactOptional(list(v.string())),
  wallets: v.exactOptional(list(v.strictObject({ address: v.string(), keyId: v.string() }))),
});

/** RFC 7517 section 5: public members only. */
export const KeySet = v.strictObject({
  keys: v.pipe(
    list(v.record(v.string(), v.string())),
    v.description("Each key has `kty`, `kid`, `alg` and `use`"),
  ),
});

/** RFC 8414 section 2, OpenID Connect Discovery section 3. */
export const ProviderMetadata = v.record(v.string(), v.union([v.string(), v.boolean(), list(v.string())]));

/** RFC 9728 section 2. */
export const ProtectedResource = v.strictObject({
  resource: v.string(),
  authorization_servers: list(v.string()),
  scopes_supported: list(v.string()),
  bearer_methods_supported: list(v.literal("header")),
});

const optional = v.exactOptional(v.string());

// The OAuth parameters below are only described here. `oauth/` reads them, in the order of the standards.

/** OpenID Connect Core section 3.1.2.1. */
export const AuthorizationParameters = v.looseObject({
  response_type: v.literal("code"),
  client_id: v.string(),
  redirect_uri: v.string(),
  scope: v.pipe(optional, v.description("`keys:read keys:sign` for `/mcp` if it is missing")),
  resource: v.pipe(optional, v.description("The resource that the tokens are for (RFC 8707)")),
  state: optional,
  nonce: optional,
  code_challenge: v.pipe(v.string(), v.description("PKCE is required for every client")),
  code_challenge_method: v.literal("S256"),
  prompt: optional,
  max_age: optional,
  login_hint: optional,
  dpop_jkt: optional,
  authorization_details: optional,
  claims: optional,
});

/** All parameters, or the `request_uri` of a pushed request and the `client_id` (RFC 9126 section 4). */
export const AuthorizationQuery = v.looseObject({
  ...v.partial(AuthorizationParameters).entries,
  client_id: v.string(),
  request_uri: optional,
});

/** RFC 9126 section 2.2. */
export const PushedRequest = v.strictObject({
  request_uri: v.string(),
  expires_in: v.pipe(v.number(), v.description("Seconds")),
});

/** RFC 8628 section 3.1. */
export const DeviceAuthorizationParameters = v.looseObject({
  client_id: v.pipe(optional, v.description("Required of a client without a secret")),
  scope: optional,
  resource: optional,
  authorization_details: optional,
  claims: optional,
  dpop_jkt: optional,
});

/** RFC 8628 section 3.2. */
export const DeviceAuthorization = v.strictObject({
  device_code: v.string(),
  user_code: v.string(),
  verification_uri: v.string(),
  verification_uri_complete: v.string(),
  expires_in: v.pipe(v.number(), v.description("Seconds")),
  interval: v.pipe(v.number(), v.description("Seconds between two requests for the tokens")),
});

/** OpenID Connect RP-Initiated Logout 1.0 section 2. */
export const EndSessionParameters = v.looseObject({
  id_token_hint: optional,
  client_id: optional,
  post_logout_redirect_uri: optional,
  state: optional,
});

/** RFC 6749 sections 4.1.3 and 6, RFC 8628 section 3.4. */
export const TokenParameters = v.looseObject({
  grant_type: v.picklist([
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code",
  ]),
  code: optional,
  redirect_uri: optional,
  code_verifier: optional,
  refresh_token: optional,
  device_code: optional,
  resource: optional,
  scope: optional,
  authorization_details: optional,
  client_id: optional,
});

/** RFC 7009 section 2.1 and RFC 7662 section 2.1. */
export const PresentedToken = v.looseObject({
  token: v.string(),
  token_type_hint: optional,
  client_id: optional,
});

/** RFC 6750 section 2.2. */
export const AccessTokenForm = v.looseObject({ access_token: optional });

export const RequestQuery = v.strictObject({ request: v.string() });

export const USUAL_LENGTH: GrantLength = "month";

/** The values of the templates, named `value:<template>:<name>`. */
const TEMPLATE_VALUES: Readonly<Record<string, typeof optional>> = Object.fromEntries(
  Object.entries(FILLABLE_TEMPLATES).flatMap(([id, fields]) =>
    fields.map(({ name }) => [`value:${id}:${name}`, optional] as const)
  ),
);

/** The length of a grant, and the template that the owner picks. */
export const CHOICE = {
  end: v.optional(v.picklist(Object.keys(GRANT_LENGTHS) as GrantLength[]), USUAL_LENGTH),
  template: v.optional(
    v.picklist(["own", ...Object.keys(FILLABLE_TEMPLATES) as FillableTemplate[]]),
    "ask",
  ),
  otherwise: v.optional(v.literal("ask")),
};

/**
 * The decision of the consent page. Ticked boxes are named `key:<id>` and `rule:<name>`, with the value `on`. The
 * values of a template are named `value:<template>:<name>`.
 */
export const ConsentForm = v.objectWithRest({
  request: v.string(),
  decision: v.picklist(["approve", "deny"]),
  replace: v.optional(v.literal("on")),
  danger: v.pipe(
    v.optional(v.literal("on")),
    v.description("Allows dangerous rules in the policy of the template `own`"),
  ),
  policy: v.pipe(v.optional(v.string()), v.description("The policy of the template `own`, as JSON")),
  ...CHOICE,
  ...TEMPLATE_VALUES,
}, v.literal("on"));

export const EndSessionForm = v.strictObject({
  request: v.string(),
  decision: v.picklist(["sign_out", "stay"]),
});
