import { type Said, say } from "../words/said.ts";
import type { Intent } from "./intent.ts";
import { permit2Place } from "./permit2.ts";
import type { TypedDataKind, TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  amountField,
  chainField,
  chainWarnings,
  chainWords,
  dateField,
  dateWords,
  endWarnings,
  type IntentContext,
  isUnlimited,
  largest,
  listWords,
  mostWords,
  partyAt,
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
  const allowed = permits.map((permit) =>
    say("permit2Part", {
      amount: mostWords(context, chainId, permit.token, BigInt(permit.amount), WITHOUT_LIMIT),
      until: untilWords(permit),
    })
  );
  return {
    kind: "permit2_allowance",
    recognisedBy: "Permit2",
    sentence: say("permit2Allowance", {
      spender: partyAt(context, chainId, spender),
      owner: partyAt(context, chainId, context.signer),
      chain: chainWords(chainId),
      amount: listWords(allowed),
      until: dateWords(end),
    }),
    chainId,
    contract,
    fields: [
      addressField(context, "spender", chainId, spender),
      ...permits.flatMap((permit, index) => [
        addressField(context, "token", chainId, permit.token),
        amountField("amountLabel", words[index]!, BigInt(permit.amount)),
        permit.expiration === "0"
          ? { label: say("allowedUntil"), format: "date" as const, value: untilWords(permit), raw: "0" }
          : dateField("allowedUntil", BigInt(permit.expiration)),
      ]),
      dateField("usableUntil", end),
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
          ? [warning("unlimited_allowance", say("maySpend", { spender, amount: words[index]! }))]
          : []
      ),
      ...endWarnings(context, "permit_end", end),
      ...permits.flatMap(({ expiration }) =>
        expiration === "0" ? [] : endWarnings(context, "allowance_end", BigInt(expiration))
      ),
      ...permits.flatMap(({ token }) => addressWarnings(context, "token", chainId, token)),
      ...addressWarnings(context, "spender", chainId, spender),
      ...chainWarnings(chainId),
    ],
  };
}

/** An expiration of 0 is that of the block in which the permit is used (Allowance.sol). */
function untilWords({ expiration }: PermitDetails): Said {
  return expiration === "0" ? say("inOneBlock") : say("untilMoment", { at: dateWords(BigInt(expiration)) });
}
