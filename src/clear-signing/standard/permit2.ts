import { PERMIT2 } from "../registry/contracts.ts";
import { type Place, placeOf, type PlainDomain } from "../typed-document.ts";

export interface TokenPermissions {
  readonly token: string;
  readonly amount: string;
}

/**
 * Returns the place of a Permit2 domain: only its name, a chain and its one address. ZKsync has another address scheme
 * and its Permit2 elsewhere.
 */
export function permit2Place(domain: PlainDomain): Place | undefined {
  const place = placeOf(domain);
  if (place === undefined || place.contract !== PERMIT2 || place.chainId === "324") return undefined;
  return domain.name === "Permit2" && domain.version === undefined ? place : undefined;
}
