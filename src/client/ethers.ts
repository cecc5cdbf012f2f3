import {
  AbstractSigner,
  type Authorization,
  type AuthorizationRequest,
  copyRequest,
  hexlify,
  type Provider,
  resolveAddress,
  Signature,
  Transaction,
  type TransactionLike,
  type TransactionRequest,
  type TypedDataDomain,
  TypedDataEncoder,
  type TypedDataField,
} from "ethers";
import { untilSigned } from "./signing-request.ts";
import type { HoldfastClient, Key, TypedData } from "./client.ts";

/** The key of a signer, from `listKeys` or `generateKey`. */
export type SignerKey = Pick<Key, "id" | "address">;

/**
 * An ethers signer with a key of the service. Signs transactions as ethers serializes them. The provider resolves
 * names; the service does not.
 */
export class HoldfastSigner extends AbstractSigner {
  readonly #client: HoldfastClient;
  readonly #key: SignerKey;

  constructor(client: HoldfastClient, key: SignerKey, provider?: Provider | null) {
    super(provider ?? undefined);
    this.#client = client;
    this.#key = key;
  }

  override getAddress(): Promise<string> {
    return Promise.resolve(this.#key.address);
  }

  override connect(provider: Provider | null): HoldfastSigner {
    return new HoldfastSigner(this.#client, this.#key, provider);
  }

  override async signMessage(message: string | Uint8Array): Promise<string> {
    const body = typeof message === "string"
      ? { message, encoding: "utf8" } as const
      : { message: hexlify(message), encoding: "hex" } as const;
    const answer = await this.#client.signMessage({ keyId: this.#key.id, body });
    return (await untilSigned(this.#client, answer)).signature;
  }

  override async signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    // deno-lint-ignore no-explicit-any -- as AbstractSigner has it
    value: Record<string, any>,
  ): Promise<string> {
    const resolve = (name: string): Promise<string> =>
      this.resolveName(name).then((address) => address ?? name);
    const known = await TypedDataEncoder.resolveNames(domain, types, value, resolve);
    const body = TypedDataEncoder.getPayload(known.domain, types, known.value) as TypedData;
    const answer = await this.#client.signTypedData({ keyId: this.#key.id, body });
    return (await untilSigned(this.#client, answer)).signature;
  }

  /** Throws a TypeError if the transaction's `from` is another account. */
  override async signTransaction(request: TransactionRequest): Promise<string> {
    // The members of a Transaction, which `sendTransaction` passes, are accessors.
    const { from, to, ...rest } = copyRequest(request);
    const sender = from == null ? undefined : await resolveAddress(from, this.provider);
    if (sender !== undefined && sender.toLowerCase() !== this.#key.address.toLowerCase()) {
      throw new TypeError("Cannot sign transaction: its sender is not the signer's account");
    }
    const target = to == null ? {} : { to: await resolveAddress(to, this.provider) };
    const transaction = Transaction.from({ ...rest, ...target } as TransactionLike<string>);
    const unsigned = transaction.unsignedSerialized as `0x${string}`;
    const answer = await this.#client.signTransaction({ keyId: this.#key.id, body: { unsigned } });
    const { r, s, yParity } = await untilSigned(this.#client, answer);
    transaction.signature = Signature.from({ r, s, yParity });
    return transaction.serialized;
  }

  override async authorize(request: AuthorizationRequest): Promise<Authorization> {
    const { address, chainId = 0n, nonce = 0n } = await this.populateAuthorization(request);
    const target = await resolveAddress(address, this.provider) as `0x${string}`;
    const body = { address: target, chainId: String(chainId), nonce: String(nonce) };
    const answer = await this.#client.signAuthorization({ keyId: this.#key.id, body });
    const { r, s, yParity } = await untilSigned(this.#client, answer);
    const signature = Signature.from({ r, s, yParity });
    return { address: target, chainId: BigInt(chainId), nonce: BigInt(nonce), signature };
  }
}
