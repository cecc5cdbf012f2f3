import { didYouMean, isObject, quote } from "../json-reading.ts";
import { type Reading, refuse, refuseAt } from "./typed-data-reading.ts";
import { type AtomicType, type Field, structOf, type StructType } from "./typed-data-types.ts";

export const DOMAIN_TYPE = "EIP712Domain";

/** Every member of a domain, in the order of EIP-712 ("Definition of domainSeparator"). */
const MEMBERS: Readonly<Record<string, AtomicType>> = {
  name: { kind: "string", text: "string", size: 0 },
  version: { kind: "string", text: "string", size: 0 },
  chainId: { kind: "uint", text: "uint256", size: 256 },
  verifyingContract: { kind: "address", text: "address", size: 0 },
  salt: { kind: "fixed-bytes", text: "bytes32", size: 32 },
};

/**
 * Returns the struct of the domain. A declared EIP712Domain keeps its field order; each field must be one of the EIP's
 * with the EIP's type. Without one, the domain's members are taken in the EIP's order. Does not check their values.
 */
export function domainType(
  reading: Reading,
  types: ReadonlyMap<string, StructType>,
  domain: unknown,
): StructType {
  const declared = types.get(DOMAIN_TYPE);
  if (declared !== undefined) checkDeclared(reading, declared);
  reading.segments.push("domain");
  if (!isObject(domain)) refuse(reading, "Expected an object");
  for (const name of Object.keys(domain)) {
    if (!Object.hasOwn(MEMBERS, name)) {
      const hint = didYouMean(name, Object.keys(MEMBERS));
      refuseAt(reading, name, `Unknown domain member ${quote(name)}${hint}`);
    }
    if (declared !== undefined && !declared.fieldNames.includes(name)) {
      refuse(reading, `Unsigned domain member "${name}": ${DOMAIN_TYPE} in types does not list it`, name);
    }
  }
  reading.segments.pop();
  return declared ?? structOf(DOMAIN_TYPE, presentFields(domain));
}

function presentFields(domain: Readonly<Record<string, unknown>>): readonly Field[] {
  return Object.entries(MEMBERS).flatMap(([name, type]) =>
    Object.hasOwn(domain, name) ? [{ name, type }] : []
  );
}

function checkDeclared(reading: Reading, declared: StructType): void {
  for (const [index, { name, type }] of declared.fields.entries()) {
    if (!Object.hasOwn(MEMBERS, name)) {
      const hint = didYouMean(name, Object.keys(MEMBERS));
      refuse(reading, `Unknown domain member ${quote(name)}${hint}`, "types", DOMAIN_TYPE, index, "name");
    }
    const expected = MEMBERS[name]!.text;
    if (type.text !== expected) {
      refuse(reading, `Wrong type: ${name} of a domain is ${expected}`, "types", DOMAIN_TYPE, index, "type");
    }
  }
}
