import { localizable } from "./format-message.ts";
import type { Intent } from "./intent.ts";
import { readMembers } from "./roles.ts";
import type { PlainDomain } from "./typed-document.ts";
import { chainText, type IntentContext, partyAt, textField, warning, ZERO_ADDRESS } from "./parties.ts";

/** Describes typed data that is not recognised. Its claimed name is among the fields, never in the sentence. */
export function unknownTypedData(
  primaryType: string,
  { name, version, chainId, verifyingContract }: PlainDomain,
  context: IntentContext,
): Intent {
  const chain = chainId ?? null;
  const contract = verifyingContract === undefined || verifyingContract === ZERO_ADDRESS
    ? null
    : verifyingContract;
  const { fields, warnings } = readMembers(context, chain, [
    ...(name === undefined ? [] : [textField("callsItself", name)]),
    ...(version === undefined ? [] : [textField("version", version)]),
    contract === null ? warning("no_contract", localizable("noContract")) : ["contract", contract],
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
    warnings,
  };
}
