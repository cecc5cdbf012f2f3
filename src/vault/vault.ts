import type { TokenAlgorithm } from "../db/schema/oauth.ts";
import { constantTimeEqual, lengthPrefixed, utf8 } from "../lib/bytes.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import { prepareHashing } from "../lib/sha256.ts";
import { encodeAuthorityRow } from "./authority-encoding.ts";
import type { AuthorityKind } from "./authenticated-columns.ts";
import type { AuthorityRow, SealedRow } from "./authority.ts";
import { ethereumPublicKey, prepareSigning, signDigest } from "./ethereum-key.ts";
import type { DigestSignature } from "./ethereum-key.ts";
import { makeReleaseKey, openBrokerIdentity, signAsBroker, wrapReleaseKey } from "./release-key.ts";
import type { BrokerIdentity, ReleaseWrapping, SealedReleaseKey } from "./release-key.ts";
import { open, seal } from "./seal.ts";
import type { SealPurpose } from "./seal.ts";
import { makeTokenKey, openTokenKey, signJwt } from "./token-key.ts";
import type { KeySeal, NewTokenKey, OpenTokenKey, SealedTokenKey } from "./token-key.ts";

const SEED_LENGTH = 32;
const SALT = utf8("holdfast");

/** What a keyed hash is for. Each purpose has a key of its own. */
export const KEYED_HASH_PURPOSES = [
  "admin-session",
  "audit",
  "audit-checkpoint",
  "dpop-nonce",
  "email-code",
  "identity-request",
  "rate-limit-subject",
  "recovery-cancel",
  "recovery-code",
  "witness",
] as const;

export type KeyedHashPurpose = (typeof KEYED_HASH_PURPOSES)[number];

/** What a vault is made of. */
export interface VaultParts {
  /** 32 bytes, copied: the caller wipes its own. */
  readonly seed: Uint8Array;
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
}

/**
 * The only object that can use a secret key. It has no getter, no own properties and prints as `[Vault]`; a structured
 * clone of it is an empty object. Private keys are derived for one call and wiped before it returns.
 */
export class Vault {
  readonly #primitives: VaultPrimitives;
  readonly #random: RandomBytes;
  readonly #seed: Uint8Array;
  readonly #rowKey: Uint8Array;
  readonly #sealKey: Uint8Array;
  /** Apart from the other, so that `open` opens no private key, whatever it is asked. */
  readonly #keySealKey: Uint8Array;
  readonly #hashKeys: ReadonlyMap<KeyedHashPurpose, Uint8Array>;
  /** Token-signing keys that were opened, by `kid`. Nobody can export them. */
  readonly #tokenKeys = new Map<string, Promise<OpenTokenKey>>();
  #brokerIdentity: Promise<BrokerIdentity> | undefined;

  constructor({ seed, primitives, random }: VaultParts) {
    if (seed.length !== SEED_LENGTH) throw new TypeError("Cannot make vault: seed is not 32 bytes");
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

  /** The public key (65 bytes, uncompressed) and address (20 bytes) of an account's key. */
  ethereumPublicKey(accountId: string, keyIndex: number): { publicKey: Uint8Array; address: Uint8Array } {
    return ethereumPublicKey(this.#primitives, this.#seed, { accountId, keyIndex });
  }

  /** A signature over exactly 32 bytes: deterministic (RFC 6979), low s. Does not check who asks, or for what. */
  signDigest(accountId: string, keyIndex: number, digest: Uint8Array): DigestSignature {
    return signDigest(this.#primitives, this.#seed, { accountId, keyIndex }, digest);
  }

  /** The MAC of a row that grants authority: 32 bytes over its kind, version and covered columns. */
  mac<K extends AuthorityKind>(kind: K, row: AuthorityRow<K>): Uint8Array {
    return this.#primitives.storedHmacSha256(this.#rowKey, encodeAuthorityRow(kind, row));
  }

  /**
   * Whether a row carries the MAC that `mac` gives it, compared in constant time. A row with a number that `mac` would
   * refuse, or with a MAC that is no bytes, was not written by us; a column of no database type at all is our mistake
   * and throws.
   */
  verifyMac<K extends AuthorityKind>(kind: K, row: SealedRow<K>): boolean {
    try {
      return row.mac instanceof Uint8Array && constantTimeEqual(this.mac(kind, row), row.mac);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /** HMAC-SHA-256 of the length-prefixed parts under the purpose's own key: 32 bytes. */
  keyedHash(purpose: KeyedHashPurpose, ...parts: readonly Uint8Array[]): Uint8Array {
    return this.#primitives.storedHmacSha256(this.#hashKeys.get(purpose)!, lengthPrefixed(...parts));
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

  /** Opens what `seal` made. Throws `SealError` for anything else. */
  open(
    purpose: SealPurpose,
    additionalData: readonly Uint8Array[],
    sealed: Uint8Array,
  ): Uint8Array<ArrayBuffer> {
    const key = { primitives: this.#primitives, key: this.#sealKey };
    return open(key, { purpose, additionalData }, sealed);
  }

  /** Makes a token-signing key. Does not store it. */
  async makeTokenKey(algorithm: TokenAlgorithm): Promise<NewTokenKey> {
    return await makeTokenKey(this.#primitives, this.#keySeal("token-key"), algorithm);
  }

  /**
   * Signs a JWT of the given type (`typ`) with a key that `makeTokenKey` made. Throws `SealError` for any other. Does
   * not check what is claimed.
   */
  async signJwt(
    key: SealedTokenKey,
    type: string,
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { kid, algorithm } = key;
    return await signJwt(await this.#openTokenKey(key), { kid, algorithm, type }, claims);
  }

  /** The Ed25519 key by which guests know this vault's broker: 32 bytes, the same for the life of the seed. */
  async brokerPublicKey(): Promise<Uint8Array> {
    return (await this.#openBrokerIdentity()).publicKey.slice();
  }

  /** The broker's signature. Does not check what is signed: only the broker's own transcripts may be. */
  async signAsBroker(transcript: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return await signAsBroker(await this.#openBrokerIdentity(), transcript);
  }

  /** Draws a sealing key for a workload and seals it. Does not store it. */
  makeReleaseKey(workload: string): Uint8Array {
    return makeReleaseKey(this.#keySeal("release-key"), workload, this.#random);
  }

  /** A workload's sealing key under another key, for whom that key is. Throws `SealError` for sealed bytes not its own. */
  async wrapReleaseKey(key: SealedReleaseKey, wrapping: ReleaseWrapping): Promise<Uint8Array> {
    return await wrapReleaseKey(this.#keySeal("release-key"), key, wrapping);
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
      // A key that did not open is tried again.
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

  /** Both runtimes' consoles ask for this symbol. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[Vault]";
  }
}
