import { localizable } from "../format-message.ts";
import type { Descriptor } from "./descriptor.ts";
import { plainText } from "./text.ts";
import { applyRoles, findRoles } from "./apply-roles.ts";
import { contractParty, describe } from "./render.ts";
import type { CallContext } from "../call.ts";
import { findDescriptors } from "../directory.ts";
import type { Intent } from "../intent.ts";
import { readMembers } from "../roles.ts";
import { domainContract, type TypedDocument } from "../typed-document.ts";
import { chainText, holderOf } from "../parties.ts";

/** Describes typed data with a descriptor of the domain's contract. Returns undefined if none matches exactly. */
export function readDescribedDocument(document: TypedDocument, context: CallContext): Intent | undefined {
  const found = domainContract(document.domain);
  if (found === undefined || document.absent.size > 0) return undefined;
  const { chainId, contract } = found;
  const descriptors = findDescriptors(context.directory, chainId, contract).filter((one) =>
    isFor(one, document)
  );
  const [descriptor] = descriptors;
  const format = descriptor?.formats.get(document.encodeType);
  if (descriptor === undefined || format === undefined) return undefined;
  const container = { from: holderOf(context), to: contract, value: "0", chainId };
  const { parameters } = format;
  const place = { chainId, contract, parameters, struct: document.message, container };
  const roles = findRoles(descriptors.map(({ formats }) => formats.get(document.encodeType)))?.roles;
  const derived = roles && applyRoles(roles, place, context, "document");
  const described = describe(format, place, context, derived);
  if (described === undefined) return undefined;
  const { fields, warnings } = readMembers(context, chainId, [
    ...described.fields,
    ...described.warnings,
    ["chain", chainId],
  ]);
  return {
    kind: "described",
    recognisedBy: localizable("byDescriptor", { name: plainText(descriptor.name) }),
    sentence: localizable("describedDocument", {
      sentence: described.text,
      contract: contractParty(context, descriptor, chainId, contract),
      chain: chainText(chainId),
    }),
    chainId,
    contract,
    fields,
    effects: described.effects,
    effectsComplete: described.effectsComplete,
    warnings,
  };
}

/** Checks the constraints other than chain and contract, which the directory has checked. */
function isFor({ context, domain, domainSeparator, formats }: Descriptor, document: TypedDocument): boolean {
  const members = document.domain as Readonly<Record<string, string>>;
  return context === "eip712" && formats.has(document.encodeType) &&
    (domainSeparator === undefined || domainSeparator === document.domainSeparator) &&
    Object.entries(domain).every(([name, value]) => Object.hasOwn(members, name) && members[name] === value);
}
