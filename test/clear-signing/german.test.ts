import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CHAINS } from "../../src/clear-signing/registry/chains.ts";
import { CONTRACTS } from "../../src/clear-signing/registry/contracts.ts";
import { localizeIntent } from "../../src/clear-signing/intent.ts";
import type { Intent, LocalizedIntent } from "../../src/clear-signing/intent.ts";
import { TOKENS } from "../../src/clear-signing/registry/tokens.ts";
import { localize } from "../../src/clear-signing/format-message.ts";
import { intentMessagesIn } from "../../src/clear-signing/messages.ts";
import { TypedDataError } from "../../src/ethereum/typed-data/typed-data-reading.ts";
import { LANGUAGES } from "../../src/lib/language.ts";
import { CONTEXT, type Sample, SAMPLES } from "./documents.ts";
import { intentOf } from "./explain-sample.ts";
import { PAYLOADS } from "./payloads.ts";
import { FURTHER } from "./further-documents.ts";
import { perturb } from "./perturb.ts";

const MONTHS = [
  "Januar",
  "Februar",
  "März",
  "April",
  "Mai",
  "Juni",
  "Juli",
  "August",
  "September",
  "Oktober",
  "November",
  "Dezember",
];

const ENGLISH_TIME = /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g;
const GERMAN_TIME = /\b(\d{1,2})\. (\p{L}+) (\d{4}), (\d\d:\d\d:\d\d) UTC/gu;

/** The names of chains, contracts and tokens. Longer ones come first, because one can begin with another. */
const NAMES = new RegExp(
  `(?<!\\w)(?:${
    [
      ...Object.values(CHAINS).map(({ name }) => name),
      ...CONTRACTS.map(({ name }) => name),
      ...TOKENS.map(({ symbol }) => symbol),
    ].toSorted((one, other) => other.length - one.length).map(RegExp.escape).join("|")
  })(?!\\w)`,
  "g",
);

const UNITS = new Set([
  ...Object.values(CHAINS).map(({ currency }) => currency),
  ...TOKENS.map(({ symbol }) => symbol),
]);

/** Normalises a text for comparison with the other language: times as instants, equal quotation marks. */
function comparable(words: string): string {
  return words
    .replace(ENGLISH_TIME, (_, day: string, time: string) => `<${Date.parse(`${day}T${time}Z`)}>`)
    .replace(GERMAN_TIME, (_, day: string, month: string, year: string, time: string) => {
      const date = `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;
      return `<${Date.parse(`${date}T${time}Z`)}>`;
    })
    .replaceAll("„", "“").replaceAll("”", "“");
}

/** Returns the values that a text names, by kind and in order, so that a "from" and a "to" cannot change places. */
function namedIn(words: string): Readonly<Record<string, readonly string[]>> {
  const text = comparable(words);
  const bare = text.replace(/<-?\d+>/g, " ").replace(/0x[0-9a-fA-F]*/g, " ");
  return {
    times: text.match(/<-?\d+>/g) ?? [],
    hex: text.match(/0x[0-9a-fA-F]*/g) ?? [],
    // A word of the catalogue stands between a ReCap's abilities and its resource.
    quotes: (text.match(/“[^“]*“/g) ?? []).map((quote) => quote.replace(" bei http", " at http")),
    amounts: (bare.match(/\d[\d.]* [\w.₮]+/g) ?? []).map((one) => one.replace(/\.$/, ""))
      .filter((one) => UNITS.has(one.split(" ")[1]!)),
    numbers: (bare.match(/\d+(?:\.\d+)*/g) ?? []).toSorted(),
    names: (text.match(NAMES) ?? []).toSorted(),
  };
}

/** Words that exist in English only, to find in German texts outside quotations. */
const ENGLISH =
  /\b(?:the|of|to|and|from|with|is|are|it|can|may|any|this|your|up|until|on|by|than|not|known)\b/i;

function piecesOf({ recognisedBy, sentence, fields, warnings }: LocalizedIntent): readonly string[] {
  return [
    recognisedBy,
    sentence,
    ...fields.flatMap(({ label, value }) => [label, value]),
    ...warnings.map(({ text }) => text),
  ];
}

/** Asserts that an intent in German names the same values as in English. */
function hold(intent: Intent, name: string): void {
  const [english, german] = [localizeIntent(intent, "en"), localizeIntent(intent, "de")];
  assert.deepEqual(
    { ...german, recognisedBy: 0, sentence: 0, fields: 0, warnings: 0 },
    { ...english, recognisedBy: 0, sentence: 0, fields: 0, warnings: 0 },
  );
  assert.deepEqual(german.fields.map(({ raw }) => raw), english.fields.map(({ raw }) => raw));
  assert.deepEqual(german.warnings.map(({ code }) => code), english.warnings.map(({ code }) => code));
  const pieces = piecesOf(german);
  for (const [index, words] of piecesOf(english).entries()) {
    const said = pieces[index]!;
    assert.deepEqual(namedIn(said), namedIn(words), `${name}\n${words}\n${said}`);
    const own = said.replace(/„[^“]*“/g, "").replace(NAMES, "");
    assert.doesNotMatch(own.replace(/\w+:\/\/\S+|\w+(?:\.\w+)+|\w+\([\w,]*\)/g, ""), ENGLISH, name);
  }
}

/** Asserts the same for documents with changed values. */
function holdChanged({ name, typedData }: Extract<Sample, { readonly typedData: unknown }>): void {
  let seed = 7;
  const draw = (bound: number): number => (seed = seed * 48_271 % 2_147_483_647) % bound;
  let held = 0;
  for (let time = 0; time < 40; time++) {
    const mutant = { name, typedData: perturb(typedData, draw) };
    try {
      hold(intentOf(mutant, CONTEXT), JSON.stringify(mutant));
      held++;
    } catch (error) {
      if (!(error instanceof TypedDataError)) throw error;
    }
  }
  assert.ok(held >= 20, `Too few were held: ${held}`);
}

describe("the effect of a signature, in German", () => {
  for (const sample of SAMPLES) {
    test(`names the values of the English text, in their order: ${sample.name}`, () => {
      hold(intentOf(sample, CONTEXT), sample.name);
      if ("typedData" in sample) holdChanged(sample);
    });
  }

  for (const sample of [...FURTHER, ...PAYLOADS]) {
    test(`names the values of the English text: ${sample.name}`, () => {
      hold(intentOf(sample, { ...CONTEXT, ...sample.context }), sample.name);
    });
  }

  test("has every warning of the English text", () => {
    const intents = [...SAMPLES, ...FURTHER, ...PAYLOADS].map((one) =>
      intentOf(one, { ...CONTEXT, ...one.context })
    );
    for (const { code, text } of intents.flatMap(({ warnings }) => warnings)) {
      assert.notEqual(localize(text, "de"), localize(text, "en"), code);
    }
  });

  test("is in catalogues that have the same codes and nothing empty", () => {
    const [english, ...others] = LANGUAGES.map((language) => Object.entries(intentMessagesIn(language)));
    for (const entries of others) {
      assert.deepEqual(entries.map(([code]) => code).toSorted(), english!.map(([code]) => code).toSorted());
      assert.ok(entries.every(([, words]) => words !== ""));
    }
  });
});
