import { readable } from "../../lib/readable-text.ts";
import type { CallContext, Inner } from "../call.ts";
import { type Localizable, localizable } from "../format-message.ts";
import type { Effect, IntentField, IntentWarning } from "../intent.ts";
import type { Party } from "../party.ts";
import { type IntentContext, listText, partyAt, quotable, warning } from "../parties.ts";
import type { DescribedFormat, Descriptor, Template } from "./descriptor.ts";
import { type DescribedField, type DescribedValue, leavesOf } from "./field.ts";

import { type Found, itemsOf, valuesAt } from "./path.ts";
import type { Derived } from "./apply-roles.ts";
import { CONTAINER, type Described } from "./source.ts";
import { type DescriptorText, plainText } from "./text.ts";
import { isOneOf } from "./value.ts";
import { writeValue, type Written } from "./write-value.ts";

export interface DescribedTexts {
  readonly text: Localizable;
  readonly fields: readonly IntentField[];
  /** Those of the roles and of the calls inside. */
  readonly effects: readonly Effect[];
  /** True if the roles are known, and the effects of all calls inside. */
  readonly effectsComplete: boolean;
  readonly warnings: readonly IntentWarning[];
}

/** A value to show, with the fields of the call that it contains. */
interface Item {
  readonly field: IntentField;
  readonly inner: readonly IntentField[];
}

/** The values of a field: a text for the sentence, and for each value the item to show, if it is visible. */
interface WrittenField {
  readonly text: Localizable;
  readonly items: readonly (readonly Item[])[];
  readonly inner: readonly Inner[];
  readonly warnings: readonly IntentWarning[];
}

type Values = ReadonlyMap<DescribedValue, WrittenField>;

/**
 * Renders the descriptor, with the effects and warnings of its roles. Returns undefined if a required value is missing,
 * or a value is not as it must be.
 */
export function describe(
  { intent, template, fields }: DescribedFormat,
  described: Described,
  context: CallContext,
  derived: Derived | undefined,
): DescribedTexts | undefined {
  const leaves = leavesOf(fields);
  const values = new Map<DescribedValue, WrittenField>();
  for (const leaf of leaves) {
    const written = writeField(leaf, described, context);
    if (written === undefined) return undefined;
    values.set(leaf, written);
  }
  const shown = arrange(fields, values, "sequential")?.flat();
  if (shown === undefined) return undefined;
  const filled = (parts: Template): Localizable =>
    localizable("joined", {
      parts: parts.map((part) => typeof part === "string" ? readable(part) : values.get(leaves[part]!)!.text),
    });
  const text = template === undefined
    ? localizable("summary", {
      intent: plainText(intent),
      values: summaryOf(shown),
    })
    : localizable("each", { en: filled(template.en), de: filled(template.de) });
  const written = [...values.values()];
  const inner = written.flatMap(({ inner }) => inner);
  return {
    text,
    fields: shown.flatMap(({ field, inner }) => [field, ...inner]),
    effects: [...derived?.effects ?? [], ...inner.flatMap(({ effects }) => effects)],
    effectsComplete: derived?.effectsComplete === true &&
      inner.every(({ effectsComplete }) => effectsComplete),
    warnings: [
      // The roles say without limit better than the author's text.
      ...(derived?.warnings ?? written.flatMap(({ warnings }) => warnings)),
      ...inner.flatMap(({ warnings }) => warnings),
    ],
  };
}

/** The most values in a sentence without placeholders. */
const MOST_VALUES = 20;

/** Formats the first values with their labels. The text of an inner call has its fields already. */
function summaryOf(shown: readonly Item[]): readonly Localizable[] {
  const values = shown.slice(0, MOST_VALUES).map(({ field: { label, value } }) =>
    localizable("labelled", { label, value })
  );
  const more = shown.length - values.length;
  return more === 0 ? values : [...values, localizable("list", { parts: [], more })];
}

/** Arranges the fields of a group by item. Returns undefined if the arrays of a bundle differ in length. */
function arrange(
  fields: readonly DescribedField[],
  values: Values,
  iteration: "sequential" | "bundled",
): readonly (readonly Item[])[] | undefined {
  const rows: (readonly (readonly Item[])[])[] = [];
  for (const field of fields) {
    const row = "fields" in field ? arrange(field.fields, values, field.iteration) : values.get(field)!.items;
    if (row === undefined) return undefined;
    const { label } = field;
    rows.push(
      "fields" in field && label !== undefined
        ? row.map((item) => item.map((one) => under(label, one)))
        : row,
    );
  }
  if (iteration === "sequential") return rows.flat();
  const [first = []] = rows;
  return rows.every(({ length }) => length === first.length)
    ? first.map((_, index) => rows.flatMap((row) => row[index]!))
    : undefined;
}

/** Adds the label of a group, or the separator of an item. */
function under(label: DescriptorText, { field, inner }: Item): Item {
  const labelled = localizable("labelled", { label: plainText(label), value: field.label });
  return { field: { ...field, label: labelled }, inner };
}

function writeField(
  field: DescribedValue,
  described: Described,
  context: CallContext,
): WrittenField | undefined {
  const { label, visible, as, separator } = field;
  const found = findValues(field, described);
  if (found === undefined) return undefined;
  if (visible !== "always" && "mustMatch" in visible) {
    const isMatch = found.every((one) => isOneOf(one, visible.mustMatch));
    return isMatch ? { text: "", items: [], inner: [], warnings: [] } : undefined;
  }
  const written: (Written & { readonly raw: string; readonly isShown: boolean })[] = [];
  for (const one of found) {
    const text = writeValue(one, as, { described, context, indexes: one.indexes });
    if (text === undefined) return undefined;
    const isShown = visible === "always" || !isOneOf(one, visible.ifNotIn);
    written.push({ ...text, raw: String(one.value), isShown });
  }
  const items = written.map(({ text, raw, inner, isShown }, index): readonly Item[] => {
    const item = {
      field: { label: plainText(label), format: as.shown, value: text, raw },
      inner: inner?.fields ?? [],
    };
    if (!isShown) return [];
    return [separator === undefined ? item : under(numberedText(separator, index), item)];
  });
  const texts = written.map(({ text }) => text);
  return {
    text: texts.length === 0
      ? localizable("nothing")
      : texts.length > MOST_VALUES
      ? listText(texts)
      : localizable("several", { parts: texts }),
    items,
    inner: written.flatMap(({ inner }) => inner ?? []),
    warnings: written.filter(({ isUnlimited }) => isUnlimited).map(({ text }) =>
      warning("unlimited_allowance", localizable("labelled", { label: plainText(label), value: text }))
    ),
  };
}

/** Returns the values of a field. Undefined if an array or a value is too short for the path. */
function findValues({ from }: DescribedValue, described: Described): readonly Found[] | undefined {
  if ("value" in from) return [{ ...from, indexes: [] }];
  const found = from.root === "@"
    ? valuesAt(CONTAINER, described.container, from.steps)
    : valuesAt(described.parameters, described.struct, from.steps);
  return found?.flatMap(leafItems);
}

function leafItems(found: Found): readonly Found[] {
  return found.type.kind === "array" ? itemsOf(found).flatMap(leafItems) : [found];
}

function numberedText({ en, de }: DescriptorText, index: number): DescriptorText {
  const numbered = (text: string): string => text.replaceAll("{index}", String(index));
  return { en: numbered(en), de: numbered(de) };
}

/** Returns the described contract. The service's own name for it has priority over the author's. */
export function contractParty(
  context: IntentContext,
  { owner }: Descriptor,
  chainId: string,
  address: string,
): Party {
  const party = partyAt(context, chainId, address);
  return party.is === "unnamed" && owner !== undefined
    ? { is: "known", address, name: quotable(owner) }
    : party;
}
