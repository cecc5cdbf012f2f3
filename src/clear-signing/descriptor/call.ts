import { localizable } from "../format-message.ts";
import { decodeArguments } from "../abi.ts";
import { type Call, type CalledFor, withRest } from "../call.ts";
import { plainText } from "./text.ts";
import { describe } from "./render.ts";
import { findDescriptors } from "../directory.ts";
import { addressField, amountField, chainText, type IntentContext, nativeText, partyAt } from "../parties.ts";

/** Describes a call with a descriptor of the contract. Returns undefined if none matches exactly. */
export function describeCallByDescriptor(call: Call, context: IntentContext): CalledFor | undefined {
  const { chainId, caller, to, value, data } = call;
  const selector = data.slice(0, 10);
  const descriptor = findDescriptors(context.directory, chainId, to).find((one) =>
    one.context === "contract" && one.formats.has(selector)
  );
  const format = descriptor?.formats.get(selector);
  const decoded = format?.called && decodeArguments(format.called, data);
  if (descriptor === undefined || format === undefined || decoded === undefined) return undefined;
  const container = { from: caller, to, value: value.toString(), chainId };
  const described = describe(format, { chainId, contract: to, struct: decoded.given, container }, context);
  if (described === undefined) return undefined;
  const text = nativeText(chainId, value);
  return withRest({
    kind: "described",
    recognisedBy: localizable("byDescriptor", { name: plainText(descriptor.name) }),
    text: localizable("describedCall", {
      sentence: described.text,
      contract: partyAt(context, chainId, to),
      chain: chainText(chainId),
      amount: text,
    }),
    fields: [
      ...described.fields,
      addressField(context, "contract", chainId, to),
      amountField("sentAlong", text, value),
    ],
    effects: [],
    effectsComplete: false,
    warnings: described.warnings,
  }, decoded.rest);
}
