import { Transaction as EthersTransaction } from "ethers";
import { serializeTransaction } from "viem";
import type { TransactionType } from "../../../src/ethereum/transaction/transaction.ts";
import type { SignatureJson, TransactionJson } from "./transactions.ts";

/** A serializer of another library. Returns 0x-hex. */
export type OtherSerializer = (
  transaction: TransactionJson,
  signature: SignatureJson,
) => { readonly unsigned: string; readonly signed: string };

const TYPE_BYTES: Readonly<Record<TransactionType, number>> = {
  legacy: 0,
  eip2930: 1,
  eip1559: 2,
  eip4844: 3,
  eip7702: 4,
};

const AMOUNTS = [
  ...["value", "gasPrice", "maxPriorityFeePerGas", "maxFeePerGas", "maxFeePerBlobGas"],
] as const;

/**
 * Returns the form that both libraries take: integers as bigint, one name for each member. Each library renames a few.
 */
function normal(transaction: TransactionJson): Record<string, unknown> {
  const { gas, gasLimit = gas, input, data = input, value = 0, ...rest } = transaction;
  const form: Record<string, unknown> = { ...rest, value, gasLimit: BigInt(gasLimit as string) };
  if (data !== undefined) form.data = data;
  for (const name of AMOUNTS) if (Object.hasOwn(form, name)) form[name] = BigInt(form[name] as string);
  return { ...form, chainId: Number(form.chainId), nonce: Number(form.nonce) };
}

interface AuthorizationJson extends SignatureJson {
  readonly chainId: string;
  readonly nonce: string;
}

function authorizations(form: Record<string, unknown>): readonly AuthorizationJson[] | undefined {
  return form.authorizationList as readonly AuthorizationJson[] | undefined;
}

function forViem(transaction: TransactionJson): never {
  const { gasLimit, ...form } = normal(transaction);
  const authorizationList = authorizations(form)?.map((one) => ({
    ...one,
    chainId: Number(one.chainId),
    nonce: Number(one.nonce),
  }));
  return { ...form, gas: gasLimit, ...(authorizationList && { authorizationList }) } as never;
}

function forEthers(transaction: TransactionJson): EthersTransaction {
  const form = normal(transaction);
  const authorizationList = authorizations(form)?.map(({ r, s, yParity, ...one }) => ({
    ...one,
    signature: { r, s, yParity },
  }));
  return EthersTransaction.from(
    { ...form, type: TYPE_BYTES[transaction.type], ...(authorizationList && { authorizationList }) } as never,
  );
}

export const LIBRARIES: Readonly<Record<"viem" | "ethers", OtherSerializer>> = {
  viem: (transaction, { r, s, yParity }) => {
    const form = forViem(transaction);
    const signature = { r, s, yParity, v: 27n + BigInt(yParity) };
    return { unsigned: serializeTransaction(form), signed: serializeTransaction(form, signature) };
  },
  ethers: (transaction, signature) => {
    const form = forEthers(transaction);
    const unsigned = form.unsignedSerialized;
    form.signature = signature as never;
    return { unsigned, signed: form.serialized };
  },
};
