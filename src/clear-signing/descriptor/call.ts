import { localizable } from "../format-message.ts";
import { decodeArguments } from "../abi.ts";
import { type Call, type CallContext, type CalledFor, withRest } from "../call.ts";
import { plainText } from "./text.ts";
import { applyRoles, type Derived, findRoles } from "./apply-roles.ts";
import type { Descriptor } from "./descriptor.ts";
import { contractParty, describe } from "./render.ts";
import type { Described } from "./source.ts";
import { findDescriptors } from "../directory.ts";
import { addressField, amountField, chainText, nativeText } from "../parties.ts";

/** Describes a call with a descriptor of the contract. Returns undefined if none matches exactly. */
export function describeCallByDescriptor(call: Call, context: CallContext): CalledFor | undefined {
  const { chainId, caller, to, value, data } = call;
  const selector = data.slice(0, 10);
  const descriptors = findDescriptors(context.directory, chainId, to).filter(({ context }) =>
    context === "contract"
  );
  const descriptor = descriptors.find(({ formats }) => formats.has(selector));
  const format = descriptor?.formats.get(selector);
  const decoded = format?.called && decodeArguments(format.called, data);
  if (descriptor === undefined || format === undefined || decoded === undefined) return undefined;
  const container = { from: caller, to, value: value.toString(), chainId };
  const { parameters } = format;
  const place = { chainId, contract: to, parameters, struct: decoded.given, container };
  const derived = readCallRoles(descriptors, data, place, context);
  // A value that is not as the roles need it has another meaning than the words say.
  if (format.roles !== undefined && derived === undefined) return undefined;
  const described = describe(format, place, context, derived);
  if (described === undefined) return undefined;
  const text = nativeText(chainId, value);
  return withRest({
    kind: "described",
    recognisedBy: localizable("byDescriptor", { name: plainText(descriptor.name) }),
    text: localizable("describedCall", {
      sentence: described.text,
      contract: contractParty(context, descriptor, chainId, to),
      chain: chainText(chainId),
      amount: text,
    }),
    fields: [
      ...described.fields,
      addressField(context, "contract", chainId, to),
      amountField("sentAlong", text, value),
    ],
    effects: described.effects,
    effectsComplete: described.effectsComplete,
    warnings: described.warnings,
  }, decoded.rest);
}

/** Reads the roles by the names of their own descriptor. */
function readCallRoles(
  descriptors: readonly Descriptor[],
  data: string,
  place: Described,
  context: CallContext,
): Derived | undefined {
  const selector = data.slice(0, 10);
  const found = findRoles([
    ...descriptors.map(({ formats }) => formats.get(selector)),
    context.directory.interfaces.get(selector),
  ]);
  const decoded = found?.called && decodeArguments(found.called, data);
  if (found === undefined || decoded === undefined) return undefined;
  const { parameters, roles } = found;
  return applyRoles(roles, { ...place, parameters, struct: decoded.given }, context, "call");
}
