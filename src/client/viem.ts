import type {
  Hex,
  LocalAccount,
  SerializeTransactionFn,
  SignableMessage,
  TransactionSerializable,
} from "viem";
import { serializeTransaction } from "viem";
import { toAccount } from "viem/accounts";
import { untilSigned } from "./signing-request.ts";
import type { HoldfastClient, Key, TypedData } from "./client.ts";

/** The key of an account, from `listKeys` or `generateKey`. */
export type AccountKey = Pick<Key, "id" | "address" | "publicKey">;

export type HoldfastAccount =
  & Omit<LocalAccount<"holdfast">, "sign" | "signAuthorization">
  & {
    readonly [K in "sign" | "signAuthorization"]: NonNullable<LocalAccount[K]>;
  };

function toHex(bytes: Uint8Array): Hex {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function toMessage(
  message: SignableMessage,
): { readonly message: string; readonly encoding: "utf8" | "hex" } {
  if (typeof message === "string") return { message, encoding: "utf8" };
  const { raw } = message;
  return { message: typeof raw === "string" ? raw : toHex(raw), encoding: "hex" };
}

/** Removes the blobs: a signature covers only their hashes (EIP-4844). */
function withoutSidecars(transaction: TransactionSerializable): TransactionSerializable {
  return "sidecars" in transaction
    ? { ...transaction, sidecars: false } as TransactionSerializable
    : transaction;
}

/**
 * Creates a viem account with a key of the service, for `createWalletClient` and other consumers of local accounts.
 * Signs the bytes that viem or a chain's own serializer writes; the service parses them strictly and refuses unknown
 * types. Waits for the owner's approval if a policy requires it. `sign` signs a digest blindly, which the key's
 * `blindSigning` may refuse, and most token policies do.
 */
export function toHoldfastAccount(client: HoldfastClient, key: AccountKey): HoldfastAccount {
  const keyId = key.id;
  const account = toAccount({
    address: key.address,
    async sign({ hash }) {
      const answer = await client.signMessage({ keyId, body: { message: hash, format: "digest" } });
      return (await untilSigned(client, answer)).signature;
    },
    async signMessage({ message }) {
      const answer = await client.signMessage({ keyId, body: toMessage(message) });
      return (await untilSigned(client, answer)).signature;
    },
    async signTypedData({ domain, types, primaryType, message }) {
      const body = { domain: domain ?? {}, types, primaryType, message } as unknown as TypedData;
      return (await untilSigned(client, await client.signTypedData({ keyId, body }))).signature;
    },
    async signTransaction(transaction, options) {
      const serialize = (options?.serializer ?? serializeTransaction) as SerializeTransactionFn;
      const given = transaction as TransactionSerializable;
      const unsigned = await serialize(withoutSidecars(given));
      const answer = await client.signTransaction({ keyId, body: { unsigned } });
      const { r, s, yParity } = await untilSigned(client, answer);
      // Legacy transactions are serialized by `v`, all others by `yParity`.
      return await serialize(given, { r, s, v: BigInt(27 + yParity), yParity });
    },
    async signAuthorization({ chainId, nonce, ...named }) {
      const address = (named.address ?? named.contractAddress)!;
      const answer = await client.signAuthorization({ keyId, body: { chainId, nonce, address } });
      const { r, s, yParity } = await untilSigned(client, answer);
      return { address, chainId, nonce, r, s, yParity };
    },
  });
  return { ...account, publicKey: key.publicKey, source: "holdfast" } as HoldfastAccount;
}
