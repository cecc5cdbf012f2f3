/** A known contract, or code that accounts may delegate to. */
export interface KnownContract {
  readonly name: string;
  /** With its checksum. */
  readonly address: string;
  /** The chains with this address. `any` if no other contract can take it (CREATE2 of a common factory). */
  readonly chains: "any" | readonly string[];
  /** The power that it may hold. A contract without a role is only known by its name. */
  readonly roles: readonly ContractRole[];
}

/** The powers that contracts may hold. All but the last four move assets of others by a signature or a command. */
export type ContractRole =
  /** Spends allowances for their owner. */
  | "spender"
  /** Fulfils signed orders. */
  | "exchange"
  /** Carries out signed operations of accounts (ERC-4337). */
  | "entry_point"
  /** Makes every call that a caller asks for: an allowance for it is one for everyone. */
  | "executor"
  /** Runs the commands of Uniswap's Universal Router. */
  | "universal_router"
  | "safe_module"
  | "token"
  /** Makes a list of calls for the account that runs its code (Safe's MultiSend). */
  | "batch"
  /** Code that accounts may run as their own (EIP-7702). */
  | "account_code"
  /** A fallback handler of Safes. */
  | "handler";

const COW = ["1", "10", "56", "100", "137", "8453", "42161", "43114", "11155111"];
const ONE_INCH = ["1", "10", "56", "100", "137", "8453", "42161", "43114"];

/** The address of Permit2, except on chains with another address scheme. */
export const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

/** Seaport by the version in its domain. */
export const SEAPORTS: Readonly<Record<string, string>> = {
  "1.1": "0x00000000006c3852cbEf3e08E8dF289169EdE581",
  "1.4": "0x00000000000001ad428e4906aE43D8F9852d0dD6",
  "1.5": "0x00000000000000ADc04C56Bf30aC9d3c0aAF14dC",
  "1.6": "0x0000000000000068F116a894984e2DB1123eB395",
};

/** The entry points whose user operations are signed as typed data (ERC-4337). */
export const ENTRY_POINTS: Readonly<Record<string, string>> = {
  "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108": "0.8",
  "0x433709009B8330FDa32311DF1C2AFA402eD8D009": "0.9",
};

type Row = readonly [
  name: string,
  address: string,
  chains: KnownContract["chains"],
  ...roles: readonly ContractRole[],
];

const ROWS: readonly Row[] = [
  ["Permit2", PERMIT2, "any", "spender"],
  ...Object.entries(SEAPORTS).map((
    [version, address],
  ): Row => [`Seaport ${version}`, address, "any", "exchange"]),
  ["OpenSea's conduit", "0x1E0049783F008A0085193E00003D00cd54003c71", "any", "spender"],
  ["EntryPoint 0.6", "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789", "any", "entry_point"],
  ["EntryPoint 0.7", "0x0000000071727De22E5E9d8BAf0edAc6f37da032", "any", "entry_point"],
  ...Object.entries(ENTRY_POINTS).map((
    [address, version],
  ): Row => [`EntryPoint ${version}`, address, "any", "entry_point"]),
  ["Multicall3", "0xcA11bde05977b3631167028862bE2a173976CA11", "any", "executor"],
  ["Safe MultiSend 1.3.0", "0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761", "any", "batch"],
  ["Safe MultiSendCallOnly 1.3.0", "0x40A2aCCbd92BCA938b02010E17A5b8929b49130D", "any", "batch", "executor"],
  ["Safe MultiSend 1.4.1", "0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526", "any", "batch"],
  ["Safe MultiSendCallOnly 1.4.1", "0x9641d764fc13c8B624c04430C7356C1C7C8102e2", "any", "batch", "executor"],
  ["Safe fallback handler 1.3.0", "0xf48f2B2d2a534e402487b3ee7C18c33Aec0Fe5e4", "any", "handler"],
  ["Safe fallback handler 1.4.1", "0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99", "any", "handler"],
  ["Safe4337Module 0.2.0", "0xa581c4A4DB7175302464fF3C06380BC3270b4037", "any", "safe_module", "handler"],
  ["Safe4337Module 0.3.0", "0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226", "any", "safe_module", "handler"],
  [
    "Safe AllowanceModule 0.1.0",
    "0xCFbFaC74C26F8647cBDb8c5caf80BB5b32E43134",
    ["1", "56", "100", "42161", "11155111"],
    "safe_module",
  ],
  [
    "Safe AllowanceModule 0.1.1",
    "0xAA46724893dedD72658219405185Fb0Fc91e091C",
    ["10", "100", "137", "8453", "42161"],
    "safe_module",
  ],
  ["CoW Protocol", "0x9008D19f58AAbD9eD0D60971565AA8510560ab41", COW, "exchange"],
  ["CoW Protocol's vault relayer", "0xC92E8bdf79f0507f65a392b0ab4667716BFE0110", COW, "spender"],
  ["1inch Router 5", "0x1111111254EEB25477B68fb85Ed929f73A960582", ONE_INCH, "spender", "exchange"],
  ["1inch Router 6", "0x111111125421cA6dc452d289314280a0f8842A65", ONE_INCH, "spender", "exchange"],
  ["Uniswap V2 Router", "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D", ["1"], "spender"],
  [
    "Uniswap SwapRouter02",
    "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45",
    ["1", "10", "137", "42161"],
    "spender",
  ],
  [
    "Uniswap Universal Router",
    "0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD",
    ["1", "8453", "11155111"],
    "spender",
    "universal_router",
  ],
  [
    "Uniswap Universal Router 2",
    "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af",
    ["1"],
    "spender",
    "universal_router",
  ],
  [
    "Uniswap Universal Router 2",
    "0x6fF5693b99212Da76ad316178A184AB56D299b43",
    ["8453"],
    "spender",
    "universal_router",
  ],
  ["Aave V3 Pool", "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2", ["1"], "spender"],
  ["Aave V3 Pool", "0xA238Dd80C259a72e81d7e4664a9801593F98d1c5", ["8453"], "spender"],
  ["Aave V3 Pool", "0x794a61358D6845594F94dc1DB02A252b5b4814aD", ["10", "137", "42161", "43114"], "spender"],
  ["Lido stETH", "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84", ["1"], "token"],
  ["ENS Registry", "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e", ["1", "11155111"]],
  ["MetaMask's EIP-7702 delegator", "0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B", "any", "account_code"],
  ["Simple7702Account", "0xe6Cae83BdE06E4c305530e199D7217f42808555B", "any", "account_code"],
  ["Uniswap Calibur", "0x000000009B1D0aF20D8C6d0A44e162d11F9b8f00", "any", "account_code"],
  ["Coinbase's EIP7702Proxy", "0x7702cb554e6bFb442cb743A7dF23154544a7176C", "any", "account_code"],
  ["Ambire's delegator", "0x5A7FC11397E9a8AD41BF10bf13F22B0a63f96f6d", "any", "account_code"],
];

/** A short list. Other contracts are "unknown here", which does not mean that they are bad. */
export const CONTRACTS: readonly KnownContract[] = ROWS.map(([name, address, chains, ...roles]) => ({
  name,
  address,
  chains,
  roles,
}));
