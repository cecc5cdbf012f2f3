import { LANGUAGES } from "../../../lib/language.ts";
import { descriptorTextsIn } from "../../messages.ts";
import type { Json } from "../source.ts";

/** The texts are in the catalogues, so that built-in descriptors are available in every language. */
export const TEXT = descriptorTextsIn("en");

export const ZERO = "0x0000000000000000000000000000000000000000";

/** The address that several protocols write for the native currency. */
export const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/** A date in seconds. */
export const DATE = { encoding: "timestamp" };

export type Deployment = readonly [chains: readonly number[], address: string];

/** Returns a field: `label` is a text of the catalogue. */
export function field(path: string, label: string, format = "raw", params?: Json): Json {
  return { path, label, format, ...(params === undefined ? {} : { params }) };
}

/** Returns the field of an amount. `token` is a path, or an address. */
export function amount(path: string, token: string, label: string = TEXT.amount): Json {
  const params = token.startsWith("0x") ? { token } : { tokenPath: token };
  return field(path, label, "tokenAmount", params);
}

export function party(path: string, label: string, params?: Json): Json {
  return field(path, label, "addressName", params);
}

/** Returns the field of a truth value, as yes or no. */
export function flag(path: string): Json {
  return field(path, TEXT.valid, "enum", { $ref: "$.metadata.enums.flag" });
}

/** The number of a field in a sentence of the catalogue: `{0}` for the first one. */
const PLACE = /\{(\d)\}/g;

/** Returns a format. The sentence is a text of the catalogues that names its fields by their numbers. */
export function act(sentence: keyof typeof TEXT, fields: readonly Json[], roles?: Json): Json {
  const filled = LANGUAGES.map((language) => [
    language,
    descriptorTextsIn(language)[sentence].replace(
      PLACE,
      (_, index: string) => `{${fields[Number(index)]!.path}}`,
    ),
  ]);
  return { interpolatedIntent: Object.fromEntries(filled), fields, roles };
}

/** Returns a descriptor of calls, or of typed data with these members in its domain. */
export function descriptor(
  bound: "contract" | Json,
  deployments: readonly Deployment[],
  formats: Json,
  enums: Json = {},
): Json {
  const at = deployments.flatMap(([chains, address]) => chains.map((chainId) => ({ chainId, address })));
  return {
    $schema: "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json",
    context: bound === "contract"
      ? { contract: { deployments: at } }
      : { eip712: { domain: bound, deployments: at } },
    metadata: { enums: { flag: { true: TEXT.yes, false: TEXT.no }, ...enums } },
    display: { formats },
  };
}
