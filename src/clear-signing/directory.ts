import { CONTRACTS, type KnownContract } from "./registry/contracts.ts";
import type { Descriptor } from "./descriptor/descriptor.ts";
import { type Token, TOKENS } from "./registry/tokens.ts";

/** What this service knows of what stands on chains, without asking any. */
export interface Directory {
  /** By chain and address: `1:0x…`. */
  readonly tokens: ReadonlyMap<string, Token>;
  /** By address. */
  readonly contracts: ReadonlyMap<string, readonly KnownContract[]>;
  /** By chain and address of the contracts that they are for. */
  readonly descriptors: ReadonlyMap<string, readonly Descriptor[]>;
}

/**
 * The built-in lists with tokens and descriptors of a configuration, which go before. Of two tokens at one address the
 * later one counts.
 */
export function createDirectory(
  tokens: readonly Token[],
  descriptors: readonly Descriptor[],
): Directory {
  const described = descriptors.flatMap((descriptor) =>
    descriptor.deployments.map(({ chainId, address }) => [placeKey(chainId, address), descriptor] as const)
  );
  return {
    tokens: new Map([...TOKENS, ...tokens].map((token) => [placeKey(token.chainId, token.address), token])),
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

/** The token at that address with its checksum, undefined where it is not known here. */
export function findToken(directory: Directory, chainId: string | null, address: string): Token | undefined {
  return chainId === null ? undefined : directory.tokens.get(placeKey(chainId, address));
}

/** The known contract at that address; without a chain only one that is the same on all of them. */
export function findContract(
  directory: Directory,
  chainId: string | null,
  address: string,
): KnownContract | undefined {
  return directory.contracts.get(address)?.find(({ chains }) =>
    chains === "any" || (chainId !== null && chains.includes(chainId))
  );
}

/** The descriptors that are for the contract. */
export function findDescriptors(
  directory: Directory,
  chainId: string,
  address: string,
): readonly Descriptor[] {
  return directory.descriptors.get(placeKey(chainId, address)) ?? [];
}

/** Whether anything at all is known here of the contract: as one by name, as a token, or by a descriptor. */
export function isKnown(directory: Directory, chainId: string | null, address: string): boolean {
  return findContract(directory, chainId, address) !== undefined ||
    findToken(directory, chainId, address) !== undefined ||
    (chainId !== null && findDescriptors(directory, chainId, address).length > 0);
}
