import type { Descriptor } from "./descriptor.ts";
import { readDescriptor } from "./read.ts";
import { descriptorTextsIn } from "../messages.ts";

type Json = Readonly<Record<string, unknown>>;

const SCHEMA = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";

/** The texts are in the catalogues, so that built-in descriptors are available in every language. */
const TEXT = descriptorTextsIn("en");

const COW_CHAINS = [1, 10, 56, 100, 137, 8453, 42161, 43114, 11155111];
const ONE_INCH_CHAINS = [1, 10, 56, 100, 137, 8453, 42161, 43114];

function onChains(chains: readonly number[], address: string): readonly Json[] {
  return chains.map((chainId) => ({ chainId, address }));
}

function field(path: string, label: string, format = "raw", params?: Json): Json {
  return { path, label, format, ...(params === undefined ? {} : { params }) };
}

const UNLIMITED = { threshold: "0x" + "f".repeat(64), message: TEXT.all };
const ZERO = "0x0000000000000000000000000000000000000000";
/** The address that means the native currency of the chain. */
const ETHER = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
/** The address that several protocols write for the native currency. */
const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const DATE = { encoding: "timestamp" };

/** An order of CoW Protocol. A zero receiver means the owner. It can buy the native currency, and not sell it. */
const COW_ORDER: Json = {
  $schema: SCHEMA,
  context: {
    eip712: {
      domain: { name: "Gnosis Protocol", version: "v2" },
      deployments: onChains(COW_CHAINS, "0x9008D19f58AAbD9eD0D60971565AA8510560ab41"),
    },
  },
  display: {
    formats: {
      [
        "Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount," +
        "uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable," +
        "string sellTokenBalance,string buyTokenBalance)"
      ]: {
        intent: TEXT.exchange,
        interpolatedIntent: TEXT.cowOrder,
        fields: [
          field("sellAmount", TEXT.gives, "tokenAmount", { tokenPath: "sellToken" }),
          field("feeAmount", TEXT.fee, "tokenAmount", { tokenPath: "sellToken" }),
          field("buyAmount", TEXT.gets, "tokenAmount", {
            tokenPath: "buyToken",
            nativeCurrencyAddress: ETHER,
          }),
          field("receiver", TEXT.sentTo, "addressName", { senderAddress: ZERO }),
          field("validTo", TEXT.until, "date", DATE),
          field("kind", TEXT.kind),
        ],
        roles: {
          gives: [["sellAmount", "sellToken"], ["feeAmount", "sellToken"]],
          receives: [["buyAmount", "buyToken"]],
          native: NATIVE,
          to: "receiver",
          self: ZERO,
          until: "validTo",
        },
      },
    },
  },
};

/**
 * A limit order of 1inch. A zero receiver means the maker. With an extension (bit 249 of the traits, and its hash in
 * the salt), any contract may set the taking amount (OrderLib, calculateTakingAmount).
 */
const ONE_INCH_ORDER: Json = {
  $schema: SCHEMA,
  context: {
    eip712: {
      domain: { name: "1inch Aggregation Router", version: "6" },
      deployments: onChains(ONE_INCH_CHAINS, "0x111111125421cA6dc452d289314280a0f8842A65"),
    },
  },
  display: {
    formats: {
      [
        "Order(uint256 salt,address maker,address receiver,address makerAsset,address takerAsset," +
        "uint256 makingAmount,uint256 takingAmount,uint256 makerTraits)"
      ]: {
        intent: TEXT.exchange,
        interpolatedIntent: TEXT.oneInchOrder,
        fields: [
          field("maker", TEXT.maker, "addressName"),
          field("makingAmount", TEXT.gives, "tokenAmount", { tokenPath: "makerAsset" }),
          field("takingAmount", TEXT.gets, "tokenAmount", { tokenPath: "takerAsset" }),
          field("receiver", TEXT.sentTo, "addressName"),
          field("makerTraits", TEXT.traits),
        ],
        roles: {
          owner: "maker",
          gives: [["makingAmount", "makerAsset"]],
          receives: [["takingAmount", "takerAsset"]],
          to: "receiver",
          self: ZERO,
          openBit: ["makerTraits", 249],
        },
      },
    },
  },
};

const VOTES: Json = {
  $schema: SCHEMA,
  context: {
    eip712: {
      deployments: onChains([1], "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72").concat(
        onChains([1], "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"),
        onChains([1], "0xc00e94Cb662C3520282E6f5717214004A7f26888"),
      ),
    },
  },
  display: {
    formats: {
      "Delegation(address delegatee,uint256 nonce,uint256 expiry)": {
        intent: TEXT.letVote,
        interpolatedIntent: TEXT.letVoteUntil,
        fields: [
          field("delegatee", TEXT.votes, "addressName"),
          field("expiry", TEXT.usableUntil, "date", DATE),
        ],
        roles: { until: "expiry" },
      },
    },
  },
};

const AAVE_POOL: Json = {
  $schema: SCHEMA,
  context: {
    contract: {
      deployments: onChains([1], "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2").concat(
        onChains([8453], "0xA238Dd80C259a72e81d7e4664a9801593F98d1c5"),
        onChains([10, 137, 42161, 43114], "0x794a61358D6845594F94dc1DB02A252b5b4814aD"),
      ),
    },
  },
  metadata: { enums: { rate: { "1": TEXT.stable, "2": TEXT.variable } } },
  display: {
    formats: {
      "supply(address asset,uint256 amount,address onBehalfOf,uint16 referralCode)": {
        intent: TEXT.lend,
        interpolatedIntent: TEXT.lendFor,
        fields: [
          field("amount", TEXT.amount, "tokenAmount", { tokenPath: "asset" }),
          field("onBehalfOf", TEXT.inNameOf, "addressName"),
        ],
        roles: { gives: [["amount", "asset"]], account: "onBehalfOf" },
      },
      "withdraw(address asset,uint256 amount,address to)": {
        intent: TEXT.takeBack,
        interpolatedIntent: TEXT.takeBackTo,
        fields: [
          field("amount", TEXT.amount, "tokenAmount", { tokenPath: "asset", ...UNLIMITED }),
          field("to", TEXT.sentTo, "addressName"),
        ],
        roles: { gives: [["amount", "asset"]], to: "to" },
      },
      "borrow(address asset,uint256 amount,uint256 interestRateMode,uint16 referralCode,address onBehalfOf)":
        {
          intent: TEXT.borrow,
          interpolatedIntent: TEXT.borrowAt,
          fields: [
            field("amount", TEXT.amount, "tokenAmount", { tokenPath: "asset" }),
            field("interestRateMode", TEXT.rate, "enum", { $ref: "$.metadata.enums.rate" }),
            field("onBehalfOf", TEXT.debtor, "addressName"),
          ],
          roles: { account: "onBehalfOf" },
        },
    },
  },
};

const WRAPPED: Json = {
  $schema: SCHEMA,
  context: {
    contract: {
      deployments: onChains([1], "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2").concat(
        onChains([10, 130, 480, 8453], "0x4200000000000000000000000000000000000006"),
        onChains([42161], "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"),
      ),
    },
  },
  display: {
    formats: {
      "deposit()": {
        intent: TEXT.wrap,
        interpolatedIntent: TEXT.wrapAmount,
        fields: [field("@.value", TEXT.amount, "amount")],
        roles: {},
      },
      "withdraw(uint256 amount)": {
        intent: TEXT.unwrap,
        interpolatedIntent: TEXT.unwrapAmount,
        fields: [field("amount", TEXT.amount, "tokenAmount", { tokenPath: "@.to" })],
        roles: {},
      },
    },
  },
};

const BUILT_IN: Readonly<Record<string, Json>> = {
  [TEXT.cow]: COW_ORDER,
  [TEXT.oneInch]: ONE_INCH_ORDER,
  [TEXT.votesName]: VOTES,
  [TEXT.aave]: AAVE_POOL,
  [TEXT.wrapped]: WRAPPED,
};

export function builtInDescriptors(): readonly Descriptor[] {
  return Object.entries(BUILT_IN).map(([name, json]) => readDescriptor(name, json, "service").descriptor);
}
