import type { TokenAlgorithm } from "../db/schema/oauth.ts";
import type { WebhookSignature } from "../db/schema/webhook.ts";
import { constantTimeEqual, lengthPrefixed, utf8 } from "../lib/bytes.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import { prepareHashing } from "../lib/sha256.ts";
import { encodeAuthorityRow } from "./authority-encoding.ts";
import type { AuthorityKind } from "./authenticated-columns.ts";
import type { AuthorityRow, SealedRow } from "./authority.ts";
import { type DigestSignature, ethereumPublicKey, prepareSigning, signDigest } from "./ethereum-key.ts";
import { makeReleaseKey, openBrokerIdentity, signAsBroker, wrapReleaseKey } from "./release-key.ts";
import type { BrokerIdentity, ReleaseWrapping, SealedReleaseKey } from "./release-key.ts";
import { open, seal, type SealPurpose } from "./seal.ts";
import { makeTokenKey, openTokenKey, signJwt } from "./token-key.ts";
import type { KeySeal, NewTokenKey, OpenTokenKey, SealedTokenKey } from "./token-key.ts";
import { signWebhook, type WebhookVerificationKey, webhookVerificationKey } from "./webhook-key.ts";

const SEED_LENGTH = 32;
const SALT = utf8("holdfast");

/** The purposes of keyed hashes. Each has a key of its own. */
export const KEYED_HASH_PURPOSES = [
  "admin-session",
  "audit",
  "audit-checkpoint",
  "dpop-nonce",
  "email-address",
  "email-code",
  "identity-request",
  "rate-limit-subject",
  "recovery-cancel",
  "recovery-code",
  "set-hash",
  "witness",
] as const;

export type KeyedHashPurpose = (typeof KEYED_HASH_PURPOSES)[number];

/** The purposes whose hashes live for minutes. */
const OF_START: readonly KeyedHashPurpose[] = ["dpop-nonce", "email-code"];

export interface VaultParts {
  /** 32 bytes. The vault copies them, and the caller wipes its own. */
  readonly seed: Uint8Array;
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
}

/**
 * The only object that can use a secret key. It has no getter and no own properties, and prints as `[Vault]`. A
 * structured clone of it is an empty object. Private keys are derived for one call and wiped before it returns.
 */
export class Vault {
  readonly #primitives: VaultPrimitives;
  readonly #random: RandomBytes;
  readonly #seed: Uint8Array;
  readonly #rowKey: Uint8Array;
  readonly #sealKey: Uint8Array;
  /** A separate key, so that `open` can never open a private key. */
  readonly #keySealKey: Uint8Array;
  readonly #hashKeys: Map<KeyedHashPurpose, Uint8Array>;
  /** Opened token signing keys by `kid`. They cannot be exported. */
  readonly #tokenKeys = new Map<string, Promise<OpenTokenKey>>();
  #brokerIdentity: Promise<BrokerIdentity> | undefined;

  constructor({ seed, primitives, random }: VaultParts) {
    if (seed.length !== SEED_LENGTH) throw new TypeError("Cannot create vault: seed is not 32 bytes");
    prepareSigning(primitives);
    prepareHashing(primitives.sha256);
    const subkey = (name: string): Uint8Array => primitives.hkdfSha256(seed, SALT, utf8(name), 32);
    this.#primitives = primitives;
    this.#random = random;
    this.#seed = seed.slice();
    this.#rowKey = subkey("row-authority/v1");
    this.#sealKey = subkey("seal/v1");
    this.#keySealKey = subkey("seal-token-key/v1");
    this.#hashKeys = new Map(
      KEYED_HASH_PURPOSES.map((purpose) => [purpose, subkey(`keyed-hash/v1/${purpose}`)]),
    );
    Object.freeze(this);
  }

  /** Returns the public key (65 bytes, uncompressed) and address (20 bytes) of an account's key. */
  ethereumPublicKey(accountId: string, keyIndex: number): { publicKey: Uint8Array; address: Uint8Array } {
    return ethereumPublicKey(this.#primitives, this.#seed, { accountId, keyIndex });
  }

  /** Signs exactly 32 bytes: deterministic (RFC 6979), low s. Does not check who asks or what the digest means. */
  signDigest(accountId: string, keyIndex: number, digest: Uint8Array): DigestSignature {
    return signDigest(this.#primitives, this.#seed, { accountId, keyIndex }, digest);
  }

  mac<K extends AuthorityKind>(kind: K, row: AuthorityRow<K>): Uint8Array {
    return this.#primitives.storedHmacSha256(this.#rowKey, encodeAuthorityRow(kind, row));
  }

  /**
   * Verifies a row's MAC in constant time. Returns false for an unsafe number or a MAC that is not bytes, because the
   * service cannot have written them. Throws for a column of a type that no database has, which is a bug.
   */
  verifyMac<K extends AuthorityKind>(kind: K, row: SealedRow<K>): boolean {
    try {
      return row.mac instanceof Uint8Array && constantTimeEqual(this.mac(kind, row), row.mac);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /** Returns HMAC-SHA-256 of the length-prefixed parts under the purpose's own key: 32 bytes. */
  keyedHash(purpose: KeyedHashPurpose, ...parts: readonly Uint8Array[]): Uint8Array {
    return this.#primitives.storedHmacSha256(this.#hashKeys.get(purpose)!, lengthPrefixed(...parts));
  }

  /**
   * Makes DPoP nonces and e-mail codes those of this start, in a process that serves alone. A copy of the database that
   * is served beside then cannot try codes for it, and a proof from before the start is refused. Call it before both.
   */
  bindToStart(): void {
    for (const purpose of OF_START) this.#hashKeys.set(purpose, this.#random(32));
  }

  /** Seals bytes (AES-256-GCM) so that they open only for the same purpose and additional data. */
  seal(
    purpose: SealPurpose,
    additionalData: readonly Uint8Array[],
    plaintext: Uint8Array,
  ): Uint8Array<ArrayBuffer> {
    const key = { primitives: this.#primitives, key: this.#sealKey };
    return seal(key, { purpose, additionalData }, plaintext, this.#random);
  }

  /** Opens bytes that `seal` returned. Throws `SealError` for any other. */
  open(
    purpose: SealPurpose,
    additionalData: readonly Uint8Array[],
    sealed: Uint8Array,
  ): Uint8Array<ArrayBuffer> {
    const key = { primitives: this.#primitives, key: this.#sealKey };
    return open(key, { purpose, additionalData }, sealed);
  }

  /** Creates a token signing key. Does not store it. */
  async makeTokenKey(algorithm: TokenAlgorithm): Promise<NewTokenKey> {
    return await makeTokenKey(this.#primitives, this.#keySeal("token-key"), algorithm);
  }

  /** Signs a JWT of type `typ`. Throws `SealError` for a key not from `makeTokenKey`. Does not check the claims. */
  async signJwt(
    key: SealedTokenKey,
    type: string,
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { kid, algorithm } = key;
    return await signJwt(await this.#openTokenKey(key), { kid, algorithm, type }, claims);
  }

  /** Returns the 32-byte Ed25519 public key that guests pin. It is the same for the life of the seed. */
  async brokerPublicKey(): Promise<Uint8Array> {
    return (await this.#openBrokerIdentity()).publicKey.slice();
  }

  /** Signs as the broker. Does not check the content: the caller must pass only the broker's own transcripts. */
  async signAsBroker(transcript: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return await signAsBroker(await this.#openBrokerIdentity(), transcript);
  }

  /** Generates a workload's sealing key and seals it. Does not store it. */
  makeReleaseKey(workload: string): Uint8Array {
    return makeReleaseKey(this.#keySeal("release-key"), workload, this.#random);
  }

  /** Encrypts a workload's sealing key for the recipient. Throws `SealError` for another workload's sealed bytes. */
  async wrapReleaseKey(key: SealedReleaseKey, wrapping: ReleaseWrapping): Promise<Uint8Array> {
    return await wrapReleaseKey(this.#keySeal("release-key"), key, wrapping);
  }

  /** Returns the key that verifies the deliveries of a webhook. It is the same for the life of the seed. */
  async webhookVerificationKey(webhook: {
    readonly id: string;
    readonly signature: WebhookSignature;
  }): Promise<WebhookVerificationKey> {
    return await webhookVerificationKey(this.#primitives, this.#seed, webhook);
  }

  /** Signs a delivery of a webhook. Does not check the content. */
  async signWebhook(
    webhook: { readonly id: string; readonly signature: WebhookSignature },
    message: Uint8Array<ArrayBuffer>,
  ): Promise<Uint8Array> {
    return await signWebhook(this.#primitives, this.#seed, webhook, message);
  }

  #openBrokerIdentity(): Promise<BrokerIdentity> {
    return this.#brokerIdentity ??= openBrokerIdentity(
      this.#primitives.hkdfSha256(this.#seed, SALT, utf8("broker-identity/v1"), 32),
    );
  }

  #keySeal(purpose: "token-key" | "release-key"): KeySeal {
    const key = { primitives: this.#primitives, key: this.#keySealKey };
    const context = (additionalData: readonly Uint8Array[]) => ({ purpose, additionalData }) as const;
    return {
      seal: (additionalData, plaintext) => seal(key, context(additionalData), plaintext, this.#random),
      open: (additionalData, sealed) => open(key, context(additionalData), sealed),
    };
  }

  #openTokenKey(key: SealedTokenKey): Promise<OpenTokenKey> {
    const { kid } = key;
    let opening = this.#tokenKeys.get(kid);
    if (opening === undefined) {
      opening = openTokenKey(this.#primitives, this.#keySeal("token-key"), key);
      this.#tokenKeys.set(kid, opening);
      // An attempt that failed is not cached.
      opening.catch(() => this.#tokenKeys.delete(kid));
    }
    return opening;
  }

  toString(): string {
    return "[Vault]";
  }

  toJSON(): string {
    return "[Vault]";
  }

  /** The consoles of both runtimes use this symbol. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[Vault]";
  }
}
