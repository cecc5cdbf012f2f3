import { fromBase64url } from "../../lib/bytes.ts";
import { localizable, localize } from "../format-message.ts";
import type { IntentField, IntentWarning } from "../intent.ts";
import { quotable, textField, warning } from "../parties.ts";

const PREFIX = "urn:recap:";
/** A longer list would not be read. */
const MOST_SHOWN = 20;

interface Capability {
  readonly resource: string;
  readonly abilities: readonly string[];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a ReCap URI (EIP-5573). Returns undefined unless it matches exactly. */
function readCapabilities(resource: string): readonly Capability[] | undefined {
  const bytes = fromBase64url(resource.slice(PREFIX.length));
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!isObject(value) || !isObject(value["att"])) return undefined;
    const all = Object.entries(value["att"]).map(([resource, abilities]) =>
      isObject(abilities) ? { resource, abilities: Object.keys(abilities) } : undefined
    );
    return all.includes(undefined) ? undefined : all as Capability[];
  } catch {
    return undefined;
  }
}

/** Formats a capability as one quoted text, which is cut as a whole. */
function capabilityField({ resource, abilities }: Capability): IntentField {
  const said = localizable("abilitiesAt", { abilities: abilities.join(", "), resource });
  const [en, de] = [localize(said, "en"), localize(said, "de")];
  return textField(
    "letsOwner",
    en,
    localizable("quote", { text: localizable("each", { en: quotable(en), de: quotable(de) }) }),
  );
}

/** Returns the capabilities that a sign-in delegates by its resources (EIP-5573). Empty if none is a ReCap. */
export function recapOf(resources: readonly string[]): readonly (IntentField | IntentWarning)[] {
  return resources.filter((resource) => resource.toLowerCase().startsWith(PREFIX)).flatMap((resource) => {
    const capabilities = readCapabilities(resource);
    return capabilities !== undefined && capabilities.length <= MOST_SHOWN
      ? [...capabilities.map(capabilityField), warning("capabilities", localizable("listedCapabilities"))]
      : [warning("capabilities", localizable("unreadCapabilities"))];
  });
}
