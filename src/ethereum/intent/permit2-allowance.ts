import { chainName } from "./directory.ts";
import type { Intent } from "./intent.ts";
import { permit2Place } from "./permit2.ts";
import type { TypedDataKind, TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  addressWords,
  amountField,
  chainField,
  chainWarnings,
  dateField,
  dateWords,
  endWarnings,
  type IntentContext,
  isUnlimited,
  largest,
  listWords,
  tokenWords,
  warning,
} from "./words.ts";

interface PermitDetails {
  readonly token: string;
  readonly amount: string;
  readonly expiration: string;
  readonly nonce: string;
}

interface Permit {
  readonly details: PermitDetails | readonly PermitDetails[];
  readonly spender: string;
  readonly sigDeadline: string;
}

const DETAILS = "PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)";

/** Allowances of one token or several inside Permit2 (its AllowanceTransfer). Whoever signs is the owner. */
export const PERMIT2_ALLOWANCE: TypedDataKind = {
  encodeTypes: [
    `PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`,
    `PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`,
  ],
  read,
};

/** Of 160 bits, the largest amount is the one that is never used up. */
const WITHOUT_LIMIT = largest(160);

function read({ domain, message }: TypedDocument, context: IntentContext): Intent | undefined {
  const place = permit2Place(domain);
  if (place === undefined) return undefined;
  const { chainId, contract } = place;
  const { details, spender, sigDeadline } = message as unknown as Permit;
  const permits = [details].flat();
  if (permits.length === 0) return undefined;
  const end = BigInt(sigDeadline);
  const words = permits.map(({ token, amount }) =>
    tokenWords(context, chainId, token, BigInt(amount), WITHOUT_LIMIT)
  );
  const allowed = permits.map((permit, index) =>
    `${amountWords(permit, words[index]!)} ${untilWords(permit)}`
  );
  return {
    kind: "permit2_allowance",
    recognisedBy: "Permit2",
    sentence: `Allow ${addressWords(context, chainId, spender)} to spend from ${
      addressWords(context, chainId, context.signer)
    } on ${chainName(chainId)}, through Permit2: ${listWords(allowed)}. The permit can be used until ${
      dateWords(end)
    }.`,
    chainId,
    contract,
    fields: [
      addressField(context, "Spender", chainId, spender),
      ...permits.flatMap((permit, index) => [
        addressField(context, "Token", chainId, permit.token),
        amountField("Amount", words[index]!, BigInt(permit.amount)),
        permit.expiration === "0"
          ? { label: "Allowed until", format: "date" as const, value: untilWords(permit), raw: "0" }
          : dateField("Allowed until", BigInt(permit.expiration)),
      ]),
      dateField("Can be used until", end),
      chainField(chainId),
    ],
    effects: permits.map(({ token, amount, expiration }) => ({
      effect: "allowance",
      owner: context.signer,
      spender,
      asset: { standard: "erc20", address: token, id: null },
      amount: BigInt(amount) === WITHOUT_LIMIT ? null : amount,
      until: expiration,
    })),
    warnings: [
      ...permits.flatMap(({ amount }, index) =>
        isUnlimited(BigInt(amount))
          ? [warning("unlimited_allowance", `${spender} may spend ${words[index]}`)]
          : []
      ),
      ...endWarnings(context, "The last time at which the permit can be used", end),
      ...permits.flatMap(({ expiration }) =>
        expiration === "0" ? [] : endWarnings(context, "The end of the allowance", BigInt(expiration))
      ),
      ...permits.flatMap(({ token }) => addressWarnings(context, "The token", chainId, token)),
      ...addressWarnings(context, "The spender", chainId, spender),
      ...chainWarnings(chainId),
    ],
  };
}

function amountWords({ amount }: PermitDetails, words: string): string {
  return BigInt(amount) === WITHOUT_LIMIT ? words : `up to ${words}`;
}

/** An expiration of 0 is that of the block in which the permit is used (Allowance.sol). */
function untilWords({ expiration }: PermitDetails): string {
  return expiration === "0"
    ? "in the one block in which the permit is used"
    : `until ${dateWords(BigInt(expiration))}`;
}
