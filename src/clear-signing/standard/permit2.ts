import { PERMIT2 } from "../registry/contracts.ts";
import { type Place, placeOf, type PlainDomain } from "../typed-document.ts";

/** A permit of one token in Permit2's own terms. */
export interface TokenPermissions {
  readonly token: string;
  readonly amount: string;
}

/**
 * The chain of a Permit2 domain: its name, its chain and the one address at which it stands, and nothing else. ZKsync
 * makes addresses in another way and has its Permit2 elsewhere.
 */
export function permit2Place(domain: PlainDomain): Place | undefined {
  const place = placeOf(domain);
  if (place === undefined || place.contract !== PERMIT2 || place.chainId === "324") return undefined;
  return domain.name === "Permit2" && domain.version === undefined ? place : undefined;
}
