import type { QuoteEvidence, SealSlotClaim } from "./evidence.ts";
import { CheckFault, NotChecked } from "./fault.ts";
import { readJson, readList, readObject, readText } from "./json.ts";
import type { ParsedEvidence } from "./parsed-evidence.ts";

/** Formats a slot as `SOURCE:KEYID`. */
function formatSlot({ source, keyId }: SealSlotClaim): string {
  return `${source}:${keyId}`;
}

function readSlot(value: unknown, at: string): SealSlotClaim {
  const { source, keyId } = readObject(value, at);
  return { source: readText(source, `${at}.source`), keyId: readText(keyId, `${at}.keyId`) };
}

/** Returns the slots in the claims. Throws `CheckFault` if the claims do not name them. */
export function readClaimedSlots({ claims }: Pick<QuoteEvidence, "claims">): readonly SealSlotClaim[] {
  if (claims === undefined) throw new NotChecked("There are no claims");
  return readJson(
    new TextDecoder().decode(claims),
    (value) => {
      const { slots } = readObject(value, "the text");
      if (slots === undefined) throw new CheckFault("The claims are of a version without slots");
      return readList(readSlot, slots, "slots");
    },
    (message) => new CheckFault(`The claims cannot be read: ${message}`),
  );
}

function listOf(slots: readonly SealSlotClaim[]): string {
  return slots.map(formatSlot).toSorted().join(", ");
}

/** Passes if the claims name exactly the expected slots, in any order. */
export function checkSlots(_: ParsedEvidence, evidence: QuoteEvidence): string {
  const found = listOf(readClaimedSlots(evidence));
  if (found !== listOf(evidence.expectations.slots!)) {
    throw new CheckFault(`The seed has other slots than expected: ${found}`);
  }
  return "As expected";
}
