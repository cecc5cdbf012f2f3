import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Intent, IntentKind } from "../../../src/ethereum/intent/intent.ts";
import { TypedDataError } from "../../../src/ethereum/typed-data/typed-data.ts";
import { mutate } from "../mutate.ts";
import { type CallJson, CONTEXT, type Sample, SAMPLES, SIGNER, type TypedDataJson } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";
import { changedBytes, perturb } from "./perturb.ts";
import { readCallWords, readTypedDataSentence } from "./second-reader.ts";
import { readSignInSentence } from "./second-sign-in-reader.ts";

const MUTANTS = 10_000;

/** Numbers that follow from a seed: every run has the same mutants. */
function drawFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    let mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) % bound;
  };
}

function samplesOf(kinds: readonly IntentKind[]): readonly Sample[] {
  return SAMPLES.filter((sample) => kinds.includes(explainSample(sample, CONTEXT).kind));
}

/** What is said of a document, or undefined where it is refused. */
function explainMutant(typedData: TypedDataJson): Intent | undefined {
  try {
    return explainSample({ name: "mutant", typedData }, CONTEXT);
  } catch (error) {
    if (!(error instanceof TypedDataError)) throw error;
    return undefined;
  }
}

const TYPED_KINDS = [
  "erc20_permit",
  "dai_permit",
  "permit2_allowance",
  "permit2_transfer",
  "transfer_authorization",
  "authorization_cancellation",
  "seaport_order",
  "safe_transaction",
  "user_operation",
] as const;

describe("typedDataIntent() under mutation", () => {
  for (const kind of TYPED_KINDS) {
    test(
      `typedDataIntent() tells the truth or nothing of ${MUTANTS} mutants of ${kind}`,
      { timeout: 60_000 },
      () => {
        const originals = samplesOf([kind]).flatMap((sample) =>
          "typedData" in sample ? [sample.typedData] : []
        );
        const draw = drawFrom(kind.length);
        const counts = { refused: 0, plain: 0, true: 0 };
        for (let count = 0; count < MUTANTS; count++) {
          const original = originals[count % originals.length]!;
          const mutant = count % 3 === 0 ? mutate(original, draw) as TypedDataJson : perturb(original, draw);
          const intent = explainMutant(mutant);
          if (intent === undefined) counts.refused++;
          else counts[readTypedDataSentence(mutant, intent)]++;
        }
        // Neither are all of them refused, nor is everything taken.
        assert.ok(counts.true > MUTANTS / 10, JSON.stringify(counts));
        assert.ok(counts.refused + counts.plain > 100, JSON.stringify(counts));
      },
    );
  }
});

describe("transactionIntent() under mutation", () => {
  test(`transactionIntent() tells the truth of ${MUTANTS} mutants of calls`, { timeout: 60_000 }, () => {
    const originals = SAMPLES.flatMap((sample) => "call" in sample ? [sample.call] : []);
    const draw = drawFrom(7);
    const kinds = new Map<IntentKind, number>();
    for (let count = 0; count < MUTANTS; count++) {
      const call = changedCall(originals[count % originals.length]!, draw);
      const intent = explainSample({ name: "mutant", call }, CONTEXT);
      kinds.set(intent.kind, (kinds.get(intent.kind) ?? 0) + 1);
      readCallWords(intent.sentence, SIGNER, call);
    }
    for (const kind of ["token_call", "contract_call", "native_transfer"] as const) {
      assert.ok((kinds.get(kind) ?? 0) > 500, `${kind}: ${kinds.get(kind)}`);
    }
  });
});

function changedCall(call: CallJson, draw: (bound: number) => number): CallJson {
  const tos = ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "0x000000000022D473030F116dDEE9F6B43aC78BA3"];
  switch (draw(4)) {
    case 0:
      return { ...call, to: call.to === null ? null : tos[draw(2)]! };
    case 1:
      return { ...call, value: BigInt(draw(2 ** 31)) * BigInt(draw(2 ** 31)) };
    case 2:
      return { ...call, chainId: [1n, 10n, 8453n, 137n, 987_654n][draw(5)]! };
    default:
      return { ...call, data: changedBytes(call.data, draw) };
  }
}

describe("textIntent() under mutation", () => {
  test(
    `textIntent() tells the truth or nothing of ${MUTANTS} mutants of sign-ins`,
    { timeout: 60_000 },
    () => {
      const originals = samplesOf(["sign_in"]).flatMap((sample) => "text" in sample ? [sample.text] : []);
      const draw = drawFrom(11);
      const counts = { plain: 0, true: 0 };
      for (let count = 0; count < MUTANTS; count++) {
        const text = changedText(originals[count % originals.length]!, draw);
        const intent = explainSample({ name: "mutant", text }, CONTEXT);
        if (intent.kind === "text") counts.plain++;
        else readSignInSentence(text, intent), counts.true++;
      }
      assert.ok(counts.true > MUTANTS / 10 && counts.plain > 100, JSON.stringify(counts));
    },
  );
});

const PIECES = [
  "\n",
  " ",
  "https://",
  "evil.example",
  "\u202E",
  "é",
  ":8443",
  "@",
  "Chain ID: 10",
  "2099",
  "Z",
  "",
  "0",
];

function changedText(text: string, draw: (bound: number) => number): string {
  const lines = text.split("\n");
  const [one, two] = [draw(lines.length), draw(lines.length)];
  switch (draw(4)) {
    case 0:
      [lines[one], lines[two]] = [lines[two]!, lines[one]!];
      return lines.join("\n");
    case 1:
      lines.splice(one, draw(2), ...(draw(2) === 0 ? [lines[two]!] : []));
      return lines.join("\n");
    default: {
      const at = draw(text.length);
      return text.slice(0, at) + PIECES[draw(PIECES.length)] + text.slice(at + draw(3));
    }
  }
}
