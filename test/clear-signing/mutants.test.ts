import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { IntentKind, LocalizedIntent } from "../../src/clear-signing/intent.ts";
import { TypedDataError } from "../../src/ethereum/typed-data/typed-data.ts";
import { mutate } from "../ethereum/mutate.ts";
import { type CallJson, CONTEXT, type Sample, SAMPLES, SIGNER, type TypedDataJson } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";
import { changedBytes, perturb } from "./perturb.ts";
import { readCallSentence } from "./second-call-reader.ts";
import { readTypedDataSentence } from "./second-reader.ts";
import { addressIn, pieces, sameAddress, sameChain } from "./second-reader-texts.ts";
import { readSignInSentence } from "./second-sign-in-reader.ts";
import { runsOf, seedOf } from "../support/share.ts";

/** The count in `npm run fuzz`. The gate tries a tenth. */
const MUTANTS = 2_000;
const RUNS = runsOf(MUTANTS);

/** Returns a generator with a fixed seed, so that every run on a runtime has the same mutants. */
function drawFrom(seed: number): (bound: number) => number {
  let state = seedOf(seed);
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

/** Returns the intent of a document, or undefined if it is refused. */
function explainMutant(typedData: TypedDataJson): LocalizedIntent | undefined {
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
  "forward_request",
  "described",
] as const;

/** Returns true for a failed assertion of the reader, and for an address whose checksum its library refuses. */
function noticed(error: unknown): boolean {
  return error instanceof assert.AssertionError || (error as { code?: unknown }).code === "INVALID_ARGUMENT";
}

describe("the second reader", () => {
  for (const sample of SAMPLES) {
    const intent = explainSample(sample, CONTEXT);
    if (["typed_data", "bytes", "text", "delegation", "contract_call"].includes(intent.kind)) continue;
    test(`detects every changed digit in the sentence of: ${sample.name}`, () => {
      // The service computes the gas cost. `maximumFee` shows it too.
      const end = intent.sentence.indexOf(" Gas costs ");
      const length = end < 0 ? intent.sentence.length : end;
      for (let at = 0; at < length; at++) {
        const digit = intent.sentence[at]!;
        if (!/\d/.test(digit) || inNames(intent.sentence, at)) continue;
        const lie = intent.sentence.slice(0, at) + (Number(digit) + 1) % 10 + intent.sentence.slice(at + 1);
        assert.throws(
          () => readSample(sample, { ...intent, sentence: lie }),
          noticed,
          `${digit} at ${at} of ${lie}`,
        );
      }
      readSample(sample, intent);
    });
  }
});

/** Returns true if a digit is part of a name. */
function inNames(sentence: string, at: number): boolean {
  const names = /Permit2|Router \d|Multicall3|EntryPoint [\d.]+|Multi\w+ [\d.]+|Aave V3|1inch|EIP-\d+/g;
  return [...sentence.matchAll(names)].some(({ 0: name, index }) => index <= at && at < index + name.length);
}

function readSample(sample: Sample, intent: LocalizedIntent): void {
  if ("typedData" in sample) readTypedDataSentence(sample.typedData, intent);
  else if ("text" in sample) readSignInSentence(sample.text, intent);
  else if ("call" in sample) readCallSentence(intent.sentence, SIGNER, sample.call);
}

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
        for (let count = 0; count < RUNS; count++) {
          const original = originals[count % originals.length]!;
          const mutant = count % 3 === 0 ? mutate(original, draw) as TypedDataJson : perturb(original, draw);
          const intent = explainMutant(mutant);
          if (intent === undefined) counts.refused++;
          else counts[readTypedDataSentence(mutant, intent)]++;
        }
        // Some mutants must be refused, and some accepted.
        assert.ok(counts.true > RUNS / 10, JSON.stringify(counts));
        assert.ok(counts.refused + counts.plain > runsOf(100), JSON.stringify(counts));
      },
    );
  }
});

const CALL_KINDS = ["native_transfer", "token_call", "batch", "described", "contract_creation"] as const;

describe("transactionIntent() under mutation", () => {
  for (const kind of CALL_KINDS) {
    test(`transactionIntent() describes correctly ${MUTANTS} mutants of ${kind}`, { timeout: 60_000 }, () => {
      const originals = samplesOf([kind]).flatMap((sample) => "call" in sample ? [sample.call] : []);
      const draw = drawFrom(kind.length);
      const counts = { plain: 0, true: 0 };
      for (let count = 0; count < RUNS; count++) {
        const call = changedCall(originals[count % originals.length]!, draw);
        const { sentence } = explainSample({ name: "mutant", call }, CONTEXT);
        counts[readCallSentence(sentence, SIGNER, call)]++;
      }
      assert.ok(counts.true > RUNS / 10, JSON.stringify(counts));
    });
  }
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
    `textIntent() describes correctly, or not at all, ${MUTANTS} mutants of sign-ins`,
    { timeout: 60_000 },
    () => {
      const originals = samplesOf(["sign_in"]).flatMap((sample) => "text" in sample ? [sample.text] : []);
      const draw = drawFrom(11);
      const counts = { plain: 0, true: 0 };
      for (let count = 0; count < RUNS; count++) {
        const text = changedText(originals[count % originals.length]!, draw);
        const intent = explainSample({ name: "mutant", text }, CONTEXT);
        if (intent.kind === "text") counts.plain++;
        else readSignInSentence(text, intent), counts.true++;
      }
      assert.ok(counts.true > RUNS / 10 && counts.plain > runsOf(100), JSON.stringify(counts));
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

describe("authorizationIntent() under mutation", () => {
  test(`authorizationIntent() describes correctly ${MUTANTS} authorizations`, () => {
    const draw = drawFrom(13);
    for (let count = 0; count < RUNS; count++) {
      const authorization = {
        chainId: [0n, 1n, 8453n, 987_654n][draw(4)]!,
        address: draw(3) === 0
          ? ZERO
          : "0x" + Array.from({ length: 40 }, () => draw(16).toString(16)).join(""),
        nonce: BigInt(draw(2 ** 31)) * BigInt(draw(2 ** 31)),
      };
      const { sentence } = explainSample({ name: "mutant", authorization }, CONTEXT);
      const form =
        /^Let (.+?) (run the code of (.+?) as its own|no longer run the code of another contract) on (.+?)(, which can then do everything with it)?\. Anyone can carry it out while the account's nonce is (\d+)\.$/;
      const [account, , delegate, chain, , nonce] = pieces(sentence, form);
      assert.equal(addressIn(account!), SIGNER);
      assert.equal(delegate === "", authorization.address === ZERO);
      if (delegate !== "") sameAddress(delegate!, authorization.address);
      if (authorization.chainId === 0n) assert.equal(chain, "every chain");
      else sameChain(chain!, authorization.chainId);
      assert.equal(BigInt(nonce!), authorization.nonce);
    }
  });
});

const ZERO = "0x" + "00".repeat(20);
