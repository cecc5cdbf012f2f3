export interface Chain {
  readonly name: string;
  /** The native currency. It always has 18 decimals. */
  readonly currency: string;
  /** True if the chain charges a fee for data besides gas, which a transaction does not bound (OP Stack). */
  readonly isOpStack?: true;
}

/** The known chains by EIP-155 identifier. */
export const CHAINS: Readonly<Record<string, Chain>> = {
  "1": { name: "Ethereum", currency: "ETH" },
  "10": { name: "OP Mainnet", currency: "ETH", isOpStack: true },
  "56": { name: "BNB Smart Chain", currency: "BNB" },
  "100": { name: "Gnosis", currency: "XDAI" },
  "130": { name: "Unichain", currency: "ETH", isOpStack: true },
  "137": { name: "Polygon", currency: "POL" },
  "324": { name: "ZKsync Era", currency: "ETH" },
  "480": { name: "World Chain", currency: "ETH", isOpStack: true },
  "8453": { name: "Base", currency: "ETH", isOpStack: true },
  "42161": { name: "Arbitrum One", currency: "ETH" },
  "42220": { name: "Celo", currency: "CELO" },
  "43114": { name: "Avalanche", currency: "AVAX" },
  "59144": { name: "Linea Mainnet", currency: "ETH" },
  "81457": { name: "Blast", currency: "ETH", isOpStack: true },
  "84532": { name: "Base Sepolia", currency: "ETH", isOpStack: true },
  "421614": { name: "Arbitrum Sepolia", currency: "ETH" },
  "534352": { name: "Scroll", currency: "ETH" },
  "560048": { name: "Hoodi", currency: "ETH" },
  "11155111": { name: "Sepolia", currency: "ETH" },
  "11155420": { name: "OP Sepolia", currency: "ETH", isOpStack: true },
};

export function findChain(chainId: string): Chain | undefined {
  return Object.hasOwn(CHAINS, chainId) ? CHAINS[chainId] : undefined;
}
