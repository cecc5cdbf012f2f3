import type { Descriptor } from "./descriptor.ts";
import { readDescriptor } from "./descriptor-read.ts";

type Json = Readonly<Record<string, unknown>>;

const SCHEMA = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";

const COW_CHAINS = [1, 10, 56, 100, 137, 8453, 42161, 43114, 11155111];
const ONE_INCH_CHAINS = [1, 10, 56, 100, 137, 8453, 42161, 43114];

function everywhere(chains: readonly number[], address: string): readonly Json[] {
  return chains.map((chainId) => ({ chainId, address }));
}

function field(path: string, label: string, format = "raw", params?: Json): Json {
  return { path, label, format, ...(params === undefined ? {} : { params }) };
}

const UNLIMITED = { threshold: "0x" + "f".repeat(64), message: "all" };
const ZERO = "0x0000000000000000000000000000000000000000";
const DATE = { encoding: "timestamp" };

/** An order of CoW Protocol. Its receiver may be zero, which stands for the owner. */
const COW_ORDER: Json = {
  $schema: SCHEMA,
  context: {
    eip712: {
      domain: { name: "Gnosis Protocol", version: "v2" },
      deployments: everywhere(COW_CHAINS, "0x9008D19f58AAbD9eD0D60971565AA8510560ab41"),
    },
  },
  display: {
    formats: {
      [
        "Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount," +
        "uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable," +
        "string sellTokenBalance,string buyTokenBalance)"
      ]: {
        intent: "Order to exchange tokens",
        interpolatedIntent:
          "Order of the kind {kind}: give {sellAmount} and {feeAmount} as a fee for {buyAmount}, to be sent to {receiver}, " +
          "until {validTo}",
        fields: [
          field("sellAmount", "Gives", "tokenAmount", { tokenPath: "sellToken" }),
          field("feeAmount", "Fee", "tokenAmount", { tokenPath: "sellToken" }),
          field("buyAmount", "Gets", "tokenAmount", { tokenPath: "buyToken" }),
          field("receiver", "Sent to", "addressName", { senderAddress: ZERO }),
          field("validTo", "Until", "date", DATE),
          field("kind", "Kind"),
        ],
      },
    },
  },
};

/**
 * A limit order of 1inch. A receiver of zero stands for the maker. With an extension (bit 249 of the traits, and its hash in
 * the salt) a contract of anybody's choice says what comes back (OrderLib, calculateTakingAmount).
 */
const ONE_INCH_ORDER: Json = {
  $schema: SCHEMA,
  context: {
    eip712: {
      domain: { name: "1inch Aggregation Router", version: "6" },
      deployments: everywhere(ONE_INCH_CHAINS, "0x111111125421cA6dc452d289314280a0f8842A65"),
    },
  },
  display: {
    formats: {
      [
        "Order(uint256 salt,address maker,address receiver,address makerAsset,address takerAsset," +
        "uint256 makingAmount,uint256 takingAmount,uint256 makerTraits)"
      ]: {
        intent: "Order to exchange tokens",
        interpolatedIntent:
          "Order to give {makingAmount} of {maker} for {takingAmount}, or for whatever its extension sets if the traits " +
          "{makerTraits} have bit 249 (an extension), to be sent to {receiver} (zero stands for the maker)",
        fields: [
          field("maker", "Maker", "addressName"),
          field("makingAmount", "Gives", "tokenAmount", { tokenPath: "makerAsset" }),
          field("takingAmount", "Gets", "tokenAmount", { tokenPath: "takerAsset" }),
          field("receiver", "Sent to", "addressName"),
          field("makerTraits", "Traits"),
        ],
      },
    },
  },
};

/** Votes by signature, as the tokens of Compound, Uniswap and ENS have them. */
const VOTES: Json = {
  $schema: SCHEMA,
  context: {
    eip712: {
      deployments: everywhere([1], "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72").concat(
        everywhere([1], "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"),
        everywhere([1], "0xc00e94Cb662C3520282E6f5717214004A7f26888"),
      ),
    },
  },
  display: {
    formats: {
      "Delegation(address delegatee,uint256 nonce,uint256 expiry)": {
        intent: "Let somebody vote",
        interpolatedIntent:
          "Let {delegatee} vote with all that this key has of the token. It can be carried out until {expiry}",
        fields: [
          field("delegatee", "Votes", "addressName"),
          field("expiry", "Can be used until", "date", DATE),
        ],
      },
    },
  },
};

/** What people do with the pool of Aave V3. */
const AAVE_POOL: Json = {
  $schema: SCHEMA,
  context: {
    contract: {
      deployments: everywhere([1], "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2").concat(
        everywhere([8453], "0xA238Dd80C259a72e81d7e4664a9801593F98d1c5"),
        everywhere([10, 137, 42161, 43114], "0x794a61358D6845594F94dc1DB02A252b5b4814aD"),
      ),
    },
  },
  metadata: { enums: { rate: { "1": "stable", "2": "variable" } } },
  display: {
    formats: {
      "supply(address asset,uint256 amount,address onBehalfOf,uint16 referralCode)": {
        intent: "Lend",
        interpolatedIntent: "Lend {amount} in the name of {onBehalfOf}",
        fields: [
          field("amount", "Amount", "tokenAmount", { tokenPath: "asset" }),
          field("onBehalfOf", "In the name of", "addressName"),
        ],
      },
      "withdraw(address asset,uint256 amount,address to)": {
        intent: "Take back",
        interpolatedIntent: "Take back {amount} and send it to {to}",
        fields: [
          field("amount", "Amount", "tokenAmount", { tokenPath: "asset", ...UNLIMITED }),
          field("to", "Sent to", "addressName"),
        ],
      },
      "borrow(address asset,uint256 amount,uint256 interestRateMode,uint16 referralCode,address onBehalfOf)":
        {
          intent: "Borrow",
          interpolatedIntent: "Borrow {amount} at a {interestRateMode} rate as a debt of {onBehalfOf}",
          fields: [
            field("amount", "Amount", "tokenAmount", { tokenPath: "asset" }),
            field("interestRateMode", "Rate", "enum", { $ref: "$.metadata.enums.rate" }),
            field("onBehalfOf", "Debtor", "addressName"),
          ],
        },
    },
  },
};

/** Wrapping and unwrapping the chain's own currency. */
const WRAPPED: Json = {
  $schema: SCHEMA,
  context: {
    contract: {
      deployments: everywhere([1], "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2").concat(
        everywhere([10, 130, 480, 8453], "0x4200000000000000000000000000000000000006"),
        everywhere([42161], "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"),
      ),
    },
  },
  display: {
    formats: {
      "deposit()": {
        intent: "Wrap",
        interpolatedIntent: "Wrap {@.value}",
        fields: [field("@.value", "Amount", "amount")],
      },
      "withdraw(uint256 amount)": {
        intent: "Unwrap",
        interpolatedIntent: "Unwrap {amount}",
        fields: [field("amount", "Amount", "tokenAmount", { tokenPath: "@.to" })],
      },
    },
  },
};

const BUILT_IN: Readonly<Record<string, Json>> = {
  "CoW order": COW_ORDER,
  "1inch order": ONE_INCH_ORDER,
  "votes": VOTES,
  "Aave V3": AAVE_POOL,
  "wrapped currency": WRAPPED,
};

/** The descriptors that are there without configuration. */
export function builtInDescriptors(): readonly Descriptor[] {
  return Object.entries(BUILT_IN).map(([name, json]) => readDescriptor(name, json).descriptor);
}
