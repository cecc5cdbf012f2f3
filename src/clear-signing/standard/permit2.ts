import { type Localizable, localizable } from "../format-message.ts";
import { dateText } from "../parties.ts";
import { PERMIT2 } from "../registry/contracts.ts";
import { type DomainContract, domainContract, type PlainDomain } from "../typed-document.ts";

export interface TokenPermissions {
  readonly token: string;
  readonly amount: string;
}

/**
 * Returns the contract of a Permit2 domain: only its name, a chain and its one address. Permit2 of ZKsync has another
 * address, because its address scheme differs.
 */
export function permit2Contract(domain: PlainDomain): DomainContract | undefined {
  const found = domainContract(domain);
  if (found === undefined || found.contract !== PERMIT2 || found.chainId === "324") return undefined;
  return domain.name === "Permit2" && domain.version === undefined ? found : undefined;
}

/** Formats an expiration. 0 means the block in which the permit is used (Allowance.sol). */
export function permit2UntilText(expiration: string): Localizable {
  return expiration === "0"
    ? localizable("inOneBlock")
    : localizable("untilDateTime", { at: dateText(BigInt(expiration)) });
}
