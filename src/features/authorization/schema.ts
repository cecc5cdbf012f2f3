import * as v from "valibot";
import { Policy } from "../../api/policy.ts";
import { Count, list } from "../../api/value.ts";

/** What was granted to sign (RFC 9396 section 7). */
const Details = list(v.strictObject({
  type: v.literal("ethereum_sign"),
  policy: Policy,
  keys: list(v.string()),
}));

/** RFC 6749 section 5.1. */
export const TokenResponse = v.strictObject({
  access_token: v.string(),
  token_type: v.pipe(v.picklist(["Bearer", "DPoP"]), v.description("DPoP: bound to a key (RFC 9449)")),
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

/** OpenID Connect Core section 5.1: of the standard claims those that are known. */
export const UserInfo = v.strictObject({
  sub: v.string(),
  email: v.exactOptional(v.string()),
  email_verified: v.exactOptional(v.literal(true)),
  name: v.exactOptional(v.string()),
});

/** RFC 7517 section 5: public members only. */
export const KeySet = v.strictObject({
  keys: v.pipe(list(v.record(v.string(), v.string())), v.description("With `kty`, `kid`, `alg` and `use`")),
});

/** RFC 8414 section 2, OpenID Connect Discovery section 3. */
export const ProviderMetadata = v.record(
  v.string(),
  v.union([v.string(), v.boolean(), list(v.string())]),
);
