/** An example policy. Its addresses and amounts are placeholders. */
export interface PolicyTemplate {
  readonly id: string;
  readonly name: string;
  /** The input of `readPolicy`, in the order in which people read it. */
  readonly policy: unknown;
}

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const EXAMPLE_ADDRESSES = [
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
];

/** The example policies, one for each common use. docs/reference/policy-examples.md explains them. */
export const POLICY_TEMPLATES: readonly PolicyTemplate[] = [
  {
    id: "sign-in",
    name: "Sign in to one site, and nothing else",
    policy: {
      version: 1,
      messages: { signIn: [{ domains: ["app.example.org"] }] },
      perMinute: 5,
    },
  },
  {
    id: "trading-bot",
    name: "Trading bot: sell USDC for WETH on CoW Swap",
    policy: {
      version: 1,
      typedData: [{
        chainId: "1",
        verifyingContract: "0x9008D19f58AAbD9eD0D60971565AA8510560ab41",
        typeHash: "0xd5a25ba2e97094ad7d83dc28a6572da797d6b3e7fc6663bd93efb789fc17e489",
        where: {
          "/sellToken": { oneOf: [USDC] },
          "/buyToken": { oneOf: ["0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"] },
          "/receiver": { oneOf: ["0x0000000000000000000000000000000000000000"] },
          "/sellAmount": { atMost: "1000000000" },
          "/feeAmount": { atMost: "0" },
          "/kind": { oneOf: ["sell"] },
          "/validTo": { within: 1800 },
        },
        spends: [{ budget: "sold-usdc", path: "/sellAmount" }],
      }],
      perMinute: 10,
      budgets: { "sold-usdc": { perDay: "10000000000" } },
    },
  },
  {
    id: "payroll",
    name: "Payroll: USDC to known recipients, more only with approval",
    policy: {
      version: 1,
      transactions: [
        {
          chainId: "1",
          to: [USDC],
          valueAtMost: "0",
          feeAtMost: "10000000000000000",
          call: {
            function: "transfer(address to,uint256 value)",
            where: { "/to": { oneOf: EXAMPLE_ADDRESSES }, "/value": { atMost: "5000000000" } },
          },
          spends: [{ budget: "paid-usdc", path: "/call/value" }],
        },
        {
          chainId: "1",
          to: [USDC],
          valueAtMost: "0",
          feeAtMost: "10000000000000000",
          call: {
            function: "transfer(address to,uint256 value)",
            where: { "/to": { oneOf: EXAMPLE_ADDRESSES }, "/value": { atMost: "50000000000" } },
          },
          outcome: "ask",
        },
      ],
      budgets: { "paid-usdc": { perDay: "20000000000" } },
    },
  },
  {
    id: "x402",
    name: "x402: small payments in USDC on Base",
    policy: {
      version: 1,
      typedData: [{
        chainId: "8453",
        verifyingContract: USDC_ON_BASE,
        typeHash: "0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267",
        where: { "/value": { atMost: "100000" }, "/validBefore": { within: 600 } },
        spends: [{ budget: "paid-usdc", path: "/value" }],
      }],
      perMinute: 30,
      budgets: { "paid-usdc": { perDay: "5000000" } },
    },
  },
  {
    id: "x402-permit2",
    name: "x402 by Permit2: small payments in USDC on Base",
    policy: {
      version: 1,
      typedData: [{
        chainId: "8453",
        verifyingContract: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
        typeHash: "0xebc156cd23678a74c94df13d772ef5478420637f0c94bd10d509e1dc98f521c7",
        where: {
          "/permitted/token": { oneOf: [USDC_ON_BASE] },
          "/permitted/amount": { atMost: "100000" },
          "/spender": { oneOf: ["0x402085c248EeA27D92E8b30b2C58ed07f9E20001"] },
          "/deadline": { within: 600 },
        },
        spends: [
          { budget: "paid-usdc", path: "/permitted/amount" },
          { budget: "for-each", path: "/permitted/amount", recipient: "/witness/to" },
        ],
      }],
      budgets: { "paid-usdc": { rollingDay: "5000000" }, "for-each": { rollingHour: "1000000" } },
    },
  },
  {
    id: "x402-channel",
    name: "x402 in channels: vouchers on Base",
    policy: {
      version: 1,
      typedData: [{
        chainId: "8453",
        verifyingContract: "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003",
        typeHash: "0x1e1bd6ff84c3e0d9029a292b212e039c0ca97ec497c55191a4a5874294609a69",
        spends: [{ budget: "vouchers", path: "/maxClaimableAmount", channel: "/channelId" }],
      }],
      budgets: { vouchers: { rollingDay: "5000000", total: "50000000" } },
    },
  },
  {
    id: "allowance",
    name: "Allowance with a cap: one contract may take USDC",
    policy: {
      version: 1,
      transactions: [{
        chainId: "1",
        to: [USDC],
        valueAtMost: "0",
        feeAtMost: "10000000000000000",
        call: {
          function: "approve(address spender,uint256 value)",
          where: {
            "/spender": { oneOf: [EXAMPLE_ADDRESSES[0]] },
            "/value": { atMost: "100000000" },
          },
        },
        spends: [{ budget: "allowed-usdc", path: "/call/value" }],
      }],
      budgets: { "allowed-usdc": { rollingWeek: "500000000" } },
    },
  },
  {
    id: "effects",
    name: "Pay USDC to known addresses, in any form",
    policy: {
      version: 1,
      effects: [{
        chainId: "1",
        gives: [{ asset: USDC, to: EXAMPLE_ADDRESSES, atMost: "50000000", budget: "given-usdc" }],
        feeAtMost: "10000000000000000",
      }],
      budgets: { "given-usdc": { rollingDay: "100000000" } },
    },
  },
  {
    id: "safe",
    name: "Signer of a Safe: small payments, all other calls with approval",
    policy: {
      version: 1,
      typedData: [
        {
          chainId: "1",
          verifyingContract: EXAMPLE_ADDRESSES[0],
          typeHash: "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8",
          where: {
            "/to": { oneOf: [EXAMPLE_ADDRESSES[1]] },
            "/value": { atMost: "100000000000000000" },
            "/data": { oneOf: ["0x"] },
            "/operation": { oneOf: ["0"] },
            "/gasPrice": { atMost: "0" },
          },
          spends: [{ budget: "paid-ether", path: "/value" }],
        },
        {
          chainId: "1",
          verifyingContract: EXAMPLE_ADDRESSES[0],
          typeHash: "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8",
          where: { "/operation": { oneOf: ["0"] }, "/gasPrice": { atMost: "0" } },
          outcome: "ask",
        },
      ],
      budgets: { "paid-ether": { perDay: "1000000000000000000" } },
    },
  },
];
