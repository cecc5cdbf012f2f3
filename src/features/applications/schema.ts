import * as v from "valibot";
import { list, NextCursor, type Of, Time } from "../../api/value.ts";
import { formIdField } from "../../http/form-idempotency.ts";
import { pageParameters } from "../../http/request/paging.ts";
import { SECOND } from "../../lib/time.ts";
import { URI_LIMIT } from "../../oauth/client/client-limits.ts";
import { LONGEST_OVERLAP } from "../../oauth/client/client-secret.ts";
import { CLAIM_SCOPES, type ClaimScope, SCOPES } from "../../oauth/scope.ts";

const TYPES = ["spa", "native", "web"] as const;
const METHODS = ["client_secret_basic", "private_key_jwt", "none"] as const;
const ALGORITHMS = ["ES256", "RS256", "EdDSA"] as const;

export const OAuthClient = v.strictObject({
  id: v.string(),
  clientId: v.string(),
  clientSecret: v.exactOptional(
    v.pipe(v.string(), v.description("Only in the response that creates it, and only for `web`")),
  ),
  name: v.string(),
  redirectUris: list(v.string()),
  postLogoutRedirectUris: list(v.string()),
  backchannelLogoutUri: v.pipe(
    v.nullable(v.string()),
    v.description("Receives logout tokens (OpenID Connect Back-Channel Logout)"),
  ),
  backchannelLogoutSessionRequired: v.pipe(
    v.boolean(),
    v.description("True if each logout token must name the session"),
  ),
  uri: v.string(),
  type: v.picklist(TYPES),
  public: v.boolean(),
  tokenEndpointAuthMethod: v.picklist(METHODS),
  jwks: v.pipe(
    v.nullable(v.strictObject({ keys: list(v.record(v.string(), v.string())) })),
    v.description("The public keys of `private_key_jwt`"),
  ),
  jwksUri: v.pipe(v.nullable(v.string()), v.description("The address of these keys, in place of `jwks`")),
  idTokenSignedResponseAlg: v.picklist(ALGORITHMS),
  scopes: v.pipe(list(v.picklist(SCOPES)), v.description("The scopes that it may request")),
  dpopBoundAccessTokens: v.pipe(
    v.boolean(),
    v.description("True if its tokens for keys are bound to a key of its own (RFC 9449)"),
  ),
  groups: v.pipe(
    v.nullable(list(v.string())),
    v.description("The ids of the groups whose members may use it; null for every account"),
  ),
  requirePushedAuthorizationRequests: v.pipe(
    v.boolean(),
    v.description("True if it must push every authorization request (RFC 9126)"),
  ),
  deviceGrant: v.pipe(
    v.boolean(),
    v.description("True if it may use the device authorization grant (RFC 8628)"),
  ),
  disabled: v.boolean(),
  declared: v.pipe(
    v.boolean(),
    v.description("True if the operator's file declares it. Only the file can then change it"),
  ),
  previousSecretExpiresAt: v.pipe(
    v.nullable(Time),
    v.description("The time until which the previous secret stays valid; null without one"),
  ),
  createdAt: Time,
  updatedAt: Time,
});

export const ClientAnswer = v.strictObject({ client: OAuthClient });

export const ClientDone = v.strictObject({ success: v.literal(true), client: OAuthClient });

export const ClientList = v.strictObject({ clients: list(OAuthClient), nextCursor: NextCursor });

const uris = v.array(v.string());

const optionalMembers = {
  backchannelLogoutUri: v.exactOptional(v.nullable(v.string())),
  backchannelLogoutSessionRequired: v.exactOptional(v.boolean()),
  postLogoutRedirectUris: v.exactOptional(uris),
  idTokenSignedResponseAlg: v.exactOptional(v.picklist(ALGORITHMS)),
  scopes: v.exactOptional(v.array(v.picklist(SCOPES))),
  dpopBoundAccessTokens: v.exactOptional(v.boolean()),
  tokenEndpointAuthMethod: v.exactOptional(v.picklist(METHODS)),
  jwks: v.exactOptional(v.nullable(v.looseObject({ keys: v.array(v.looseObject({})) }))),
  jwksUri: v.exactOptional(v.nullable(v.string())),
  requirePushedAuthorizationRequests: v.exactOptional(v.boolean()),
  deviceGrant: v.exactOptional(v.boolean()),
  groups: v.exactOptional(v.nullable(v.array(v.string()))),
};

export const RegisterBody = v.strictObject({
  name: v.string(),
  redirectUris: uris,
  uri: v.string(),
  type: v.picklist(TYPES),
  ...optionalMembers,
});

export const ChangeBody = v.strictObject({
  name: v.exactOptional(v.string()),
  redirectUris: v.exactOptional(uris),
  uri: v.exactOptional(v.string()),
  disabled: v.exactOptional(v.boolean()),
  ...optionalMembers,
});

/** The clients of a declaration file: the members of `RegisterBody`, the id and the secret. */
export const DeclaredEntries = v.array(v.strictObject({
  ...RegisterBody.entries,
  clientId: v.pipe(v.string(), v.regex(/^[0-9a-v]{26}$/, "Expected 26 characters of [0-9a-v]")),
  clientSecretFile: v.exactOptional(v.string()),
  disabled: v.exactOptional(v.boolean()),
}));

export type DeclaredEntry = Of<typeof DeclaredEntries>[number];

/** Seconds for which the previous secret stays valid; 0 by default. */
const overlap = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LONGEST_OVERLAP / SECOND));

export const RotateBody = v.strictObject({ previousExpiresIn: v.exactOptional(overlap) });

export const ListQuery = v.strictObject(pageParameters);

/** The number of empty URI fields offered beyond those in use. */
export const SPARE_FIELDS = 2;

export const URI_FIELDS = URI_LIMIT + SPARE_FIELDS;

const box = v.optional(v.literal("on"));

const formFields = {
  ...Object.fromEntries(
    ["redirect", "logout"].flatMap((prefix) =>
      Array.from({ length: URI_FIELDS }, (_, index) => [`${prefix}${index}`, v.optional(v.string())] as const)
    ),
  ),
  name: v.string(),
  uri: v.string(),
  algorithm: v.picklist(ALGORITHMS),
  backchannel: v.optional(v.string(), ""),
  session: box,
  ...Object.fromEntries(CLAIM_SCOPES.map((scope) => [scope, box] as const)) as Record<ClaimScope, typeof box>,
  read: box,
  sign: box,
  bound: box,
  pushed: box,
  device: box,
  access: v.optional(v.picklist(["everyone", "groups"]), "everyone"),
  /** `usual` is the first method of the type. */
  method: v.optional(v.picklist(["usual", ...METHODS]), "usual"),
  jwks: v.optional(v.string(), ""),
  jwksUri: v.optional(v.string(), ""),
};

/** A chosen group is a member `group:<id>` with the value `on`. */
const groupBoxes = v.literal("on");

const changeFields = { ...formFields, seen: v.optional(v.string(), "") };

/** The members of the form beside the boxes of groups. */
export type ChangeFields = v.InferOutput<v.ObjectSchema<typeof changeFields, undefined>>;

export const ChangeForm = v.objectWithRest(changeFields, groupBoxes);

export const RegisterForm = v.objectWithRest({
  ...formFields,
  ...formIdField,
  type: v.picklist(["web", "spa", "native"]),
}, groupBoxes);

export const SecretForm = v.strictObject({
  overlap: v.picklist(["0", "3600", "86400", "604800"]),
  ...formIdField,
});

export const SearchQuery = v.strictObject({ search: v.optional(v.string()), cursor: v.optional(v.string()) });
