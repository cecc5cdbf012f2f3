import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CHAINS } from "../../../src/ethereum/intent/chains.ts";
import { CONTRACTS } from "../../../src/ethereum/intent/contracts.ts";
import { tellIntent, WARNING_LEVELS } from "../../../src/ethereum/intent/intent.ts";
import type { Intent, ToldIntent, WarningCode } from "../../../src/ethereum/intent/intent.ts";
import { TOKENS } from "../../../src/ethereum/intent/tokens.ts";
import type { IntentContext } from "../../../src/ethereum/intent/words.ts";
import { tell } from "../../../src/ethereum/words/said.ts";
import { intentWordsIn } from "../../../src/ethereum/words/words.ts";
import { TypedDataError } from "../../../src/ethereum/typed-data/typed-data-reading.ts";
import { toBase64url, utf8 } from "../../../src/lib/bytes.ts";
import { LANGUAGES } from "../../../src/lib/language.ts";
import { calldata, CONTEXT, OTHER_KEY, type Sample, SAMPLES, SIGNER, STRANGER } from "./documents.ts";
import { intentOf } from "./explain-sample.ts";
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

/** Names of chains, contracts and tokens, the longer ones first: one can begin as another does. */
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

/** Words of one language as they can be held against the other's: times as instants, quotation marks alike. */
function comparable(words: string): string {
  return words
    .replace(ENGLISH_TIME, (_, day: string, time: string) => `<${Date.parse(`${day}T${time}Z`)}>`)
    .replace(GERMAN_TIME, (_, day: string, month: string, year: string, time: string) => {
      const date = `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;
      return `<${Date.parse(`${date}T${time}Z`)}>`;
    })
    .replaceAll("„", "“").replaceAll("”", "“");
}

/** What a piece of an intent names, each kind in its order: a "from" and a "to" cannot change places. */
function namedIn(words: string): Readonly<Record<string, readonly string[]>> {
  const text = comparable(words);
  const bare = text.replace(/<-?\d+>/g, " ").replace(/0x[0-9a-fA-F]*/g, " ");
  return {
    times: text.match(/<-?\d+>/g) ?? [],
    hex: text.match(/0x[0-9a-fA-F]*/g) ?? [],
    // Between what a ReCap lets and where stands a word of ours.
    quotes: (text.match(/“[^“]*“/g) ?? []).map((quote) => quote.replace(" bei http", " at http")),
    amounts: (bare.match(/\d[\d.]* [\w.₮]+/g) ?? []).map((one) => one.replace(/\.$/, ""))
      .filter((one) => UNITS.has(one.split(" ")[1]!)),
    numbers: (bare.match(/\d+(?:\.\d+)*/g) ?? []).toSorted(),
    names: (text.match(NAMES) ?? []).toSorted(),
  };
}

/** Words that are English and no German, outside of what somebody else wrote. */
const ENGLISH =
  /\b(?:the|of|to|and|from|with|is|are|it|can|may|any|this|your|up|until|on|by|than|not|known)\b/i;

function piecesOf({ recognisedBy, sentence, fields, warnings }: ToldIntent): readonly string[] {
  return [
    recognisedBy,
    sentence,
    ...fields.flatMap(({ label, value }) => [label, value]),
    ...warnings.map(({ text }) => text),
  ];
}

/** Holds an intent in German against the same in English. */
function hold(intent: Intent, name: string): void {
  const [english, german] = [tellIntent(intent, "en"), tellIntent(intent, "de")];
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

/** The same of documents that somebody changed. */
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

/** What the samples do not warn of. */
const FURTHER: readonly (readonly [Sample, Partial<IntentContext>?])[] = [
  [{ name: "another chain", call: { chainId: 4_242n, to: STRANGER, value: 5n, data: "0x" } }],
  [{ name: "along", call: { chainId: 1n, to: STRANGER, value: 5n, data: transfer() } }],
  [{ name: "every chain", authorization: { chainId: 0n, address: STRANGER, nonce: 7n } }],
  [{ name: "no code", authorization: { chainId: 1n, address: "0x" + "00".repeat(20), nonce: 7n } }],
  [{ name: "unread", call: { chainId: 1n, to: STRANGER, value: 0n, data: `${transfer()}00` } }],
  [{
    name: "recap",
    text: signIn(`urn:recap:${toBase64url(utf8('{"att":{"https://x.example":{"crud/read":[{}]}}}'))}`),
  }],
  [{ name: "unread recap", text: signIn("urn:recap:~") }],
  [{ name: "site", text: signIn("https://x.example/") }, { askedBy: "other.example" }],
  ...["enableModule(address a)", "setGuard(address a)", "setFallbackHandler(address a)"].map((text) =>
    [{
      name: text,
      call: { chainId: 1n, to: SIGNER, value: 0n, data: calldata(`function ${text}`, [STRANGER]) },
    }] as const
  ),
  ...[
    "disableModule(address a,address b)",
    "removeOwner(address a,address b,uint256 c)",
    "swapOwner(address a,address b,address c)",
  ]
    .map((text) => {
      const values = text.includes("uint256") ? [STRANGER, OTHER_KEY, 2n] : [STRANGER, OTHER_KEY, STRANGER];
      const data = calldata(`function ${text}`, values.slice(0, text.split(",").length));
      return [{ name: text, call: { chainId: 1n, to: SIGNER, value: 0n, data } }] as const;
    }),
  [{
    name: "threshold",
    call: { chainId: 1n, to: SIGNER, value: 0n, data: calldata("function changeThreshold(uint256 a)", [2n]) },
  }],
];

function transfer(): string {
  return calldata("function transfer(address to, uint256 amount)", [OTHER_KEY, 12_345n]);
}

function signIn(resource: string): string {
  return [
    `login.xyz wants you to sign in with your Ethereum account:\n${SIGNER}\n`,
    "\nURI: https://login.xyz\nVersion: 1\nChain ID: 1\nNonce: bTyXgcQxn2htgkjJn",
    "Issued At: 2026-11-21T23:58:00.000Z",
    `Resources:\n- ${resource}`,
  ].join("\n");
}

describe("what a signature does, in German", () => {
  for (const sample of SAMPLES) {
    test(`names what the English names, and in its order: ${sample.name}`, () => {
      hold(intentOf(sample, CONTEXT), sample.name);
      if ("typedData" in sample) holdChanged(sample);
    });
  }

  for (const [sample, changes] of FURTHER) {
    test(`names what the English names: ${sample.name}`, () => {
      hold(intentOf(sample, { ...CONTEXT, ...changes }), sample.name);
    });
  }

  test("says of every warning what the English says", () => {
    const seen = new Set<WarningCode>();
    for (const [sample, changes] of [...SAMPLES.map((sample) => [sample] as const), ...FURTHER]) {
      const intent = intentOf(sample, { ...CONTEXT, ...changes });
      for (const { code, text } of intent.warnings) {
        seen.add(code);
        assert.notEqual(tell(text, "de"), tell(text, "en"), code);
      }
    }
    const missing = Object.keys(WARNING_LEVELS).filter((code) => !seen.has(code as WarningCode));
    assert.deepEqual(missing, ["gas_refund", "high_fee"]);
  });

  test("is in catalogues that have the same codes and nothing empty", () => {
    const [english, ...others] = LANGUAGES.map((language) => Object.entries(intentWordsIn(language)));
    for (const entries of others) {
      assert.deepEqual(entries.map(([code]) => code).toSorted(), english!.map(([code]) => code).toSorted());
      assert.ok(entries.every(([, words]) => words !== ""));
    }
  });
});
