// Made by `npm run openapi` from the description of the service. Not to be edited by hand; as long as the service has
// routes and shapes.

export type Address = `0x${string}`;
export type Base64url = string;
export type Bytes32 = `0x${string}`;
export type Count = number;
export type Decimal = string;
export type Hex = `0x${string}`;
export type KeyId = string;
export type NextCursor = string | null;
export type Signature = `0x${string}`;
export type Time = string;
export type Code = "invalid_request" | "invalid_json" | "invalid_code" | "invalid_passkey_registration" | "identity_refused" | "invalid_transaction" | "invalid_typed_data" | "looks_like_transaction" | "invalid_passkey" | "authentication_required" | "blind_signing_denied" | "policy_denied" | "insufficient_scope" | "cross_site_request" | "release_refused" | "fresh_session_required" | "account_disabled" | "recently_recovered" | "recovery_refused" | "invitation_required" | "sign_up_closed" | "not_found" | "method_not_allowed" | "account_exists" | "key_archived" | "last_passkey" | "public_client" | "client_declared" | "policy_locked" | "recovery_waiting" | "recovery_in_browser" | "recovery_not_ready" | "signing_request_over" | "too_many_tokens" | "too_many_passkeys" | "body_too_large" | "unsupported_media_type" | "already_made" | "idempotency_mismatch" | "too_many_signing_requests" | "rate_limited" | "internal_error" | "identity_unavailable" | "unavailable" | "log_cut";
export type Fault = { /** A JSON pointer into the body (RFC 6901). */ readonly path: string; readonly message: string; } | { /** The name of a parameter of a query or a form. */ readonly parameter: string; readonly message: string; };
export type OAuthProblem = { readonly error: string; readonly error_description: string; };
export type Problem = { readonly type: "about:blank"; readonly title: string; readonly status: Count; /** For people. */ readonly detail: string; readonly code: Code; /** As in `X-Request-Id` and in the log. */ readonly requestId: string; /** Of `policy_denied`: whose policy, `key`, `token` or `application`. */ readonly policy?: string | null; /** A JSON pointer into the policy. */ readonly rule?: string | null; /** A JSON pointer to the value that broke the rule. */ readonly value?: string | null; /** For people. */ readonly reason?: string; /** What in the request is at fault. */ readonly errors?: readonly Fault[]; };
export type Policy = { readonly version: 1; readonly messages: { readonly signIn: readonly ({ readonly domains: readonly string[]; readonly chainIds?: readonly Decimal[]; readonly resources?: "any"; readonly outcome: "allow" | "ask"; })[]; readonly text: "allow" | "ask" | "deny"; readonly bytes: "allow" | "ask" | "deny"; }; readonly typedData: readonly ({ readonly chainId: Decimal | null; readonly verifyingContract: Address | null; readonly name?: string; readonly domainVersion?: string; readonly typeHash: Bytes32; readonly where: { readonly [name: string]: PolicyLimit }; readonly spends: readonly ({ readonly budget: string; /** A JSON pointer; `*` stands for every item of a list. */ readonly path: string; })[]; readonly outcome: "allow" | "ask"; })[]; readonly transactions: readonly ({ readonly chainId: Decimal; readonly to: "any" | "creation" | readonly Address[]; readonly valueAtMost: Decimal; readonly feeAtMost: Decimal; readonly selectors?: "any" | readonly Hex[]; readonly call?: { readonly function: string; readonly where: { readonly [name: string]: PolicyLimit }; }; readonly delegates?: "any" | readonly Address[]; readonly spends: readonly ({ readonly budget: string; /** A JSON pointer; `*` stands for every item of a list. */ readonly path: string; })[]; readonly outcome: "allow" | "ask"; })[]; readonly authorizations: readonly ({ readonly chainId: Decimal; readonly delegates: "any" | readonly Address[]; readonly outcome: "allow" | "ask"; })[]; readonly raw: "allow" | "ask" | "deny"; readonly digest: "allow" | "ask" | "deny"; readonly perMinute?: Count; readonly perDay?: Count; readonly budgets: { readonly [name: string]: { readonly perDay: Decimal; } }; };
export type PolicyDecision = { /** Whose policy decides; null where there is none. */ readonly policy: "key" | "token" | "application" | null; readonly outcome: "allow" | "ask" | "deny"; /** A JSON pointer into the policy. */ readonly rule: string | null; /** A JSON pointer to the value that broke the rule. */ readonly value: string | null; /** For people. */ readonly reason: string; };
export type PolicyLimit = { readonly atMost?: Decimal; readonly oneOf?: readonly (string | boolean)[]; /** Seconds from now at most. */ readonly within?: number; };
export type KeyPolicy = { readonly version: 1; readonly messages: { readonly signIn: readonly ({ readonly domains: readonly string[]; readonly chainIds?: readonly Decimal[]; readonly resources?: "any"; readonly outcome: "allow" | "ask"; })[]; readonly text: "allow" | "ask" | "deny"; readonly bytes: "allow" | "ask" | "deny"; }; readonly typedData: readonly ({ readonly chainId: Decimal | null; readonly verifyingContract: Address | null; readonly name?: string; readonly domainVersion?: string; readonly typeHash: Bytes32; readonly where: { readonly [name: string]: PolicyLimit }; readonly spends: readonly ({ readonly budget: string; /** A JSON pointer; `*` stands for every item of a list. */ readonly path: string; })[]; readonly outcome: "allow" | "ask"; })[]; readonly transactions: readonly ({ readonly chainId: Decimal; readonly to: "any" | "creation" | readonly Address[]; readonly valueAtMost: Decimal; readonly feeAtMost: Decimal; readonly selectors?: "any" | readonly Hex[]; readonly call?: { readonly function: string; readonly where: { readonly [name: string]: PolicyLimit }; }; readonly delegates?: "any" | readonly Address[]; readonly spends: readonly ({ readonly budget: string; /** A JSON pointer; `*` stands for every item of a list. */ readonly path: string; })[]; readonly outcome: "allow" | "ask"; })[]; readonly authorizations: readonly ({ readonly chainId: Decimal; readonly delegates: "any" | readonly Address[]; readonly outcome: "allow" | "ask"; })[]; readonly raw: "allow" | "ask" | "deny"; readonly digest: "allow" | "ask" | "deny"; readonly perMinute?: Count; readonly perDay?: Count; readonly budgets: { readonly [name: string]: { readonly perDay: Decimal; } }; /** How long a looser one waits: 0 to 168. */ readonly delayHours: number; /** Whether it can never become looser. */ readonly locked: boolean; };
export type KeyPolicyAnswer = { readonly policy: KeyPolicy | null; /** SHA-256 of its canonical JSON (RFC 8785). */ readonly hash: Bytes32 | null; /** Its rules in sentences. */ readonly words: readonly string[] | null; /** What takes its place, and when; null where nothing waits. */ readonly change: { readonly policy: KeyPolicy | null; /** SHA-256 of its canonical JSON (RFC 8785). */ readonly hash: Bytes32 | null; /** Its rules in sentences. */ readonly words: readonly string[] | null; readonly takesEffectAt: Time; } | null; };
export type PolicyChange = { readonly policy: KeyPolicy | null; readonly takesEffectAt: Time; };
export type Key = { readonly id: KeyId; readonly address: Address; /** Uncompressed, 65 bytes. */ readonly publicKey: `0x${string}`; /** Never given twice in an account. */ readonly keyIndex: number; readonly label: string; readonly createdAt: Time; readonly archived: boolean; readonly archivedAt: Time | null; readonly blindSigning: "allow" | "guard" | "deny"; };
export type KeyAnswer = { readonly key: Key; };
export type KeyList = { readonly keys: readonly Key[]; readonly nextCursor: NextCursor; };
export type KeyQuote = { /** The TEE's raw quote in base64. */ readonly quote: string; readonly address: Address; /** True only for real hardware. */ readonly inTee: boolean; readonly provider: string; /** The exact text that was hashed into the quote: hash it as it came, then parse it. */ readonly claims: string; /** The policy that the claims have the hash of. */ readonly policy: KeyPolicy | null; /** What takes its place, and when. */ readonly policyChange: PolicyChange | null; /** dstack's, as text. */ readonly eventLog?: string; };
export type SignedAuthorization = { readonly chainId: Count | string; readonly address: Address; readonly nonce: Count | string; readonly r: Bytes32; readonly s: Bytes32; readonly yParity: 0 | 1; };
export type SignedMessage = { readonly signature: Signature; readonly address: Address; readonly digest: Bytes32; readonly format: "personal_sign" | "raw" | "digest"; };
export type SignedTransaction = { /** What a node takes. */ readonly serializedTransaction: `0x${string}`; /** The transaction's hash. */ readonly hash: `0x${string}`; readonly r: Bytes32; readonly s: Bytes32; readonly yParity: 0 | 1; readonly from: Address; };
export type SignedTypedData = { readonly signature: Signature; readonly address: Address; readonly digest: Bytes32; };
export type Account = { readonly id: string; readonly email: string | null; readonly name: string | null; readonly createdAt: Time; };
export type AccountAnswer = { readonly account: Account; };
export type AddressProven = { readonly next: "register_passkey" | "sign_in"; };
export type CodeSent = { /** Seconds. */ readonly expiresIn: number; };
export type DeletionAsked = { readonly dueAt: Time; };
export type EventList = { readonly events: readonly ({ readonly seq: Count; readonly at: Time; readonly event: string; readonly subject: string | null; readonly detail: { readonly [name: string]: unknown }; })[]; /** Entries left out, which the service did not write as they are. */ readonly unproven: number; /** The end of the log, to keep elsewhere. */ readonly head: { readonly seq: Count; readonly hash: string; } | null; readonly nextCursor: NextCursor; };
export type GrantList = { readonly grants: readonly ({ readonly clientId: string; readonly name: string; readonly uri: string; readonly scope: string; readonly consentedAt: Time; readonly keyGrants: readonly ({ readonly scope: string; readonly keys: readonly KeyId[]; /** What it may sign; null for nothing. */ readonly policy: Policy | null; /** The same in sentences, for people. */ readonly policyWords: readonly string[] | null; readonly createdAt: Time; readonly endsAt: Time; })[]; })[]; };
export type IdentityList = { readonly identities: readonly ({ readonly id: string; readonly issuer: string; /** What people call it; null where it is configured no more. */ readonly provider: string | null; readonly createdAt: Time; })[]; };
export type LinkBegun = { /** Where to send the browser. */ readonly location: string; };
export type Passkey = { readonly id: string; readonly credentialId: Base64url; readonly name: string; /** What its authenticator calls itself: nobody vouches for it. */ readonly provider: string | null; readonly transports: readonly string[]; readonly backupEligible: boolean; readonly backedUp: boolean; readonly createdAt: Time; readonly lastUsedAt: Time | null; /** Whether this session was opened with it. */ readonly current: boolean; };
export type PasskeyAnswer = { readonly passkey: Passkey; };
export type PasskeyList = { readonly passkeys: readonly Passkey[]; /** What the WebAuthn Signal API takes. */ readonly signal: { readonly rpId: string; readonly userId: Base64url; readonly name: string; readonly displayName: string; readonly allAcceptedCredentialIds: readonly Base64url[]; }; };
export type PasskeyPages = { readonly enroll: string; readonly manage: string; };
export type PresentSession = { readonly session: { readonly id: string; readonly createdAt: Time; readonly expiresAt: Time; /** When the person signed in. */ readonly authenticatedAt: string; } | null; readonly account: Account | null; };
export type ProviderList = { readonly providers: readonly ({ readonly id: string; readonly name: string; })[]; };
export type Registered = SignedUp | PasskeyAnswer;
export type RelatedOrigins = { readonly origins: readonly string[]; };
export type Session = { readonly id: string; /** As the browser claimed at sign-in. */ readonly device: string; readonly network: string; readonly passkeyId: string; readonly createdAt: Time; readonly lastSeenAt: Time; readonly expiresAt: Time; readonly current: boolean; };
export type SessionList = { readonly sessions: readonly Session[]; };
export type SessionsEnded = { readonly ended: Count; };
export type SignedUp = { readonly account: Account; readonly key: Key; };
export type SteppedUp = { readonly action: string; readonly expiresAt: Time; };
export type Token = { readonly id: string; readonly name: string; readonly keys: "all" | readonly KeyId[]; readonly actions: readonly ("read" | "sign" | "create")[]; /** CIDR; null for any. */ readonly networks: readonly string[] | null; /** What may be signed; null for anything. */ readonly policy: Policy | null; /** The same in sentences, for people. */ readonly policyWords: readonly string[] | null; /** The thumbprint of the key that each request must prove (RFC 9449); null for a bearer token. */ readonly jkt: string | null; readonly createdAt: Time; readonly expiresAt: Time; readonly lastUsedAt: Time | null; readonly lastUsedNetwork: string | null; };
export type TokenAnswer = { readonly token: Token; };
export type TokenList = { readonly tokens: readonly Token[]; };
export type TokenMade = { readonly token: Token; /** The token itself, this once. */ readonly text: string; };
export type RecoveryAnswer = { readonly recovery: { readonly begunAt: Time; /** From when a new passkey can be made. */ readonly readyAt: string; /** Until when one can be made. */ readonly endsAt: string; readonly ready: boolean; }; };
export type RecoveryCodesMade = { /** The codes themselves, this once. */ readonly codes: readonly string[]; readonly wayBack: { /** How long a recovery waits that is begun from now on. */ readonly delayHours: number; /** Whether an e-mail code begins a recovery without a recovery code. */ readonly emailAlone: boolean; /** Recovery codes that were not used. */ readonly codesLeft: number; readonly codesMadeAt: Time | null; /** The one that waits. */ readonly recovery: { readonly begunAt: Time; readonly readyAt: Time; readonly endsAt: Time; /** As the browser claimed that began it. */ readonly device: string; readonly network: string; } | null; /** Until when at least nothing is loosened, after a recovery. */ readonly settlingUntil: Time | null; }; };
export type WayBackAnswer = { readonly wayBack: { /** How long a recovery waits that is begun from now on. */ readonly delayHours: number; /** Whether an e-mail code begins a recovery without a recovery code. */ readonly emailAlone: boolean; /** Recovery codes that were not used. */ readonly codesLeft: number; readonly codesMadeAt: Time | null; /** The one that waits. */ readonly recovery: { readonly begunAt: Time; readonly readyAt: Time; readonly endsAt: Time; /** As the browser claimed that began it. */ readonly device: string; readonly network: string; } | null; /** Until when at least nothing is loosened, after a recovery. */ readonly settlingUntil: Time | null; }; };
export type Asset = { readonly standard: "native" | "erc20" | "erc721" | "erc1155" | "token"; readonly address: Address | null; /** Null for everything in a collection, and where there are no items. */ readonly id: Decimal | null; };
export type AssetAmount = { readonly standard: "native" | "erc20" | "erc721" | "erc1155" | "token"; readonly address: Address | null; /** Null for everything in a collection, and where there are no items. */ readonly id: Decimal | null; readonly amount: Decimal; };
export type Effect = { readonly effect: "allowance"; readonly owner: string; readonly spender: string; readonly asset: Asset; /** Null without limit. */ readonly amount: Decimal | null; /** Seconds since 1970; null where nothing ends it. */ readonly until: Decimal | null; } | { readonly effect: "transfer"; readonly from: string; readonly to: string; readonly asset: AssetAmount; /** Seconds since 1970; null where nothing ends it. */ readonly until: Decimal | null; } | { readonly effect: "exchange"; readonly owner: string; readonly gives: readonly AssetAmount[]; readonly receives: readonly AssetAmount[]; /** Seconds since 1970; null where nothing ends it. */ readonly until: Decimal | null; } | { readonly effect: "call"; readonly caller: string; readonly to: string; readonly operation: "call" | "delegate_call"; readonly value: Decimal; readonly selector: Hex | null; } | { readonly effect: "create"; readonly value: Decimal; } | { readonly effect: "delegation"; readonly delegate: string; } | { readonly effect: "sign_in"; readonly domain: string; readonly uri: string; };
export type ExplainedTypedValue = { readonly name: string; readonly type: string; readonly value: string | boolean | null; } | { readonly name: string; readonly type: string; readonly members: readonly ExplainedTypedValue[]; } | { readonly name: string; readonly type: string; readonly items: readonly ExplainedTypedValue[]; };
export type Explanation = { readonly kind: "message"; readonly address: Address; readonly digest: Bytes32; /** Null, or why this key would not sign it now. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; readonly decision: PolicyDecision; readonly intent: Intent; readonly format: "personal_sign"; readonly encoding: "utf8" | "hex"; } | { readonly kind: "message"; readonly address: Address; readonly digest: Bytes32; /** Null, or why this key would not sign it now. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; readonly decision: PolicyDecision; readonly intent: Intent; readonly format: "raw" | "digest"; } | { readonly kind: "typed_data"; readonly address: Address; readonly digest: Bytes32; /** Null, or why this key would not sign it now. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; readonly decision: PolicyDecision; readonly intent: Intent; readonly primaryType: string; /** The canonical text of the primary type (EIP-712). */ readonly encodeType: string; readonly domainSeparator: Bytes32; readonly structHash: Bytes32 | null; readonly domain: ExplainedTypedValue; readonly message: ExplainedTypedValue | null; } | { readonly kind: "transaction"; readonly address: Address; readonly digest: Bytes32; /** Null, or why this key would not sign it now. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; readonly decision: PolicyDecision; readonly intent: Intent; /** Its members, integers in decimal digits: what is shown can be sent. */ readonly transaction: { readonly [name: string]: unknown }; readonly unsigned: Hex; /** The most that its gas can cost, in wei. */ readonly maximumFee: string; } | { readonly kind: "authorization"; readonly address: Address; readonly digest: Bytes32; /** Null, or why this key would not sign it now. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; readonly decision: PolicyDecision; readonly intent: Intent; /** Its members, integers in decimal digits: what is shown can be sent. */ readonly authorization: { readonly [name: string]: unknown }; };
export type Intent = { readonly kind: "erc20_permit" | "dai_permit" | "permit2_allowance" | "permit2_transfer" | "transfer_authorization" | "authorization_cancellation" | "seaport_order" | "safe_transaction" | "user_operation" | "sign_in" | "delegation" | "native_transfer" | "token_call" | "described" | "contract_call" | "contract_creation" | "typed_data" | "text" | "bytes" | "digest"; readonly recognisedBy: string; readonly sentence: string; readonly chainId: Decimal | null; readonly contract: Address | null; readonly fields: readonly ({ readonly label: string; readonly format: "address" | "amount" | "date" | "number" | "bytes" | "text" | "chain"; /** For people. */ readonly value: string; /** As it is signed. */ readonly raw: string; })[]; readonly effects: readonly Effect[]; readonly warnings: readonly ({ readonly level: "red" | "amber"; readonly code: "unlimited_allowance" | "not_this_key" | "delegate_call" | "gas_refund" | "unknown_module" | "unread_arguments" | "next_to_nothing" | "sign_in_host" | "sign_in_site" | "capabilities" | "unknown_delegate" | "all_chains" | "looks_like_transaction" | "expired" | "far_future" | "no_contract" | "long_deadline" | "unknown_contract" | "unknown_chain" | "high_fee"; readonly text: string; })[]; };
export type ClientAnswer = { readonly client: OAuthClient; };
export type ClientDone = { readonly success: true; readonly client: OAuthClient; };
export type ClientList = { readonly clients: readonly OAuthClient[]; readonly nextCursor: NextCursor; };
export type Done = { readonly success: true; };
export type Introspection = { readonly active: false; } | { readonly active: true; readonly scope: string; readonly client_id: string; readonly sub: string; readonly iss: string; readonly iat: Count; readonly exp: Count; readonly token_type?: "Bearer" | "DPoP"; readonly aud?: string; readonly jti?: string; readonly cnf?: { readonly jkt: string; }; readonly authorization_details?: readonly ({ readonly type: "ethereum_sign"; readonly policy: Policy; readonly keys: readonly string[]; })[]; };
export type KeySet = { /** With `kty`, `kid`, `alg` and `use`. */ readonly keys: readonly ({ readonly [name: string]: string })[]; };
export type OAuthClient = { readonly id: string; readonly clientId: string; /** Only when it is made, and only for `web`. */ readonly clientSecret?: string; readonly name: string; readonly redirectUris: readonly string[]; readonly postLogoutRedirectUris: readonly string[]; /** Where it hears that a session is over (OpenID Connect Back-Channel Logout). */ readonly backchannelLogoutUri: string | null; /** Whether it must be told which session, each time. */ readonly backchannelLogoutSessionRequired: boolean; readonly uri: string; readonly type: "spa" | "native" | "web"; readonly public: boolean; readonly tokenEndpointAuthMethod: "client_secret_basic" | "none"; readonly idTokenSignedResponseAlg: "ES256" | "RS256" | "EdDSA"; /** What it may ask people for. */ readonly scopes: readonly ("openid" | "keys:read" | "keys:sign")[]; /** Whether its tokens for keys are bound to a key of its own (RFC 9449). */ readonly dpopBoundAccessTokens: boolean; readonly disabled: boolean; /** Whether a file of the operator's declares it, which alone changes it then. */ readonly declared: boolean; /** Until when the secret before the present one counts as well; null where none does. */ readonly previousSecretExpiresAt: Time | null; readonly createdAt: Time; readonly updatedAt: Time; };
export type ProviderMetadata = { readonly [name: string]: string | boolean | readonly string[] };
export type TokenResponse = { readonly access_token: string; /** DPoP: bound to a key (RFC 9449). */ readonly token_type: "Bearer" | "DPoP"; /** Seconds. */ readonly expires_in: number; readonly refresh_token?: string; readonly scope: string; readonly id_token?: string; readonly authorization_details?: readonly ({ readonly type: "ethereum_sign"; readonly policy: Policy; readonly keys: readonly string[]; })[]; };
export type UserInfo = { readonly sub: string; readonly email?: string; readonly email_verified?: true; readonly name?: string; };
export type CreationOptions = { readonly rp: { readonly id: string; readonly name: string; }; readonly user: { readonly id: Base64url; readonly name: string; readonly displayName: string; }; readonly challenge: Base64url; readonly pubKeyCredParams: readonly ({ readonly type: "public-key"; readonly alg: number; })[]; /** Milliseconds. */ readonly timeout: number; readonly excludeCredentials: readonly ({ readonly type: "public-key"; readonly id: Base64url; readonly transports: readonly string[]; })[]; readonly authenticatorSelection: { readonly residentKey: "required"; readonly requireResidentKey: true; readonly userVerification: "required"; }; readonly attestation: "none"; };
export type RequestOptions = { readonly challenge: Base64url; /** Milliseconds. */ readonly timeout: number; readonly rpId: string; readonly allowCredentials: readonly ({ readonly type: "public-key"; readonly id: Base64url; readonly transports: readonly string[]; })[]; readonly userVerification: "required"; };
export type Live = { readonly status: "live"; };
export type NotReady = { readonly status: "not ready"; readonly reasons: readonly string[]; };
export type Outbox = { readonly messages: readonly ({ readonly to: string; readonly subject: string; readonly text: string; readonly createdAt: Time; })[]; };
export type Ready = { readonly status: "ready"; };
export type RpcAnswer = { readonly jsonrpc: "2.0"; readonly id: string | number | null; readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code: Code; /** As in `X-Request-Id` and in the log. */ readonly requestId: string; /** Of `policy_denied`: whose policy, `key`, `token` or `application`. */ readonly policy?: string | null; /** A JSON pointer into the policy. */ readonly rule?: string | null; /** A JSON pointer to the value that broke the rule. */ readonly value?: string | null; /** For people. */ readonly reason?: string; /** What in the request is at fault. */ readonly errors?: readonly Fault[]; }; }; };
export type RpcAnswers = RpcAnswer | readonly RpcAnswer[];
export type AccessList = readonly ({ readonly address: `0x${string}`; readonly storageKeys: readonly `0x${string}`[]; })[];
export type Authorization = { readonly chainId: Integer; readonly address: `0x${string}`; readonly nonce: Integer; };
export type Integer = number | string;
export type Message = { /** A text, or 0x-hex where format or encoding say so. */ readonly message: string; readonly format?: "personal_sign" | "raw" | "digest"; /** Of `personal_sign`: text unless it says `hex`. */ readonly encoding?: "utf8" | "hex"; };
export type RpcCall = { readonly jsonrpc: "2.0"; readonly id?: string | number | null; readonly method: string; readonly params?: readonly unknown[]; };
export type Transaction = { /** The bytes that are hashed: canonical, of any type below. */ readonly unsigned: `0x${string}`; } | { readonly type: "legacy"; readonly chainId: Integer; readonly nonce: Integer; /** Required; `gasLimit` is another name for it. */ readonly gas?: number | string; readonly gasLimit?: Integer; readonly value?: Integer; /** `input` is another name for it. */ readonly data?: `0x${string}`; readonly input?: `0x${string}`; /** Null makes a contract. */ readonly to: `0x${string}` | null; readonly gasPrice: Integer; } | { readonly type: "eip2930"; readonly chainId: Integer; readonly nonce: Integer; /** Required; `gasLimit` is another name for it. */ readonly gas?: number | string; readonly gasLimit?: Integer; readonly value?: Integer; /** `input` is another name for it. */ readonly data?: `0x${string}`; readonly input?: `0x${string}`; /** Null makes a contract. */ readonly to: `0x${string}` | null; readonly gasPrice: Integer; readonly accessList?: AccessList; } | { readonly type: "eip1559"; readonly chainId: Integer; readonly nonce: Integer; /** Required; `gasLimit` is another name for it. */ readonly gas?: number | string; readonly gasLimit?: Integer; readonly value?: Integer; /** `input` is another name for it. */ readonly data?: `0x${string}`; readonly input?: `0x${string}`; /** Null makes a contract. */ readonly to: `0x${string}` | null; readonly maxFeePerGas: Integer; readonly maxPriorityFeePerGas: Integer; readonly accessList?: AccessList; } | { readonly type: "eip4844"; readonly chainId: Integer; readonly nonce: Integer; /** Required; `gasLimit` is another name for it. */ readonly gas?: number | string; readonly gasLimit?: Integer; readonly value?: Integer; /** `input` is another name for it. */ readonly data?: `0x${string}`; readonly input?: `0x${string}`; readonly to: `0x${string}`; readonly maxFeePerGas: Integer; readonly maxPriorityFeePerGas: Integer; readonly accessList?: AccessList; readonly maxFeePerBlobGas: Integer; readonly blobVersionedHashes: readonly `0x${string}`[]; } | { readonly type: "eip7702"; readonly chainId: Integer; readonly nonce: Integer; /** Required; `gasLimit` is another name for it. */ readonly gas?: number | string; readonly gasLimit?: Integer; readonly value?: Integer; /** `input` is another name for it. */ readonly data?: `0x${string}`; readonly input?: `0x${string}`; readonly to: `0x${string}`; readonly maxFeePerGas: Integer; readonly maxPriorityFeePerGas: Integer; readonly accessList?: AccessList; readonly authorizationList: readonly ({ readonly chainId: Integer; readonly address: `0x${string}`; readonly nonce: Integer; readonly yParity: Integer; readonly r: `0x${string}`; readonly s: `0x${string}`; })[]; };
export type TypedData = { /** With the members that its type names; at least one. */ readonly domain: { readonly name?: string; readonly version?: string; readonly chainId?: Integer; readonly verifyingContract?: `0x${string}`; readonly salt?: `0x${string}`; }; /** `EIP712Domain` may be left out. */ readonly types: { readonly [name: string]: readonly ({ readonly name: string; readonly type: string; })[] }; readonly primaryType: string; readonly message: { readonly [name: string]: unknown }; };

/** What each operation takes and answers. */
export interface Operations {
  /** Ask for an e-mail code. */
  readonly sendCode: {
  readonly arguments: {
    readonly body: { readonly email: string; };
  };
  readonly answer: CodeSent;
  };
  /** Redeem an e-mail code. */
  readonly verifyCode: {
  readonly arguments: {
    readonly body: { readonly email: string; readonly code: string; };
  };
  readonly answer: AddressProven;
  };
  /** List the other providers to sign in with. */
  readonly listProviders: {
  readonly arguments: {
  };
  readonly answer: ProviderList;
  };
  /** Begin to register a passkey. */
  readonly passkeyRegistrationOptions: {
  readonly arguments: {
    readonly body?: { readonly account?: "new" | "present"; };
  };
  readonly answer: CreationOptions;
  };
  /** Register a passkey, and with the first one make the account. */
  readonly registerPasskey: {
  readonly arguments: {
    readonly body: { readonly response: unknown; readonly name?: string; readonly account?: "new" | "present"; };
  };
  readonly answer: Registered;
  };
  /** Begin to sign in. */
  readonly passkeyAuthenticationOptions: {
  readonly arguments: {
  };
  readonly answer: RequestOptions;
  };
  /** Sign in with a passkey. */
  readonly signIn: {
  readonly arguments: {
    readonly body: { readonly response: unknown; };
  };
  readonly answer: AccountAnswer;
  };
  /** Ask who is signed in. */
  readonly getSession: {
  readonly arguments: {
  };
  readonly answer: PresentSession;
  };
  /** Sign out. */
  readonly signOut: {
  readonly arguments: {
  };
  readonly answer: undefined;
  };
  /** Begin to confirm one thing with a passkey. */
  readonly stepUpOptions: {
  readonly arguments: {
    readonly body: { readonly action: string; };
  };
  readonly answer: RequestOptions;
  };
  /** Confirm one thing with a passkey. */
  readonly stepUp: {
  readonly arguments: {
    readonly body: { readonly action: string; readonly response: unknown; };
  };
  readonly answer: SteppedUp;
  };
  /** List one's passkeys. */
  readonly listPasskeys: {
  readonly arguments: {
  };
  readonly answer: PasskeyList;
  };
  /** Rename a passkey. */
  readonly renamePasskey: {
  readonly arguments: {
    readonly passkeyId: string;
    readonly body: { readonly name: string; };
  };
  readonly answer: PasskeyAnswer;
  };
  /** Delete a passkey, and end the sessions that it opened. */
  readonly deletePasskey: {
  readonly arguments: {
    readonly passkeyId: string;
  };
  readonly answer: undefined;
  };
  /** Say which other origins may use the passkeys. */
  readonly getRelatedOrigins: {
  readonly arguments: {
  };
  readonly answer: RelatedOrigins;
  };
  /** Say where passkeys are made and kept. */
  readonly getPasskeyEndpoints: {
  readonly arguments: {
  };
  readonly answer: PasskeyPages;
  };
  /** List one's sessions. */
  readonly listSessions: {
  readonly arguments: {
  };
  readonly answer: SessionList;
  };
  /** End a session. */
  readonly endSession: {
  readonly arguments: {
    readonly sessionId: string;
  };
  readonly answer: undefined;
  };
  /** End all sessions but this one. */
  readonly endOtherSessions: {
  readonly arguments: {
  };
  readonly answer: SessionsEnded;
  };
  /** End all sessions. */
  readonly endAllSessions: {
  readonly arguments: {
  };
  readonly answer: SessionsEnded;
  };
  /** Ask for an e-mail code for a recovery. */
  readonly sendRecoveryCode: {
  readonly arguments: {
    readonly body: { readonly email: string; };
  };
  readonly answer: CodeSent;
  };
  /** Begin a recovery. */
  readonly beginRecovery: {
  readonly arguments: {
    readonly body: { readonly email?: string; readonly code?: string; readonly recoveryCode?: string; };
  };
  readonly answer: RecoveryAnswer;
  };
  /** Look at the recovery that this browser began. */
  readonly getRecovery: {
  readonly arguments: {
  };
  readonly answer: RecoveryAnswer;
  };
  /** Begin to make the new passkey of a recovery that has waited. */
  readonly recoveryPasskeyOptions: {
  readonly arguments: {
    readonly body: { readonly email?: string; readonly code?: string; readonly recoveryCode?: string; };
  };
  readonly answer: CreationOptions;
  };
  /** Register that passkey: every other access to the account ends. */
  readonly finishRecovery: {
  readonly arguments: {
    readonly body: { readonly response: unknown; };
  };
  readonly answer: AccountAnswer;
  };
  /** Look at what a recovery of one's account takes. */
  readonly getWayBack: {
  readonly arguments: {
  };
  readonly answer: WayBackAnswer;
  };
  /** Change that, for recoveries that are begun from now on. */
  readonly changeWayBack: {
  readonly arguments: {
    readonly body: { readonly delayHours?: number; readonly emailAlone?: boolean; };
  };
  readonly answer: WayBackAnswer;
  };
  /** Make eight recovery codes; those of before no longer work. */
  readonly makeRecoveryCodes: {
  readonly arguments: {
    readonly idempotencyKey?: string;
  };
  readonly answer: RecoveryCodesMade;
  };
  /** Cancel the recovery that waits. */
  readonly cancelRecovery: {
  readonly arguments: {
  };
  readonly answer: undefined;
  };
  /** Give one's account another name, or none. */
  readonly renameAccount: {
  readonly arguments: {
    readonly body: { readonly name: string | null; };
  };
  readonly answer: AccountAnswer;
  };
  /** Have a code sent to the address that one's account is to have. */
  readonly sendAddressCode: {
  readonly arguments: {
    readonly body: { readonly email: string; };
  };
  readonly answer: CodeSent;
  };
  /** Give one's account the address that the code proves. */
  readonly changeEmail: {
  readonly arguments: {
    readonly body: { readonly email: string; readonly code: string; };
  };
  readonly answer: AccountAnswer;
  };
  /** List who one is at other providers. */
  readonly listIdentities: {
  readonly arguments: {
  };
  readonly answer: IdentityList;
  };
  /** Begin to link another provider. */
  readonly linkIdentity: {
  readonly arguments: {
    readonly body: { readonly provider: string; };
  };
  readonly answer: LinkBegun;
  };
  /** Unlink another provider. */
  readonly unlinkIdentity: {
  readonly arguments: {
    readonly identityId: string;
  };
  readonly answer: undefined;
  };
  /** Have one's account deleted in 7 days, and sign out everywhere. */
  readonly deleteAccount: {
  readonly arguments: {
    readonly body: { readonly confirm: string; };
  };
  readonly answer: DeletionAsked;
  };
  /** Make a token for a program. */
  readonly createToken: {
  readonly arguments: {
    readonly body: { readonly name: string; readonly keys: "all" | readonly string[]; readonly actions: readonly ("read" | "sign" | "create")[]; readonly networks?: readonly string[]; readonly jwk?: { readonly kty: "EC" | "OKP"; readonly crv: "P-256" | "Ed25519"; readonly x: string; readonly y?: string; }; readonly expiresAt?: string; /** What may be signed; see the schema `Policy`. */ readonly policy?: unknown; };
    readonly idempotencyKey?: string;
  };
  readonly answer: TokenMade;
  };
  /** List one's tokens. */
  readonly listTokens: {
  readonly arguments: {
  };
  readonly answer: TokenList;
  };
  /** Rename a token, or let it do less. */
  readonly changeToken: {
  readonly arguments: {
    readonly tokenId: string;
    readonly body: { readonly name?: string; readonly keys?: "all" | readonly string[]; readonly actions?: readonly ("read" | "sign" | "create")[]; readonly networks?: readonly string[]; readonly expiresAt?: string; /** What may be signed; see the schema `Policy`. */ readonly policy?: unknown; };
  };
  readonly answer: TokenAnswer;
  };
  /** Revoke a token. */
  readonly revokeToken: {
  readonly arguments: {
    readonly tokenId: string;
  };
  readonly answer: undefined;
  };
  /** List keys. */
  readonly listKeys: {
  readonly arguments: {
    readonly query?: { readonly archived?: "true" | "false"; readonly limit?: string | number; readonly cursor?: string | number; readonly address?: string | number; };
  };
  readonly answer: KeyList;
  readonly item: KeyList["keys"][number];
  };
  /** Make a key. */
  readonly generateKey: {
  readonly arguments: {
    readonly body?: { readonly label?: string; };
    readonly idempotencyKey?: string;
  };
  readonly answer: KeyAnswer;
  };
  /** Look at a key. */
  readonly getKey: {
  readonly arguments: {
    readonly keyId: string;
  };
  readonly answer: KeyAnswer;
  };
  /** Rename a key, or change what it signs blindly. */
  readonly changeKey: {
  readonly arguments: {
    readonly keyId: string;
    readonly body: { readonly label?: string; readonly blindSigning?: "allow" | "guard" | "deny"; };
  };
  readonly answer: KeyAnswer;
  };
  /** Archive a key: it signs nothing until it is unarchived. */
  readonly archiveKey: {
  readonly arguments: {
    readonly keyId: string;
  };
  readonly answer: KeyAnswer;
  };
  /** Unarchive a key. */
  readonly unarchiveKey: {
  readonly arguments: {
    readonly keyId: string;
  };
  readonly answer: KeyAnswer;
  };
  /** Sign a message (EIP-191), or bytes. */
  readonly signMessage: {
  readonly arguments: {
    readonly keyId: string;
    readonly body: Message;
  };
  readonly answer: SignedMessage | { readonly request: { readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; }; };
  };
  /** Sign typed data (EIP-712). */
  readonly signTypedData: {
  readonly arguments: {
    readonly keyId: string;
    readonly body: TypedData;
  };
  readonly answer: SignedTypedData | { readonly request: { readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; }; };
  };
  /** Sign a transaction. */
  readonly signTransaction: {
  readonly arguments: {
    readonly keyId: string;
    readonly body: Transaction;
  };
  readonly answer: SignedTransaction | { readonly request: { readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; }; };
  };
  /** Sign an authorization (EIP-7702). */
  readonly signAuthorization: {
  readonly arguments: {
    readonly keyId: string;
    readonly body: Authorization;
  };
  readonly answer: SignedAuthorization | { readonly request: { readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; }; };
  };
  /** Say what a signature would do, and sign nothing. */
  readonly explain: {
  readonly arguments: {
    readonly keyId: string;
    readonly query?: { readonly language?: "en" | "de"; };
    readonly body: Message | TypedData | Transaction | Authorization;
  };
  readonly answer: Explanation;
  };
  /** Look at what a key may sign. */
  readonly getKeyPolicy: {
  readonly arguments: {
    readonly keyId: string;
  };
  readonly answer: KeyPolicyAnswer;
  };
  /** Say what a key may sign, whoever asks. */
  readonly setKeyPolicy: {
  readonly arguments: {
    readonly keyId: string;
    readonly body: { /** What the key may sign: docs/policies.md has the vocabulary. */ readonly policy: unknown; };
  };
  readonly answer: KeyPolicyAnswer;
  };
  /** Have a key sign anything again, after its policy's delay. */
  readonly removeKeyPolicy: {
  readonly arguments: {
    readonly keyId: string;
  };
  readonly answer: KeyPolicyAnswer;
  };
  /** Cancel what waits to become of a key's policy. */
  readonly cancelKeyPolicyChange: {
  readonly arguments: {
    readonly keyId: string;
  };
  readonly answer: KeyPolicyAnswer;
  };
  /** Fetch a quote of the TEE over a key. */
  readonly getQuote: {
  readonly arguments: {
    readonly keyId: string;
    readonly query?: { readonly nonce?: string | number; };
  };
  readonly answer: KeyQuote;
  };
  /** Call by JSON-RPC 2.0, one by one or up to 50 at once. */
  readonly rpc: {
  readonly arguments: {
    readonly query?: { readonly chainId?: string | number; };
    readonly body: RpcCall | readonly RpcCall[];
  };
  readonly answer: RpcAnswers | undefined;
  };
  /** List what waits: of a program what it asked, for the owner everything. */
  readonly listSigningRequests: {
  readonly arguments: {
  };
  readonly answer: { readonly requests: readonly ({ readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; })[]; };
  };
  /** See what became of a request, and fetch its signature. */
  readonly getSigningRequest: {
  readonly arguments: {
    readonly requestId: string;
  };
  readonly answer: { readonly request: { readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; /** Of what was approved: what signing at once answers. */ readonly signed?: SignedMessage | SignedTypedData | SignedTransaction | SignedAuthorization; }; };
  };
  /** Take a request back. */
  readonly withdrawSigningRequest: {
  readonly arguments: {
    readonly requestId: string;
  };
  readonly answer: undefined;
  };
  /** Begin to approve a request: options for a passkey, for this one alone. */
  readonly getApprovalOptions: {
  readonly arguments: {
    readonly requestId: string;
  };
  readonly answer: RequestOptions;
  };
  /** Approve a request with a passkey. */
  readonly approveSigningRequest: {
  readonly arguments: {
    readonly requestId: string;
    readonly body: { readonly response: unknown; };
  };
  readonly answer: { readonly request: { readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; /** Of what was approved: what signing at once answers. */ readonly signed?: SignedMessage | SignedTypedData | SignedTransaction | SignedAuthorization; }; };
  };
  /** Decline a request, with a word if you like. */
  readonly declineSigningRequest: {
  readonly arguments: {
    readonly requestId: string;
    readonly body?: { readonly word?: string; };
  };
  readonly answer: { readonly request: { readonly id: string; readonly status: "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired"; readonly keyId: KeyId; readonly kind: "personal_sign" | "raw" | "digest" | "typed_data" | "transaction" | "authorization"; readonly digest: Bytes32; /** Why the owner is asked. */ readonly reason: string; readonly asker: { readonly kind: "owner" | "token" | "application"; /** Null where the owner asks. */ readonly name: string | null; }; /** Where it was asked from. */ readonly network: string; readonly createdAt: Time; /** Until when it can be approved. */ readonly expiresAt: string; readonly endedAt: Time | null; /** Why it was not signed although it was approved. */ readonly refusal: { readonly code: Code; readonly detail: string; } | null; /** What the owner said who declined it. */ readonly word: string | null; }; };
  };
  /** List what was recorded of one's account. */
  readonly listEvents: {
  readonly arguments: {
    readonly query?: { readonly limit?: string | number; readonly cursor?: string | number; };
  };
  readonly answer: EventList;
  readonly item: EventList["events"][number];
  };
  /** Register an application. */
  readonly registerClient: {
  readonly arguments: {
    readonly body: { readonly name: string; readonly redirectUris: readonly string[]; readonly uri: string; readonly type: "spa" | "native" | "web"; readonly backchannelLogoutUri?: string | null; readonly backchannelLogoutSessionRequired?: boolean; readonly postLogoutRedirectUris?: readonly string[]; readonly idTokenSignedResponseAlg?: "ES256" | "RS256" | "EdDSA"; readonly scopes?: readonly ("openid" | "keys:read" | "keys:sign")[]; readonly dpopBoundAccessTokens?: boolean; };
    readonly idempotencyKey?: string;
  };
  readonly answer: ClientDone;
  };
  /** List applications, oldest first. */
  readonly listClients: {
  readonly arguments: {
    readonly query?: { readonly limit?: string | number; readonly cursor?: string | number; };
  };
  readonly answer: ClientList;
  readonly item: ClientList["clients"][number];
  };
  /** Look at an application. */
  readonly getClient: {
  readonly arguments: {
    readonly clientId: string;
  };
  readonly answer: ClientAnswer;
  };
  /** Change an application. */
  readonly changeClient: {
  readonly arguments: {
    readonly clientId: string;
    readonly body: { readonly name?: string; readonly redirectUris?: readonly string[]; readonly uri?: string; readonly disabled?: boolean; readonly backchannelLogoutUri?: string | null; readonly backchannelLogoutSessionRequired?: boolean; readonly postLogoutRedirectUris?: readonly string[]; readonly idTokenSignedResponseAlg?: "ES256" | "RS256" | "EdDSA"; readonly scopes?: readonly ("openid" | "keys:read" | "keys:sign")[]; readonly dpopBoundAccessTokens?: boolean; };
  };
  readonly answer: ClientDone;
  };
  /** Delete an application: its grants, codes and tokens end. */
  readonly deleteClient: {
  readonly arguments: {
    readonly clientId: string;
  };
  readonly answer: Done;
  };
  /** Make a new secret. */
  readonly rotateClientSecret: {
  readonly arguments: {
    readonly clientId: string;
    readonly body?: { readonly previousExpiresIn?: number; };
    readonly idempotencyKey?: string;
  };
  readonly answer: ClientDone;
  };
  /** End the secret before the present one. */
  readonly endPreviousClientSecret: {
  readonly arguments: {
    readonly clientId: string;
  };
  readonly answer: ClientDone;
  };
  /** Make an invitation. */
  readonly makeInvitation: {
  readonly arguments: {
    readonly body?: { readonly email?: string; readonly uses?: number; readonly expiresAt?: string; };
    readonly idempotencyKey?: string;
  };
  readonly answer: { readonly invitation: { readonly id: string; /** Whom it is for; null for anybody with the link. */ readonly email: string | null; readonly uses: Count; readonly used: Count; readonly createdAt: Time; readonly expiresAt: Time; }; /** To be opened in a browser; this once. */ readonly link: string; };
  };
  /** List invitations, oldest first. */
  readonly listInvitations: {
  readonly arguments: {
    readonly query?: { readonly limit?: string | number; readonly cursor?: string | number; };
  };
  readonly answer: { readonly invitations: readonly ({ readonly id: string; /** Whom it is for; null for anybody with the link. */ readonly email: string | null; readonly uses: Count; readonly used: Count; readonly createdAt: Time; readonly expiresAt: Time; })[]; readonly nextCursor: NextCursor; };
  };
  /** Withdraw an invitation. */
  readonly withdrawInvitation: {
  readonly arguments: {
    readonly invitationId: string;
  };
  readonly answer: Done;
  };
  /** List accounts, oldest first, or search for some. */
  readonly listAccounts: {
  readonly arguments: {
    readonly query?: { readonly limit?: string | number; readonly cursor?: string | number; readonly search?: string | number; };
  };
  readonly answer: { readonly accounts: readonly ({ readonly id: string; readonly email: string | null; readonly name: string | null; readonly createdAt: Time; /** When it was disabled; null while it is not. */ readonly disabledAt: Time | null; })[]; readonly nextCursor: NextCursor; };
  };
  /** Look at an account. */
  readonly getAccount: {
  readonly arguments: {
    readonly accountId: string;
  };
  readonly answer: { readonly account: { readonly id: string; readonly email: string | null; readonly name: string | null; readonly createdAt: Time; /** When it was disabled; null while it is not. */ readonly disabledAt: Time | null; }; };
  };
  /** Disable an account. */
  readonly disableAccount: {
  readonly arguments: {
    readonly accountId: string;
  };
  readonly answer: { readonly account: { readonly id: string; readonly email: string | null; readonly name: string | null; readonly createdAt: Time; /** When it was disabled; null while it is not. */ readonly disabledAt: Time | null; }; };
  };
  /** Enable an account again. */
  readonly enableAccount: {
  readonly arguments: {
    readonly accountId: string;
  };
  readonly answer: { readonly account: { readonly id: string; readonly email: string | null; readonly name: string | null; readonly createdAt: Time; /** When it was disabled; null while it is not. */ readonly disabledAt: Time | null; }; };
  };
  /** End all sessions of an account. */
  readonly endSessionsOfAccount: {
  readonly arguments: {
    readonly accountId: string;
  };
  readonly answer: SessionsEnded;
  };
  /** Fetch this description (OpenAPI 3.1). */
  readonly getOpenApi: {
  readonly arguments: {
  };
  readonly answer: { readonly openapi: string; };
  };
  /** Say that the process lives. */
  readonly isLive: {
  readonly arguments: {
  };
  readonly answer: Live;
  };
  /** Say whether it can serve. */
  readonly isReady: {
  readonly arguments: {
  };
  readonly answer: Ready;
  };
  /** Ask who let the application in (OpenID Connect Core section 5.3). */
  readonly getUserInfo: {
  readonly arguments: {
  };
  readonly answer: UserInfo;
  };
  /** Fetch the public keys of its tokens. */
  readonly getKeySet: {
  readonly arguments: {
  };
  readonly answer: KeySet;
  };
  /** Fetch the provider's metadata (OpenID Connect Discovery). */
  readonly getOpenIdConfiguration: {
  readonly arguments: {
  };
  readonly answer: ProviderMetadata;
  };
  /** Fetch the provider's metadata (RFC 8414). */
  readonly getAuthorizationServerMetadata: {
  readonly arguments: {
  };
  readonly answer: ProviderMetadata;
  };
  /** List the applications that one has let in. */
  readonly listGrants: {
  readonly arguments: {
  };
  readonly answer: GrantList;
  };
  /** Withdraw from an application: its codes and tokens are over. */
  readonly withdrawGrant: {
  readonly arguments: {
    readonly clientId: string;
  };
  readonly answer: undefined;
  };
}

/** Method, path, whether it may be sent again when an answer was lost, and the member with a page's items. */
export type OperationRow = readonly [method: string, path: string, again: Again, items?: string];
export type Again = "repeatable" | "keyed" | "once";

export const OPERATIONS: Readonly<Record<keyof Operations, OperationRow>> = {
  sendCode: ["POST","/api/auth/email-code","once"],
  verifyCode: ["POST","/api/auth/email-code/verify","once"],
  listProviders: ["GET","/api/auth/identity","repeatable"],
  passkeyRegistrationOptions: ["POST","/api/auth/passkey/registration/options","once"],
  registerPasskey: ["POST","/api/auth/passkey/registration","once"],
  passkeyAuthenticationOptions: ["POST","/api/auth/passkey/authentication/options","once"],
  signIn: ["POST","/api/auth/passkey/authentication","once"],
  getSession: ["GET","/api/auth/session","repeatable"],
  signOut: ["POST","/api/auth/sign-out","once"],
  stepUpOptions: ["POST","/api/auth/step-up/options","once"],
  stepUp: ["POST","/api/auth/step-up","once"],
  listPasskeys: ["GET","/api/auth/passkeys","repeatable"],
  renamePasskey: ["PATCH","/api/auth/passkeys/{passkeyId}","once"],
  deletePasskey: ["DELETE","/api/auth/passkeys/{passkeyId}","once"],
  getRelatedOrigins: ["GET","/.well-known/webauthn","repeatable"],
  getPasskeyEndpoints: ["GET","/.well-known/passkey-endpoints","repeatable"],
  listSessions: ["GET","/api/auth/sessions","repeatable"],
  endSession: ["DELETE","/api/auth/sessions/{sessionId}","once"],
  endOtherSessions: ["POST","/api/auth/sessions/revoke-others","once"],
  endAllSessions: ["POST","/api/auth/sessions/revoke-all","once"],
  sendRecoveryCode: ["POST","/api/auth/recovery/email-code","once"],
  beginRecovery: ["POST","/api/auth/recovery","once"],
  getRecovery: ["GET","/api/auth/recovery","repeatable"],
  recoveryPasskeyOptions: ["POST","/api/auth/recovery/passkey/options","once"],
  finishRecovery: ["POST","/api/auth/recovery/passkey","once"],
  getWayBack: ["GET","/api/auth/way-back","repeatable"],
  changeWayBack: ["PATCH","/api/auth/way-back","once"],
  makeRecoveryCodes: ["POST","/api/auth/way-back/codes","keyed"],
  cancelRecovery: ["DELETE","/api/auth/way-back/recovery","once"],
  renameAccount: ["PATCH","/api/auth/account","once"],
  sendAddressCode: ["POST","/api/auth/account/email/code","once"],
  changeEmail: ["POST","/api/auth/account/email","once"],
  listIdentities: ["GET","/api/auth/account/identities","repeatable"],
  linkIdentity: ["POST","/api/auth/account/identities","once"],
  unlinkIdentity: ["DELETE","/api/auth/account/identities/{identityId}","once"],
  deleteAccount: ["POST","/api/auth/account/deletion","once"],
  createToken: ["POST","/api/auth/tokens","keyed"],
  listTokens: ["GET","/api/auth/tokens","repeatable"],
  changeToken: ["PATCH","/api/auth/tokens/{tokenId}","once"],
  revokeToken: ["DELETE","/api/auth/tokens/{tokenId}","once"],
  listKeys: ["GET","/api/keys","repeatable","keys"],
  generateKey: ["POST","/api/keys/generate","keyed"],
  getKey: ["GET","/api/keys/{keyId}","repeatable"],
  changeKey: ["PATCH","/api/keys/{keyId}","once"],
  archiveKey: ["POST","/api/keys/{keyId}/archive","once"],
  unarchiveKey: ["POST","/api/keys/{keyId}/unarchive","once"],
  signMessage: ["POST","/api/keys/{keyId}/sign","repeatable"],
  signTypedData: ["POST","/api/keys/{keyId}/sign-typed-data","repeatable"],
  signTransaction: ["POST","/api/keys/{keyId}/sign-transaction","repeatable"],
  signAuthorization: ["POST","/api/keys/{keyId}/sign-authorization","repeatable"],
  explain: ["POST","/api/keys/{keyId}/explain","repeatable"],
  getKeyPolicy: ["GET","/api/keys/{keyId}/policy","repeatable"],
  setKeyPolicy: ["PUT","/api/keys/{keyId}/policy","once"],
  removeKeyPolicy: ["DELETE","/api/keys/{keyId}/policy","once"],
  cancelKeyPolicyChange: ["DELETE","/api/keys/{keyId}/policy/change","once"],
  getQuote: ["GET","/api/keys/{keyId}/quote","repeatable"],
  rpc: ["POST","/api/rpc","repeatable"],
  listSigningRequests: ["GET","/api/signing-requests","repeatable"],
  getSigningRequest: ["GET","/api/signing-requests/{requestId}","repeatable"],
  withdrawSigningRequest: ["DELETE","/api/signing-requests/{requestId}","once"],
  getApprovalOptions: ["POST","/api/signing-requests/{requestId}/approval/options","once"],
  approveSigningRequest: ["POST","/api/signing-requests/{requestId}/approval","once"],
  declineSigningRequest: ["POST","/api/signing-requests/{requestId}/decline","once"],
  listEvents: ["GET","/api/audit","repeatable","events"],
  registerClient: ["POST","/api/admin/oauth/clients","keyed"],
  listClients: ["GET","/api/admin/oauth/clients","repeatable","clients"],
  getClient: ["GET","/api/admin/oauth/clients/{clientId}","repeatable"],
  changeClient: ["PATCH","/api/admin/oauth/clients/{clientId}","once"],
  deleteClient: ["DELETE","/api/admin/oauth/clients/{clientId}","once"],
  rotateClientSecret: ["POST","/api/admin/oauth/clients/{clientId}/secret","keyed"],
  endPreviousClientSecret: ["DELETE","/api/admin/oauth/clients/{clientId}/secret/previous","once"],
  makeInvitation: ["POST","/api/admin/invitations","keyed"],
  listInvitations: ["GET","/api/admin/invitations","repeatable"],
  withdrawInvitation: ["DELETE","/api/admin/invitations/{invitationId}","once"],
  listAccounts: ["GET","/api/admin/accounts","repeatable"],
  getAccount: ["GET","/api/admin/accounts/{accountId}","repeatable"],
  disableAccount: ["POST","/api/admin/accounts/{accountId}/disable","once"],
  enableAccount: ["POST","/api/admin/accounts/{accountId}/enable","once"],
  endSessionsOfAccount: ["POST","/api/admin/accounts/{accountId}/sessions/revoke-all","once"],
  getOpenApi: ["GET","/openapi.json","repeatable"],
  isLive: ["GET","/livez","repeatable"],
  isReady: ["GET","/readyz","repeatable"],
  getUserInfo: ["GET","/api/auth/oauth2/userinfo","repeatable"],
  getKeySet: ["GET","/api/auth/jwks","repeatable"],
  getOpenIdConfiguration: ["GET","/.well-known/openid-configuration","repeatable"],
  getAuthorizationServerMetadata: ["GET","/.well-known/oauth-authorization-server","repeatable"],
  listGrants: ["GET","/api/auth/grants","repeatable"],
  withdrawGrant: ["DELETE","/api/auth/grants/{clientId}","once"],
};
