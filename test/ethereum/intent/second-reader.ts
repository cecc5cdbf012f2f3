import assert from "node:assert/strict";
import defaultTokens from "@uniswap/default-token-list" with { type: "json" };
import { TypedDataUtils } from "@metamask/eth-sig-util";
import { AbiCoder, dataSlice, getAddress as checksumAddress, id, parseUnits } from "ethers";
import type { Intent, IntentKind } from "../../../src/ethereum/intent/intent.ts";
import type { CallJson, TypedDataJson } from "./documents.ts";
import { SIGNER } from "./documents.ts";

/**
 * A second reader of sentences: it takes them apart again, and holds each address, amount and date in them against the
 * document as ethers and eth-sig-util read it. It shares nothing with the code that wrote them but what is written here.
 */

const NAMES: Readonly<Record<string, string>> = {
  "1": "Ethereum",
  "8453": "Base",
  "42161": "Arbitrum One",
  "10": "OP Mainnet",
  "137": "Polygon",
};

/** keccak256 of the types, as their contracts publish them. */
export const TYPE_HASHES: Readonly<Record<string, IntentKind>> = {
  "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9": "erc20_permit",
  "0xea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb": "dai_permit",
  "0xf3841cd1ff0085026a6327b620b67997ce40f282c88a8e905a7a5626e310f3d0": "permit2_allowance",
  "0xaf1b0d30d2cab0380e68f0689007e3254993c596f2fdd0aaa7f4d04f79440863": "permit2_allowance",
  "0x939c21a48a8dbe3a9a2404a1d46691e4d39f6583d6ec6b35714604c986d80106": "permit2_transfer",
  "0xfcf35f5ac6a2c28868dc44c302166470266239195f02b0ee408334829333b766": "permit2_transfer",
  "0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267": "transfer_authorization",
  "0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8": "transfer_authorization",
  "0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429": "authorization_cancellation",
  "0xfa445660b7e21515a59617fcd68910b487aa5808b8abda3d78bc85df364b2c2f": "seaport_order",
  "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8": "safe_transaction",
  "0x29a0bca4af4be3421398da00295e58e6d7de38cb492214754cb6a47507dd6f8e": "user_operation",
};

/** What was hashed before: most mutants have the types of their original. */
const HASHES = new Map<string, string>();

/** The type hash of a document, by eth-sig-util. */
export function typeHashOf({ types, primaryType }: TypedDataJson): string {
  const key = primaryType + JSON.stringify(types);
  const hash = HASHES.get(key) ?? id(TypedDataUtils.encodeType(primaryType, types as never));
  HASHES.set(key, hash);
  return hash;
}

type Json = Readonly<Record<string, unknown>>;

/** Addresses that have been asked for: most mutants have those of their original. */
const ADDRESSES = new Map<string, string>();

function getAddress(text: string): string {
  const address = ADDRESSES.get(text) ?? checksumAddress(text);
  ADDRESSES.set(text, address);
  return address;
}

const TOKENS = new Map(
  defaultTokens.tokens.map((one) => [`${one.chainId}:${one.address.toLowerCase()}`, one]),
);

/** The one address that a piece of a sentence names. */
export function addressIn(text: string): string {
  const found = text.match(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g) ?? [];
  assert.equal(found.length, 1, `One address in: ${text}`);
  return getAddress(found[0]);
}

function sameAddress(text: string, value: unknown): void {
  const address = getAddress(String(value));
  assert.equal(addressIn(text), address, text);
  assert.equal(/^this key\b/.test(text), address === SIGNER, text);
}

/** Units of a token that words like "5 USDC" or "7 units of 0x…" stand for; undefined for "unlimited". */
function unitsIn(words: string, chainId: unknown, token: unknown): bigint | undefined {
  const address = getAddress(String(token));
  const unknown = /^(\d+|unlimited) units of (0x[0-9a-fA-F]{40}) \(decimals unknown\)$/.exec(words);
  const known = TOKENS.get(`${BigInt(String(chainId))}:${address.toLowerCase()}`);
  if (unknown !== null) {
    assert.equal(unknown[2], address, words);
    return unknown[1] === "unlimited" ? undefined : BigInt(unknown[1]!);
  }
  const [, count, symbol] = /^([\d.]+|unlimited) (\S+)$/.exec(words) ?? [];
  assert.ok(known !== undefined && count !== undefined, `An amount of ${address}: ${words}`);
  assert.equal(symbol, known.symbol);
  return count === "unlimited" ? undefined : parseUnits(count, known.decimals);
}

function sameAmount(words: string, chainId: unknown, token: unknown, value: unknown, most?: bigint): void {
  const [, limit, rest] = /^(up to )?(.*)$/.exec(words)!;
  const units = unitsIn(rest!, chainId, token);
  assert.equal(units ?? most, BigInt(String(value)), words);
  if (units === undefined) assert.ok(most !== undefined && limit === undefined, words);
}

function sameNative(words: string, value: unknown): void {
  const [, count] = /^([\d.]+) (?:ETH|POL|BNB|CELO|AVAX|XDAI|of the currency of chain \d+)$/.exec(words) ??
    [];
  assert.ok(count !== undefined, words);
  assert.equal(parseUnits(count, 18), BigInt(String(value)), words);
}

function sameDate(words: string, value: unknown): void {
  const seconds = BigInt(String(value));
  if (words === "a time after the year 9999") {
    assert.ok(seconds >= 253_402_300_800n, `${seconds}`);
    return;
  }
  assert.match(words, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  assert.equal(BigInt(Date.parse(words.replace(" UTC", "Z").replace(" ", "T")) / 1000), seconds, words);
}

function sameChain(words: string, chainId: unknown): void {
  const chain = BigInt(String(chainId)).toString();
  const isKnown = Object.values(NAMES).includes(words);
  assert.equal(words, isKnown ? NAMES[chain] : words.startsWith("chain ") ? `chain ${chain}` : words);
  if (NAMES[chain] !== undefined) assert.equal(words, NAMES[chain]);
}

/** The pieces of a sentence, which must have exactly this form. */
function pieces(sentence: string, form: RegExp): readonly string[] {
  const found = form.exec(sentence);
  assert.ok(found !== null, `Not in its form: ${sentence}`);
  return found.slice(1).map((piece) => piece ?? "");
}

const MOST_256 = (1n << 256n) - 1n;
const MOST_160 = (1n << 160n) - 1n;

type Reader = (sentence: string, message: Json, domain: Json, intent: Intent) => void;

const READERS: Readonly<Partial<Record<IntentKind, Reader>>> = {
  erc20_permit: (sentence, message, domain) => {
    const [spender, amount, owner, chain, end] = pieces(
      sentence,
      /^Allow (.+) to spend (.+) from (.+?) on (.+?)\. The permit can be used until (.+); the allowance then stays until it is spent or changed\.$/,
    );
    sameAddress(spender!, message.spender);
    sameAmount(amount!, domain.chainId, domain.verifyingContract, message.value, MOST_256);
    sameAddress(owner!, message.owner);
    sameChain(chain!, domain.chainId);
    sameDate(end!, message.deadline);
  },
  dai_permit: (sentence, message, domain) => {
    const [spender, amount, owner, chain, when] = pieces(
      sentence,
      /^Allow (.+) to spend (.+) from (.+?) on (.+?)\. The permit can be used (.+); the allowance then stays until it is changed\.$/,
    );
    sameAddress(spender!, message.spender);
    sameAmount(
      amount!,
      domain.chainId,
      domain.verifyingContract,
      message.allowed === true ? MOST_256 : 0n,
      MOST_256,
    );
    sameAddress(owner!, message.holder);
    sameChain(chain!, domain.chainId);
    if (BigInt(String(message.expiry)) === 0n) assert.equal(when, "at any time");
    else sameDate(when!.replace(/^until /, ""), message.expiry);
  },
  permit2_allowance: (sentence, message, domain, intent) => {
    assert.equal(getAddress(String(domain.verifyingContract)), "0x000000000022D473030F116dDEE9F6B43aC78BA3");
    const [spender, owner, chain, list, end] = pieces(
      sentence,
      /^Allow (.+) to spend from (.+?) on (.+?), through Permit2: (.+)\. The permit can be used until (.+)\.$/,
    );
    sameAddress(spender!, message.spender);
    sameAddress(owner!, SIGNER);
    sameChain(chain!, domain.chainId);
    sameDate(end!, message.sigDeadline);
    const details = [message.details].flat() as readonly Json[];
    const parts = partsOf(list!, / (?:until|in the one block)/, details.length);
    for (const [index, part] of parts.entries()) {
      const { token, amount, expiration } = details[index]!;
      const [words, until] = pieces(part, /^(.+?) (until .+|in the one block in which the permit is used)$/);
      sameAmount(words!, domain.chainId, token, amount, MOST_160);
      if (BigInt(String(expiration)) === 0n) assert.match(until!, /^in the one block/);
      else sameDate(until!.replace(/^until /, ""), expiration);
    }
    sameEffects(intent, details.map(({ token, amount }) => [token, amount]), MOST_160);
  },
  permit2_transfer: (sentence, message, domain, intent) => {
    assert.equal(getAddress(String(domain.verifyingContract)), "0x000000000022D473030F116dDEE9F6B43aC78BA3");
    const [spender, list, owner, chain, end] = pieces(
      sentence,
      /^Allow (.+?) to take (.+) from (.+?) on (.+?) and send it wherever it likes, once, through Permit2, until (.+? UTC|a time after the year 9999)\.(?: It is bound to what “\w+” below says, which is not understood here\.)?$/,
    );
    sameAddress(spender!, message.spender);
    sameAddress(owner!, SIGNER);
    sameChain(chain!, domain.chainId);
    sameDate(end!, message.deadline);
    const permitted = [message.permitted].flat() as readonly Json[];
    for (const [index, part] of partsOf(list!, /./, permitted.length).entries()) {
      sameAmount(part, domain.chainId, permitted[index]!.token, permitted[index]!.amount, MOST_256);
    }
    sameEffects(intent, permitted.map(({ token, amount }) => [token, amount]), MOST_256);
  },
  transfer_authorization: (sentence, message, domain) => {
    const [amount, from, to, chain, who, start, end] = pieces(
      sentence,
      /^Send (.+?) from (.+) to (.+?) on (.+?)\. (The recipient alone|Anybody) can carry it out, once, (?:after (.+?) and )?before (.+)\.$/,
    );
    sameAmount(amount!, domain.chainId, domain.verifyingContract, message.value);
    sameAddress(from!, message.from);
    sameAddress(to!, message.to);
    sameChain(chain!, domain.chainId);
    assert.ok(who!.length > 0);
    if (start === "") assert.equal(BigInt(String(message.validAfter)), 0n);
    else sameDate(start!, message.validAfter);
    sameDate(end!, message.validBefore);
  },
  authorization_cancellation: (sentence, message, domain) => {
    const [nonce, who, token, chain] = pieces(
      sentence,
      /^Cancel the authorization (0x[0-9a-f]{64}) of (.+) at (.+?) on (.+?), so that its transfer can no longer be carried out\.$/,
    );
    assert.equal(nonce, String(message.nonce).toLowerCase());
    sameAddress(who!, message.authorizer);
    sameAddress(token!, domain.verifyingContract);
    sameChain(chain!, domain.chainId);
  },
  seaport_order: (sentence, message, domain) => {
    const [gives, owner, chain, back, elsewhere, who, start, end] = pieces(
      sentence,
      /^Give (.+) of (this key \(0x\w{40}\)|your key “Savings” \(0x\w{40}\)|[^,]*?0x\w{40}\)?) on (.+?); for it (nothing comes back|.+? must come back)(?:, and (.+))?\. (Anybody|Whom the zone 0x\w{40} lets) can take the order from (.+) until (.+)\.$/,
    );
    sameAddress(owner!, message.offerer);
    sameChain(chain!, domain.chainId);
    sameDate(start!, message.startTime);
    sameDate(end!, message.endTime);
    assert.equal(who === "Anybody", BigInt(String(message.orderType)) < 2n);
    const offer = message.offer as readonly Json[];
    const consideration = message.consideration as readonly Json[];
    const isBack = ({ recipient }: Json): boolean =>
      getAddress(String(recipient)) === getAddress(String(message.offerer));
    sameItems(gives!, offer, domain.chainId);
    sameItems(back!.replace(/ must come back$/, ""), consideration.filter(isBack), domain.chainId);
    const others = consideration.filter((item) => !isBack(item));
    const parts = others.length === 0 ? [] : partsOf(elsewhere!, / must go to /, others.length);
    assert.equal(others.length === 0, elsewhere === "", sentence);
    for (const [index, part] of parts.entries()) {
      const [words, to] = pieces(part, /^(.+) must go to (.+)$/);
      sameItem(words!, others[index]!, domain.chainId);
      sameAddress(to!, others[index]!.recipient);
    }
  },
  safe_transaction: (sentence, message, domain, intent) => {
    const [safe, chain, nonce, what, refund] = pieces(
      sentence,
      /^Agree, for the Safe (.+?) on (.+?), to its transaction (\d+): (.+?)\.(?: The Safe also pays (.+)\.)?$/,
    );
    assert.equal(safe, getAddress(String(domain.verifyingContract)));
    sameChain(chain!, domain.chainId);
    assert.equal(BigInt(nonce!), BigInt(String(message.nonce)));
    assert.equal(refund === "", BigInt(String(message.gasPrice)) === 0n);
    const isDelegate = BigInt(String(message.operation)) === 1n;
    assert.equal(what!.startsWith("Run the code of "), isDelegate);
    assert.equal(intent.warnings.some(({ code }) => code === "delegate_call"), isDelegate);
    if (isDelegate) {
      sameAddress(pieces(what!, /^Run the code of (.+?) as its own, with \d+ bytes/)[0]!, message.to);
      return;
    }
    readCallWords(`${what!}.`, String(getAddress(String(domain.verifyingContract))), {
      chainId: BigInt(String(domain.chainId)),
      to: String(message.to),
      value: BigInt(String(message.value)),
      data: String(message.data),
    });
  },
  user_operation: (sentence, message, domain) => {
    const [nonce, account, chain, setUp, called, payer, cost] = pieces(
      sentence,
      /^Run the user operation (\d+) of the account (.+?) on (.+?)(, setting the account up first)?: (.+), and what that does is not known here\. For gas, (.+) pays (.+) at most\.$/,
    );
    assert.equal(BigInt(nonce!), BigInt(String(message.nonce)));
    sameAddress(account!, message.sender);
    sameChain(chain!, domain.chainId);
    assert.equal(setUp === "", message.initCode === "0x");
    const data = String(message.callData).toLowerCase();
    if (data === "0x") assert.equal(called, "nothing is called");
    else if (data.length >= 10) {
      assert.equal(called, `its function ${data.slice(0, 10)} is called with ${data.length / 2 - 5} bytes`);
    }
    const paymaster = String(message.paymasterAndData);
    const limits = halves(message.accountGasLimits);
    let gas = limits[0]! + limits[1]! + BigInt(String(message.preVerificationGas));
    if (paymaster === "0x") assert.equal(payer, "the account");
    else {
      sameAddress(payer!.replace("the paymaster ", ""), dataSlice(paymaster, 0, 20));
      gas += BigInt(dataSlice(paymaster, 20, 36)) + BigInt(dataSlice(paymaster, 36, 52));
    }
    sameNative(cost!, gas * halves(message.gasFees)[1]!);
  },
};

function halves(word: unknown): readonly bigint[] {
  return [BigInt(dataSlice(String(word), 0, 16)), BigInt(dataSlice(String(word), 16, 32))];
}

/** The parts of a list in words, up to six; of a longer one the five that are said. */
function partsOf(list: string, mark: RegExp, count: number): readonly string[] {
  const more = /^(.*) and (\d+) more, listed below$/.exec(list);
  if (more !== null) assert.equal(Number(more[2]), count - 5);
  const said = more?.[1] ?? list;
  const parts: string[] = [];
  // Names of tokens have neither commas nor "and" between blanks.
  for (const part of said.split(/, | and (?=up to |unlimited |\d|item |any item|one of certain)/)) {
    if (parts.length > 0 && !mark.test(parts.at(-1)!)) parts.push(`${parts.pop()} and ${part}`);
    else parts.push(part);
  }
  assert.equal(parts.length, more === null ? count : 5, list);
  return parts;
}

function sameEffects(intent: Intent, permits: readonly (readonly [unknown, unknown])[], most: bigint): void {
  assert.deepEqual(
    intent.effects.map((one) => one.effect === "allowance" ? [one.asset.address, one.amount] : [one.effect]),
    permits.map(([token, amount]) => {
      const units = BigInt(String(amount));
      return [getAddress(String(token)), units === most ? null : units.toString()];
    }),
  );
}

function sameItems(words: string, items: readonly Json[], chainId: unknown): void {
  if (items.length === 0) {
    assert.equal(words, "nothing comes back");
    return;
  }
  for (const [index, part] of partsOf(words, /./, items.length).entries()) {
    sameItem(part, items[index]!, chainId);
  }
}

function sameItem(words: string, item: Json, chainId: unknown): void {
  const type = Number(item.itemType);
  const [first, last = first] = words.split(/ at first to (?=.* at last$)/).map((one) =>
    one.replace(/ at last$/, "")
  );
  if (type <= 1) {
    const same = type === 0
      ? sameNative
      : (text: string, value: unknown) => sameAmount(text, chainId, item.token, value);
    same(first!, item.startAmount);
    same(last!, item.endAmount);
    return;
  }
  const [from, to, which, collection] = pieces(
    words,
    /^(?:(\d+)(?: to (\d+))? of )?(item \d+|any item|one of certain items) of (0x\w{40})$/,
  );
  assert.equal(addressIn(collection!), getAddress(String(item.token)));
  assert.equal(BigInt(from || "1"), BigInt(String(item.startAmount)));
  assert.equal(BigInt(to || from || "1"), BigInt(String(item.endAmount)));
  const number = BigInt(String(item.identifierOrCriteria));
  const expected = type <= 3 ? `item ${number}` : number === 0n ? "any item" : "one of certain items";
  assert.equal(which, expected);
}

const FUNCTIONS: readonly (readonly [signature: string, types: readonly string[], form: RegExp])[] = [
  [
    "transfer(address,uint256)",
    ["address", "uint256"],
    /^Send (.+?) from (.+) to (.+?) on (.+?)(?:, if (.+) is a token)?$/,
  ],
  [
    "approve(address,uint256)",
    ["address", "uint256"],
    /^Allow (.+) to spend (.+) from (.+?) on (.+?)(?:, if (.+) is a token)?$/,
  ],
];

/** Takes the words of a call apart, for the two functions that carry most of what people sign, and for bare sending. */
export function readCallWords(sentence: string, caller: string, call: CallJson): void {
  const text = sentence.replace(/ Gas costs [\d.]+ \S.* at most\.$/, "").replace(/\.$/, "");
  const along = / and send (.+) along to the contract$/.exec(text);
  const words = along === null ? text : text.slice(0, along.index);
  if (call.to === null) {
    sameNative(
      pieces(words, /^Make a new contract from \d+ bytes of code by .+ on .+, and give it (.+)\. What/)[0]!,
      call.value,
    );
    return;
  }
  const data = call.data.toLowerCase();
  const [signature, types] = FUNCTIONS.find(([signature]) => data.startsWith(id(signature).slice(0, 10))) ??
    [];
  if (data === "0x") {
    const [amount, from, to, chain] = pieces(words, /^Send (.+?) from (.+) to (.+?) on (.+?)$/);
    sameNative(amount!, call.value);
    assert.equal(addressIn(from!), caller);
    sameAddress(to!, call.to);
    sameChain(chain!, call.chainId);
    return;
  }
  if (words.startsWith("Call ")) {
    const [to, chain, value] = pieces(
      words,
      /^Call (?:function 0x[0-9a-f]{8} of )?(.+?) on (.+?) with (.+) and \d+ bytes\. What/,
    );
    sameAddress(to!, call.to);
    sameChain(chain!, call.chainId);
    sameNative(value!, call.value);
    return;
  }
  if (along !== null) sameNative(along[1]!, call.value);
  else if (!words.includes(", with ")) assert.equal(call.value, 0n, sentence);
  for (const [address] of words.matchAll(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g)) {
    const isCalled: boolean = address === caller || address === getAddress(call.to);
    assert.ok(
      isCalled || data.includes(address.slice(2).toLowerCase()),
      `${address} is from nowhere: ${sentence}`,
    );
  }
  if (signature === undefined) return;
  const [who, amount] = AbiCoder.defaultAbiCoder().decode(types!, dataSlice(data, 4)) as unknown as [
    string,
    bigint,
  ];
  const form = FUNCTIONS.find(([one]) => one === signature)![2];
  const [first, second, third, chain, proviso] = pieces(words, form);
  const [amountWords, to, from] = signature.startsWith("transfer")
    ? [first, third, second]
    : [second, first, third];
  sameAddress(to!, who);
  assert.equal(addressIn(from!), caller);
  sameChain(chain!, call.chainId);
  if (proviso !== "") assert.equal(addressIn(proviso!), getAddress(call.to));
  const item = /^(.+), or its item (\d+)$/.exec(amountWords!);
  if (item !== null) assert.equal(BigInt(item[2]!), amount);
  sameAmount(
    item?.[1] ?? amountWords!,
    call.chainId,
    call.to,
    amount,
    signature.startsWith("transfer") ? undefined : MOST_256,
  );
}

/** Holds a sentence about typed data against the document; says whether it is one that this reader knows. */
export function readTypedDataSentence(document: TypedDataJson, intent: Intent): "true" | "plain" {
  const reader = READERS[intent.kind];
  if (reader === undefined) {
    assert.ok(intent.kind === "typed_data" || intent.kind === "described", intent.kind);
    if (intent.kind === "typed_data") assert.match(intent.sentence, /What it does is not known here/);
    return "plain";
  }
  const hash = typeHashOf(document);
  if (!document.primaryType.includes("Witness")) assert.equal(TYPE_HASHES[hash], intent.kind);
  reader(intent.sentence, document.message, document.domain, intent);
  return "true";
}
