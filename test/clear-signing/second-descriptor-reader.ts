import assert from "node:assert/strict";
import {
  addressIn,
  getAddress,
  type Json,
  pieces,
  sameAddress,
  sameAmount,
  sameChain,
  sameDate,
} from "./second-reader-texts.ts";
import { SIGNER, type TypedDataJson } from "./documents.ts";

type Reader = (words: string, message: Json, chainId: unknown) => void;

/** The parsers of the built-in descriptors' sentences, by contract. */
const READERS: Readonly<Record<string, Reader>> = {
  "0x9008D19f58AAbD9eD0D60971565AA8510560ab41": (words, message, chainId) => {
    const [kind, sells, fee, buys, receiver, end] = pieces(
      words,
      /^Order of the kind “(.*)”: give (.+) and (.+) as a fee for (.+), to be sent to (.+), until (.+)$/,
    );
    if (/^\w*$/.test(String(message.kind))) assert.equal(kind, message.kind);
    sameAmount(sells!, chainId, message.sellToken, message.sellAmount);
    sameAmount(fee!, chainId, message.sellToken, message.feeAmount);
    sameAmount(buys!, chainId, message.buyToken, message.buyAmount);
    const isOwn = BigInt(String(message.receiver)) === 0n;
    sameAddress(receiver!, isOwn ? SIGNER : message.receiver);
    sameDate(end!, message.validTo);
  },
  "0x111111125421cA6dc452d289314280a0f8842A65": (words, message, chainId) => {
    // The document decides what comes back only if the order has no extension (bit 249).
    const [gives, maker, takes, traits, receiver] = pieces(
      words,
      /^Order to give (.+) of (.+) for (.+), or for whatever its extension sets if the traits (\d+) have bit 249 \(an extension\), to be sent to (.+) \(zero stands for the maker\)$/,
    );
    assert.equal(traits, BigInt(String(message.makerTraits)).toString());
    sameAmount(gives!, chainId, message.makerAsset, message.makingAmount);
    sameAddress(maker!, message.maker);
    sameAmount(takes!, chainId, message.takerAsset, message.takingAmount);
    sameAddress(receiver!, message.receiver);
  },
  "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72": (words, message) => {
    const form = /^Let (.+) vote with all that this key has of the token\. It can be carried out until (.+)$/;
    const [who, end] = pieces(words, form);
    sameAddress(who!, message.delegatee);
    sameDate(end!, message.expiry);
  },
};

/** Checks the sentence of a built-in descriptor against the document. */
export function readDescribedSentence({ domain, message }: TypedDataJson, sentence: string): void {
  const [words, place, chain] = pieces(sentence, /^(.+)\. For ([^.]+) on ([^.]+)\.$/);
  const contract = getAddress(String(domain.verifyingContract));
  assert.equal(addressIn(place!), contract);
  sameChain(chain!, domain.chainId);
  // The voting tokens have the same sentence, so one stands for all.
  const reader = READERS[contract] ?? READERS["0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72"]!;
  reader(words!, message, domain.chainId);
}
