/** An example policy. Its addresses and amounts are placeholders. */
export interface PolicyTemplate {
  readonly id: string;
  readonly name: string;
  /** The input of `readPolicy`, in the order in which people read it. */
  readonly policy: unknown;
}

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
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
        verifyingContract: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        typeHash: "0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267",
        where: { "/value": { atMost: "100000" }, "/validBefore": { within: 600 } },
        spends: [{ budget: "paid-usdc", path: "/value" }],
      }],
      perMinute: 30,
      budgets: { "paid-usdc": { perDay: "5000000" } },
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
