import { toChecksumAddress } from "../address.ts";
import type { Authorization } from "../transaction/authorization.ts";
import { chainName, findContract } from "./directory.ts";
import type { Intent, IntentWarning } from "./intent.ts";
import {
  addressField,
  addressWords,
  chainField,
  chainWarnings,
  type IntentContext,
  numberField,
  warning,
  ZERO_ADDRESS,
} from "./words.ts";

/** What an authorization to run another contract's code does (EIP-7702). */
export function authorizationIntent(authorization: Authorization, context: IntentContext): Intent {
  const chainId = authorization.chainId.toString();
  const delegate = toChecksumAddress(authorization.address);
  const nonce = authorization.nonce.toString();
  const chain = chainId === "0" ? null : chainId;
  const account = addressWords(context, chain, context.signer);
  const where = chain === null ? "every chain" : chainName(chain);
  const what = delegate === ZERO_ADDRESS
    ? `Let ${account} no longer run the code of another contract on ${where}`
    : `Let ${account} run the code of ${
      addressWords(context, chain, delegate)
    } as its own on ${where}, which can then do everything with it`;
  return {
    kind: "delegation",
    recognisedBy: "EIP-7702",
    sentence: `${what}. Anybody can carry it out while the account's nonce is ${nonce}.`,
    chainId: chain,
    contract: delegate === ZERO_ADDRESS ? null : delegate,
    fields: [
      addressField(context, "Account", chain, context.signer),
      addressField(context, "Code of", chain, delegate),
      ...(chain === null ? [] : [chainField(chain)]),
      numberField("Nonce", nonce),
    ],
    effects: [{ effect: "delegation", delegate }],
    warnings: [
      ...delegateWarnings(context, chain, delegate),
      ...(chain === null
        ? [warning("all_chains", "It is good on every chain where the account has that nonce")]
        : chainWarnings(chain)),
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
    : [warning("unknown_delegate", `${delegate} is not among the known delegates`)];
}
