import * as v from "valibot";
import { TOKEN_ACTIONS } from "../../../accounts/token/api-token.ts";
import { Key } from "./key.ts";
import { Policy } from "./policy.ts";
import { Base64url, Count, KeyId, list, NextCursor, Time } from "./value.ts";

export const Account = v.strictObject({
  id: v.string(),
  email: v.nullable(v.string()),
  name: v.nullable(v.string()),
  createdAt: Time,
});

const passkey = {
  id: v.string(),
  credentialId: Base64url,
  name: v.string(),
  provider: v.pipe(
    v.nullable(v.string()),
    v.description("What its authenticator calls itself: nobody vouches for it"),
  ),
  transports: list(v.string()),
  backupEligible: v.boolean(),
  backedUp: v.boolean(),
  createdAt: Time,
  lastUsedAt: v.nullable(Time),
  current: v.pipe(v.boolean(), v.description("Whether this session was opened with it")),
};
export const Passkey = v.strictObject(passkey);
export const PasskeyAnswer = v.strictObject({ passkey: Passkey });
export const PasskeyList = v.strictObject({
  passkeys: list(Passkey),
  signal: v.pipe(
    v.strictObject({
      rpId: v.string(),
      userId: Base64url,
      name: v.string(),
      displayName: v.string(),
      allAcceptedCredentialIds: list(Base64url),
    }),
    v.description("What the WebAuthn Signal API takes"),
  ),
});
export const RelatedOrigins = v.strictObject({ origins: list(v.string()) });
export const PasskeyPages = v.strictObject({ enroll: v.string(), manage: v.string() });

export const CodeSent = v.strictObject({
  expiresIn: v.pipe(v.number(), v.integer(), v.description("Seconds")),
});
export const AddressProven = v.strictObject({ next: v.picklist(["register_passkey", "sign_in"]) });
export const SignedUp = v.strictObject({ account: Account, key: Key });
/** What registering a passkey answers: a new account, or a further passkey. */
export const Registered = v.union([SignedUp, PasskeyAnswer]);
export const AccountAnswer = v.strictObject({ account: Account });

/** Who is signed in. */
export const PresentSession = v.strictObject({
  session: v.nullable(
    v.strictObject({
      id: v.string(),
      createdAt: Time,
      expiresAt: Time,
      authenticatedAt: v.pipe(Time, v.description("When the person signed in")),
    }),
  ),
  account: v.nullable(Account),
});
export const Session = v.strictObject({
  id: v.string(),
  device: v.pipe(v.string(), v.description("As the browser claimed at sign-in")),
  network: v.string(),
  passkeyId: v.string(),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
  current: v.boolean(),
});
export const SessionList = v.strictObject({ sessions: list(Session) });
export const SessionsEnded = v.strictObject({ ended: Count });
export const SteppedUp = v.strictObject({ action: v.string(), expiresAt: Time });

export const Token = v.strictObject({
  id: v.string(),
  name: v.string(),
  keys: v.union([v.literal("all"), list(KeyId)]),
  actions: list(v.picklist(TOKEN_ACTIONS)),
  networks: v.pipe(v.nullable(list(v.string())), v.description("CIDR; null for any")),
  policy: v.pipe(v.nullable(Policy), v.description("What may be signed; null for anything")),
  policyWords: v.pipe(v.nullable(list(v.string())), v.description("The same in sentences, for people")),
  jkt: v.pipe(
    v.nullable(v.string()),
    v.description(
      "The thumbprint of the key that each request must prove (RFC 9449); null for a bearer token",
    ),
  ),
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: v.nullable(Time),
  lastUsedNetwork: v.nullable(v.string()),
});
export const TokenAnswer = v.strictObject({ token: Token });
export const TokenMade = v.strictObject({
  token: Token,
  text: v.pipe(v.string(), v.description("The token itself, this once")),
});
export const TokenList = v.strictObject({ tokens: list(Token) });

export const ProviderList = v.strictObject({
  providers: list(v.strictObject({ id: v.string(), name: v.string() })),
});

/** What an account is linked to. */
export const IdentityList = v.strictObject({
  identities: list(v.strictObject({
    id: v.string(),
    issuer: v.string(),
    provider: v.pipe(
      v.nullable(v.string()),
      v.description("What people call it; null where it is configured no more"),
    ),
    createdAt: Time,
  })),
});
export const LinkBegun = v.strictObject({
  location: v.pipe(v.string(), v.description("Where to send the browser")),
});
export const DeletionAsked = v.strictObject({ dueAt: Time });

/** What was recorded of an account. */
export const EventList = v.strictObject({
  events: list(v.strictObject({
    seq: Count,
    at: Time,
    event: v.string(),
    subject: v.nullable(v.string()),
    detail: v.record(v.string(), v.unknown()),
  })),
  unproven: v.pipe(
    v.number(),
    v.integer(),
    v.description("Entries left out, which the service did not write as they are"),
  ),
  head: v.pipe(
    v.nullable(v.strictObject({ seq: Count, hash: v.string() })),
    v.description("The end of the log, to keep elsewhere"),
  ),
  nextCursor: NextCursor,
});

export const GrantList = v.strictObject({
  grants: list(v.strictObject({
    clientId: v.string(),
    name: v.string(),
    uri: v.string(),
    scope: v.string(),
    consentedAt: Time,
    keyGrants: list(v.strictObject({
      scope: v.string(),
      keys: list(KeyId),
      policy: v.pipe(v.nullable(Policy), v.description("What it may sign; null for nothing")),
      policyWords: v.pipe(v.nullable(list(v.string())), v.description("The same in sentences, for people")),
      createdAt: Time,
      endsAt: Time,
    })),
  })),
});
