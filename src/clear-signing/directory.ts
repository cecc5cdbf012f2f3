import { type ContractRole, CONTRACTS, type KnownContract } from "./registry/contracts.ts";
import type { DescribedFormat, Descriptor } from "./descriptor/descriptor.ts";
import { findListedToken } from "./registry/listed-tokens.ts";
import { type Token, TOKENS } from "./registry/tokens.ts";

/** The tokens, contracts and descriptors that the service knows. It queries no chain. */
export interface Directory {
  /** The tokens with priority over the list, by chain and address: `1:0x…`. */
  readonly tokens: ReadonlyMap<string, Token>;
  readonly findListedToken: (chainId: string, address: string) => Token | undefined;
  /** By address. */
  readonly contracts: ReadonlyMap<string, readonly KnownContract[]>;
  /** By chain and address of the contracts that they describe. */
  readonly descriptors: ReadonlyMap<string, readonly Descriptor[]>;
  /** The functions of common interfaces by selector, with the roles of their arguments. */
  readonly interfaces: ReadonlyMap<string, DescribedFormat>;
}

/** Adds configured tokens, and those that descriptors are for, to the built-in lists. Configured ones have priority. */
export function createDirectory(
  tokens: readonly Token[],
  descriptors: readonly Descriptor[],
  interfaces: Directory["interfaces"] = new Map(),
): Directory {
  const described = descriptors.flatMap((descriptor) =>
    descriptor.deployments.map(({ chainId, address }) => [placeKey(chainId, address), descriptor] as const)
  );
  const ofDescriptors = descriptors.flatMap(({ token, deployments }) =>
    token === undefined ? [] : deployments.map((deployment): Token => ({ ...deployment, ...token }))
  );
  return {
    tokens: new Map(
      [...ofDescriptors, ...TOKENS, ...tokens].map((
        token,
      ) => [placeKey(token.chainId, token.address), token]),
    ),
    findListedToken,
    interfaces,
    contracts: Map.groupBy(CONTRACTS, ({ address }) => address),
    descriptors: new Map(
      [...Map.groupBy(described, ([place]) => place)].map((
        [place, pairs],
      ) => [place, pairs.map(([, descriptor]) => descriptor)]),
    ),
  };
}

function placeKey(chainId: string, address: string): string {
  return `${chainId}:${address}`;
}

/** Finds a token by its address with checksum. */
export function findToken(directory: Directory, chainId: string | null, address: string): Token | undefined {
  return chainId === null
    ? undefined
    : directory.tokens.get(placeKey(chainId, address)) ?? directory.findListedToken(chainId, address);
}

/** Finds a known contract. Without a chain, finds only one that has the same address on every chain. */
export function findContract(
  directory: Directory,
  chainId: string | null,
  address: string,
): KnownContract | undefined {
  return directory.contracts.get(address)?.find(({ chains }) =>
    chains === "any" || (chainId !== null && chains.includes(chainId))
  );
}

export function findDescriptors(
  directory: Directory,
  chainId: string,
  address: string,
): readonly Descriptor[] {
  return directory.descriptors.get(placeKey(chainId, address)) ?? [];
}

/** Returns true if the contract is known by name, as a token, or by a descriptor. */
export function isKnown(directory: Directory, chainId: string | null, address: string): boolean {
  return findContract(directory, chainId, address) !== undefined ||
    findToken(directory, chainId, address) !== undefined ||
    (chainId !== null && findDescriptors(directory, chainId, address).length > 0);
}

export function hasRole(
  directory: Directory,
  chainId: string | null,
  address: string,
  role: ContractRole,
): boolean {
  return findContract(directory, chainId, address)?.roles.includes(role) === true;
}

const POWERS: readonly ContractRole[] = [
  "spender",
  "exchange",
  "entry_point",
  "executor",
  "universal_router",
  "safe_module",
  "token",
];

/** Returns true for tokens and for contracts that move assets of others by a signature or a command. */
export function movesAssets(directory: Directory, chainId: string | null, address: string): boolean {
  return findToken(directory, chainId, address) !== undefined ||
    POWERS.some((role) => hasRole(directory, chainId, address, role));
}
