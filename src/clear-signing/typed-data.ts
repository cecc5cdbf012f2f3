import { localizable } from "./format-message.ts";
import type { Intent } from "./intent.ts";
import { readMembers } from "./roles.ts";
import type { TypedDocument } from "./typed-document.ts";
import { notUnderstood } from "./not-understood.ts";
import { chainText, type IntentContext, partyAt, textField, warning, ZERO_ADDRESS } from "./parties.ts";

/** A type with bytes alone: accounts use such types to sign hashes (Safe's, Coinbase's and Kernel's). */
const HASH_ALONE = /^\w+\((?:bytes32|bytes) \w+\)$/;

export type UnreadDocument = Pick<TypedDocument, "primaryType" | "encodeType" | "domain">;

/**
 * Describes typed data that is not recognised. Its claimed name is among the fields, never in the sentence.
 * `isStandard` says that its type is the one of a standard: a contract with an older form of the standard may accept
 * it.
 */
export function unknownTypedData(
  { primaryType, encodeType, domain }: UnreadDocument,
  { isStandard, ...context }: IntentContext & { readonly isStandard: boolean },
): Intent {
  const { name, version, chainId, verifyingContract } = domain;
  const chain = chainId ?? null;
  const what = HASH_ALONE.test(encodeType) ? "hash" : isStandard ? "standard" : "typed_data";
  const contract = verifyingContract === undefined || verifyingContract === ZERO_ADDRESS
    ? null
    : verifyingContract;
  const { fields, warnings } = readMembers(context, chain, [
    ...(name === undefined ? [] : [textField("callsItself", name)]),
    ...(version === undefined ? [] : [textField("version", version)]),
    contract === null ? warning("no_contract", localizable("noContract")) : ["contract", contract],
    notUnderstood(context, chain, contract, what),
    ...(chain === null ? [] : [["chain", chain] as const]),
  ]);
  return {
    kind: "typed_data",
    recognisedBy: "EIP-712",
    sentence: localizable("unknownTypedData", {
      primaryType,
      contract: contract === null ? undefined : partyAt(context, chain, contract),
      chain: chainText(chain),
    }),
    chainId: chain,
    contract,
    fields,
    effects: [],
    effectsComplete: false,
    warnings,
  };
}
