import * as v from "valibot";
import { TOKEN_ACTIONS, TOKEN_KEY_LIMIT, type TokenAction } from "../../accounts/token/api-token.ts";
import { Label } from "../../api/key.ts";
import { parseIpNetwork } from "../../lib/ip-address.ts";
import { parseInstant } from "../../lib/time.ts";
import { type ProofJwk, readProofJwk, thumbprintOf } from "../../oauth/dpop/proof-key.ts";

function distinct<T>(message: string): v.CheckAction<T[], string> {
  return v.check((list: T[]) => new Set(list).size === list.length, message);
}

const instant = v.pipe(
  v.string(),
  v.check((text) => parseInstant(text) !== undefined, "Expected a time in UTC, such as 2027-01-31T00:00:00Z"),
  v.transform((text) => parseInstant(text)!),
);

const keys = v.union([
  v.literal("all"),
  v.pipe(
    v.array(v.string()),
    v.minLength(1),
    v.maxLength(TOKEN_KEY_LIMIT),
    distinct<string>("Expected each key once"),
  ),
], 'Expected "all" or a list of 1 to 100 ids of keys, each once');

const actions = v.pipe(
  v.array(v.picklist(TOKEN_ACTIONS)),
  v.minLength(1),
  distinct<TokenAction>("Expected each action once"),
);

const networks = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.check((text) => parseIpNetwork(text) !== undefined, "Expected a network such as 192.0.2.0/24"),
    ),
  ),
  v.minLength(1),
  v.maxLength(20),
);

/** Validated by `policy/`, whose errors say more than a schema's. */
const policy = v.pipe(v.unknown(), v.description("The policy of the token; see the schema `Policy`"));

/** The public key of a client as JWK (RFC 7517). Its value is the thumbprint. */
const jwk = v.pipe(
  v.looseObject({
    kty: v.picklist(["EC", "OKP"]),
    crv: v.picklist(["P-256", "Ed25519"]),
    x: v.string(),
    y: v.exactOptional(v.string()),
  }),
  v.check((value) => readProofJwk(value) !== "private", "Expected the public key alone"),
  v.check((value) => readProofJwk(value) !== "unknown", "Expected a public key on P-256 or Ed25519"),
  v.transform((value) => thumbprintOf(readProofJwk(value) as ProofJwk)),
);

/** The account of the form's page. */
export const StopForm = v.strictObject({ account: v.string() });

export const CreateBody = v.strictObject({
  name: Label,
  keys,
  actions,
  networks: v.optional(networks),
  jwk: v.optional(jwk),
  expiresAt: v.optional(instant),
  policy: v.optional(policy),
});

export const ChangeBody = v.partial(
  v.strictObject({ name: Label, keys, actions, networks, expiresAt: instant, policy }),
);
