import { toChecksumAddress } from "../address.ts";
import type { Authorization } from "../transaction/authorization.ts";
import { say } from "../words/said.ts";
import { findContract } from "./directory.ts";
import type { Intent, IntentWarning } from "./intent.ts";
import {
  addressField,
  chainField,
  chainWarnings,
  chainWords,
  type IntentContext,
  numberField,
  partyAt,
  warning,
  ZERO_ADDRESS,
} from "./words.ts";

/** What an authorization to run another contract's code does (EIP-7702). */
export function authorizationIntent(authorization: Authorization, context: IntentContext): Intent {
  const chainId = authorization.chainId.toString();
  const delegate = toChecksumAddress(authorization.address);
  const nonce = authorization.nonce.toString();
  const chain = chainId === "0" ? null : chainId;
  return {
    kind: "delegation",
    recognisedBy: "EIP-7702",
    sentence: say("delegation", {
      account: partyAt(context, chain, context.signer),
      code: delegate === ZERO_ADDRESS ? undefined : partyAt(context, chain, delegate),
      chain: chain === null ? say("everyChain") : chainWords(chain),
      nonce,
    }),
    chainId: chain,
    contract: delegate === ZERO_ADDRESS ? null : delegate,
    fields: [
      addressField(context, "account", chain, context.signer),
      addressField(context, "codeOf", chain, delegate),
      ...(chain === null ? [] : [chainField(chain)]),
      numberField("nonce", nonce),
    ],
    effects: [{ effect: "delegation", delegate }],
    warnings: [
      ...delegateWarnings(context, chain, delegate),
      ...(chain === null ? [warning("all_chains", say("allChains"))] : chainWarnings(chain)),
    ],
  };
}

/** A warning about code that an account is to run and that is not among the known delegates. */
export function delegateWarnings(
  { directory }: IntentContext,
  chainId: string | null,
  delegate: string,
): IntentWarning[] {
  const isKnown = findContract(directory, chainId, delegate)?.role === "delegate";
  return delegate === ZERO_ADDRESS || isKnown
    ? []
    : [warning("unknown_delegate", say("unknownDelegate", { address: delegate }))];
}
