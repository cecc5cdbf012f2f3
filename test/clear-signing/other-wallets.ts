/** The display of MetaMask, from its source: a title, and the values of its own screen or the tree of all values. */
const PERMIT = "“Spending cap request”: spender, amount in the token's decimals; the tree";
const SIGNATURE = "“Signature request”: the tree";
const TRANSACTION = "“Transaction request”: function name where a database has it, simulated balance changes";

/** The display of a Ledger: the fields of the contract's descriptor in the registry, or all members one by one. */
const ALL = "no descriptor: all members one by one, as they are";
const BLIND = "no descriptor: blind signing, the data's hash";

/** The display of two common wallets for each sample, from their sources and the registry. They were not run. */
export const OTHER_WALLETS: Readonly<Record<string, readonly [metaMask: string, ledger: string]>> = {
  "USDC permit, 250 USDC for a day": [PERMIT, "Spender, Max spending amount, Valid until"],
  "USDC permit without limit or end": [
    `${PERMIT}; “Unlimited”`,
    "Spender, Max spending amount “Unlimited USDC”, Valid until",
  ],
  "UNI permit, every bit of its amount set": [`${PERMIT}; “Unlimited”`, ALL],
  "Permit of a token that is not known here": [PERMIT, ALL],
  "USDC permit of another account's tokens": [
    PERMIT,
    "Spender, Max spending amount, Valid until; not the owner",
  ],
  "DAI permit": [`${PERMIT}; “Unlimited”`, "Spender, Max spending amount, Valid until"],
  "Permit2 allowance, Uniswap": [PERMIT, "Spender, Amount allowance, Approval expires"],
  "Permit2 allowance without limit": [
    `${PERMIT}; “Unlimited”`,
    "Spender, Amount allowance “Unlimited WETH”, Approval expires",
  ],
  "Permit2 allowances of several tokens": [PERMIT, "Spender, each Amount allowance and Approval expires"],
  "Permit2 transfer": [SIGNATURE, "Spender, Amount, Deadline; “Transfer {amount}”"],
  "Permit2 transfers of several tokens": [SIGNATURE, ALL],
  "UniswapX order (Permit2 with a witness)": [
    SIGNATURE,
    "Approve to spender, Amount allowance, Send, Min amount to receive, On Address, Approval expire",
  ],
  "x402 payment (ERC-3009)": [SIGNATURE, "From, To, Amount, Valid after, Valid before"],
  "Transfer that the recipient fetches (ERC-3009)": [
    SIGNATURE,
    "From, To, Amount, Valid after, Valid before",
  ],
  "Transfer that has expired (ERC-3009)": [SIGNATURE, "From, To, Amount, Valid after, Valid before"],
  "Cancellation of a transfer (ERC-3009)": [SIGNATURE, ALL],
  "Seaport listing": [`${SIGNATURE}; for the NFT's owner “You receive” where a service decodes it`, ALL],
  "Seaport offer for any item of a collection": [SIGNATURE, ALL],
  "Seaport auction with a falling price": [SIGNATURE, ALL],
  "Seaport order that gives everything away": [SIGNATURE, ALL],
  "Seaport order whose price goes to another account": [SIGNATURE, ALL],
  "Safe sends ether": [SIGNATURE, "bound to the Safe's singleton, not to a Safe: all members one by one"],
  "Safe sends USDC and pays for the gas": [
    SIGNATURE,
    "bound to the Safe's singleton, not to a Safe: all members one by one",
  ],
  "Safe runs a batch by delegate call": [
    SIGNATURE,
    "bound to the Safe's singleton, not to a Safe: all members one by one",
  ],
  "Safe runs the code of a stranger": [
    SIGNATURE,
    "bound to the Safe's singleton, not to a Safe: all members one by one",
  ],
  "Safe enables a module": [
    SIGNATURE,
    "bound to the Safe's singleton, not to a Safe: all members one by one",
  ],
  "Safe takes another owner": [
    SIGNATURE,
    "bound to the Safe's singleton, not to a Safe: all members one by one",
  ],
  "User operation (ERC-4337)": [SIGNATURE, ALL],
  "User operation with a paymaster (ERC-4337)": [SIGNATURE, ALL],
  "User operation with a batch (ERC-4337)": [SIGNATURE, ALL],
  "Call through a forwarder (ERC-2771)": [SIGNATURE, ALL],
  "Sign-in (EIP-4361)": ["“Sign-in request”: the message's members", "the text"],
  "Sign-in to one site that leads to another": [
    "“Sign-in request”; a warning where the domain is not the site that asks",
    "the text",
  ],
  "Sign-in of another account that has expired": ["“Sign-in request”; the members", "the text"],
  "Text that deceives": [
    "“Signature request”: the text; direction controls taken out or shown",
    "the text in ASCII, else as hex",
  ],
  "CoW Protocol order": [SIGNATURE, ALL],
  "1inch limit order": [SIGNATURE, "From, Send, Receive minimum, To"],
  "Votes of ENS": [SIGNATURE, ALL],
  "Aave credit delegation": [SIGNATURE, ALL],
  "Snapshot vote": [SIGNATURE, ALL],
  "The example of EIP-712": [SIGNATURE, ALL],
  "Transaction: ether": ["“Transfer request”: recipient, amount, fee", "Amount, To, Max fees"],
  "Transaction: USDC": ["“Transfer request”: recipient, amount, fee", "Amount, To, Max fees"],
  "Transaction: allowance without limit": [
    "“Spending cap request”: spender, “Unlimited”",
    "Amount “Unlimited USDC”, To, Max fees",
  ],
  "Transaction: token that is not known here": [TRANSACTION, BLIND],
  "Transaction: a whole collection": [
    "“Withdrawal request”: spender, “All”",
    "Collection, Spender, for NFTs that it knows",
  ],
  "Transaction: several items (ERC-1155)": [TRANSACTION, BLIND],
  "Transaction: Aave loan": [TRANSACTION, "Amount to borrow, Interest Rate mode, Debtor"],
  "Transaction: several calls of Multicall3": [TRANSACTION, BLIND],
  "Transaction: another owner of a contract": [TRANSACTION, BLIND],
  "Transaction: a function that is not known": [TRANSACTION, BLIND],
  "Transaction: a new contract": ["“Deploy a contract”", BLIND],
  "Authorization of a known delegate (EIP-7702)": [
    "sites cannot ask: its own delegate alone",
    "only delegates that it lists, by name",
  ],
  "Authorization of an unknown delegate (EIP-7702)": ["sites cannot ask: its own delegate alone", "refused"],
  "Raw bytes that are a transaction": ["refused (eth_sign is gone)", "refused"],
};
