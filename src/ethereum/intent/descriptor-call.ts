import { decodeCall } from "./abi.ts";
import type { Call, CalledFor } from "./call.ts";
import { describe } from "./descriptor-words.ts";
import { chainName, findDescriptors } from "./directory.ts";
import { addressField, addressWords, amountField, type IntentContext, nativeWords } from "./words.ts";

/** What a descriptor for the contract says of the call; undefined where none fits it exactly. */
export function describeCallByDescriptor(call: Call, context: IntentContext): CalledFor | undefined {
  const { chainId, caller, to, value, data } = call;
  const selector = data.slice(0, 10);
  const descriptor = findDescriptors(context.directory, chainId, to).find((one) =>
    one.context === "contract" && one.formats.has(selector)
  );
  const format = descriptor?.formats.get(selector);
  const struct = format?.called && decodeCall(format.called, data);
  if (descriptor === undefined || format === undefined || struct === undefined) return undefined;
  const container = { from: caller, to, value: value.toString(), chainId };
  const said = describe(format, { chainId, contract: to, struct, container }, context);
  if (said === undefined) return undefined;
  const words = nativeWords(chainId, value);
  return {
    kind: "described",
    recognisedBy: `ERC-7730: ${descriptor.name}`,
    words: `${said.words}. By ${addressWords(context, chainId, to)} on ${chainName(chainId)}, with ${words}`,
    fields: [
      ...said.fields,
      addressField(context, "Contract", chainId, to),
      amountField("Sent along", words, value),
    ],
    effects: [],
    warnings: said.warnings,
  };
}
