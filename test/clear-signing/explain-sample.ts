import { readAddress } from "../../src/ethereum/address.ts";
import { bytesIntent, textIntent } from "../../src/clear-signing/message.ts";
import { authorizationIntent } from "../../src/clear-signing/standard/delegation.ts";
import { localizeIntent } from "../../src/clear-signing/intent.ts";
import type { Intent, LocalizedIntent } from "../../src/clear-signing/intent.ts";
import { typedDataIntent } from "../../src/clear-signing/match-standard.ts";
import { transactionIntent } from "../../src/clear-signing/transaction.ts";
import type { IntentContext } from "../../src/clear-signing/parties.ts";
import type { Transaction } from "../../src/ethereum/transaction/transaction.ts";
import { explainTypedData } from "../../src/ethereum/typed-data/typed-data-explain.ts";
import { parseTypedData } from "../../src/ethereum/typed-data/typed-data.ts";
import { fromHex } from "../../src/lib/bytes.ts";
import type { CallJson, Sample } from "./documents.ts";

/** Returns a transaction that makes the call. Its gas costs little unless the sample sets it. */
export function transactionOf(
  { chainId, to, value, data, gasLimit = 100_000n, delegate }: CallJson,
): Transaction {
  const common = {
    chainId,
    to: to === null ? null : readAddress(to)!,
    value,
    data: fromHex(data)!,
    nonce: 3n,
    gasLimit,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    accessList: [],
  };
  if (delegate === undefined || to === null) return { ...common, type: "eip1559" };
  const authorization = {
    chainId,
    address: readAddress(delegate)!,
    nonce: 4n,
    yParity: 0,
    r: 1n,
    s: 1n,
  } as const;
  return { ...common, to: readAddress(to)!, type: "eip7702", authorizationList: [authorization] };
}

export function explainSample(sample: Sample, context: IntentContext): LocalizedIntent {
  return localizeIntent(intentOf(sample, context), "en");
}

/** Returns the untranslated intent of a sample. */
export function intentOf(sample: Sample, context: IntentContext): Intent {
  if ("typedData" in sample) {
    return typedDataIntent(explainTypedData(parseTypedData(sample.typedData)), context);
  }
  if ("text" in sample) return textIntent(sample.text, context);
  if ("bytes" in sample) return bytesIntent(fromHex(sample.bytes)!, context);
  if ("call" in sample) return transactionIntent(transactionOf(sample.call), context);
  const { chainId, address, nonce } = sample.authorization;
  return authorizationIntent({ chainId, address: readAddress(address)!, nonce }, context);
}
