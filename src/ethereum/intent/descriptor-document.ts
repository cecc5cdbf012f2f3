import type { Descriptor } from "./descriptor.ts";
import { describe } from "./descriptor-words.ts";
import { chainName, findDescriptors } from "./directory.ts";
import type { Intent } from "./intent.ts";
import { placeOf, type TypedDocument } from "./typed-document.ts";
import { addressWords, chainField, chainWarnings, type IntentContext } from "./words.ts";

/** What a descriptor for the contract of the domain says of the document; undefined where none fits it exactly. */
export function readDescribedDocument(document: TypedDocument, context: IntentContext): Intent | undefined {
  const place = placeOf(document.domain);
  if (place === undefined) return undefined;
  const { chainId, contract } = place;
  const descriptor = findDescriptors(context.directory, chainId, contract).find((one) =>
    isFor(one, document)
  );
  const format = descriptor?.formats.get(document.encodeType);
  if (descriptor === undefined || format === undefined) return undefined;
  const container = { from: context.signer, to: contract, value: "0", chainId };
  const said = describe(format, { chainId, contract, struct: document.message, container }, context);
  if (said === undefined) return undefined;
  return {
    kind: "described",
    recognisedBy: `ERC-7730: ${descriptor.name}`,
    sentence: `${said.words}. For ${addressWords(context, chainId, contract)} on ${chainName(chainId)}.`,
    chainId,
    contract,
    fields: [...said.fields, chainField(chainId)],
    effects: [],
    warnings: [...said.warnings, ...chainWarnings(chainId)],
  };
}

/** The constraints of the context besides chain and contract, which the directory has looked at. */
function isFor({ context, domain, domainSeparator, formats }: Descriptor, document: TypedDocument): boolean {
  const members = document.domain as Readonly<Record<string, string>>;
  return context === "eip712" && formats.has(document.encodeType) &&
    (domainSeparator === undefined || domainSeparator === document.domainSeparator) &&
    Object.entries(domain).every(([name, value]) => Object.hasOwn(members, name) && members[name] === value);
}
