import { chainName } from "./directory.ts";
import type { Intent } from "./intent.ts";
import type { PlainDomain } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  addressWords,
  chainField,
  chainWarnings,
  type IntentContext,
  textField,
  warning,
  ZERO_ADDRESS,
} from "./words.ts";

/**
 * Typed data that nobody here understands, as somebody's letter: which struct, for which contract, on which chain. What
 * it calls itself stands among the fields, never in the sentence.
 */
export function unknownTypedData(
  primaryType: string,
  { name, version, chainId, verifyingContract }: PlainDomain,
  context: IntentContext,
): Intent {
  const chain = chainId ?? null;
  const contract = verifyingContract === undefined || verifyingContract === ZERO_ADDRESS
    ? null
    : verifyingContract;
  const place = contract === null
    ? `no contract, on ${chainName(chain)}`
    : `${addressWords(context, chain, contract)} on ${chainName(chain)}`;
  return {
    kind: "typed_data",
    recognisedBy: "EIP-712",
    sentence:
      `Sign typed data “${primaryType}” for ${place}. What it does is not known here: read all of it.`,
    chainId: chain,
    contract,
    fields: [
      ...(name === undefined ? [] : [textField("Calls itself", name)]),
      ...(version === undefined ? [] : [textField("Version", version)]),
      ...(contract === null ? [] : [addressField(context, "Contract", chain, contract)]),
      ...(chain === null ? [] : [chainField(chain)]),
    ],
    effects: [],
    warnings: [
      ...(contract === null
        ? [warning("no_contract", "It is bound to no contract: any program may take it for its own")]
        : addressWarnings(context, "The contract", chain, contract)),
      ...(chain === null ? [] : chainWarnings(chain)),
    ],
  };
}
