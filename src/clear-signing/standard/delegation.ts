import { toChecksumAddress } from "../../ethereum/address.ts";
import type { Authorization } from "../../ethereum/transaction/transaction.ts";
import { localizable } from "../format-message.ts";
import type { Intent } from "../intent.ts";
import { readMembers } from "../roles.ts";
import { chainText, type IntentContext, numberField, partyAt, warning, ZERO_ADDRESS } from "../parties.ts";

/** Describes an authorization to run another contract's code (EIP-7702). */
export function authorizationIntent(authorization: Authorization, context: IntentContext): Intent {
  const chainId = authorization.chainId.toString();
  const delegate = toChecksumAddress(authorization.address);
  const nonce = authorization.nonce.toString();
  const chain = chainId === "0" ? null : chainId;
  const { fields, warnings } = readMembers(context, chain, [
    ["account", context.signer],
    ["delegate", delegate],
    ...(chain === null ? [] : [["chain", chain] as const]),
    numberField("nonce", nonce),
  ]);
  return {
    kind: "delegation",
    recognisedBy: "EIP-7702",
    sentence: localizable("delegation", {
      account: partyAt(context, chain, context.signer),
      code: delegate === ZERO_ADDRESS ? undefined : partyAt(context, chain, delegate),
      chain: chain === null ? localizable("everyChain") : chainText(chain),
      nonce,
    }),
    chainId: chain,
    contract: delegate === ZERO_ADDRESS ? null : delegate,
    fields,
    effects: [{ effect: "delegation", delegate }],
    effectsComplete: delegate === ZERO_ADDRESS,
    warnings: chain === null ? [...warnings, warning("all_chains", localizable("allChains"))] : warnings,
  };
}
