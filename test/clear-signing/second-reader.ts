import assert from "node:assert/strict";
import { TypedDataUtils } from "@metamask/eth-sig-util";
import { dataSlice, id } from "ethers";
import type { IntentKind, LocalizedIntent } from "../../src/clear-signing/intent.ts";
import { SIGNER, type TypedDataJson } from "./documents.ts";
import { readCallSentence } from "./second-call-reader.ts";
import { readDescribedSentence } from "./second-descriptor-reader.ts";
import {
  addressIn,
  getAddress,
  type Json,
  MOST_160,
  MOST_256,
  partsOf,
  pieces,
  sameAddress,
  sameAmount,
  sameChain,
  sameDate,
  sameNative,
} from "./second-reader-texts.ts";

/**
 * A second reader of sentences. It parses them and checks each address, amount and date against the document as ethers
 * and eth-sig-util read it. It shares no code with the service.
 */

/** The keccak256 of the types, as their contracts publish them. */
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
  "0x7f96328b83274ebc7c1cf4f7a3abda602b51a78b7fa1d86a2ce353d75e587cac": "forward_request",
};

/** A cache of type hashes. Most mutants have the types of their original. */
const HASHES = new Map<string, string>();

/** Returns the type hash of a document, by eth-sig-util. */
export function typeHashOf({ types, primaryType }: TypedDataJson): string {
  const key = primaryType + JSON.stringify(types);
  const hash = HASHES.get(key) ?? id(TypedDataUtils.encodeType(primaryType, types as never));
  HASHES.set(key, hash);
  return hash;
}

type Reader = (sentence: string, message: Json, domain: Json, intent: LocalizedIntent) => void;

const READERS: Readonly<Partial<Record<IntentKind, Reader>>> = {
  erc20_permit: (sentence, message, domain) => {
    if (sentence.startsWith("Take back ")) {
      assert.equal(BigInt(String(message.value)), 0n);
      readTakenBack(sentence, { ...message, end: message.deadline }, domain);
      return;
    }
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
    if (sentence.startsWith("Take back ")) {
      assert.equal(message.allowed, false);
      readTakenBack(sentence, { ...message, owner: message.holder, end: message.expiry }, domain);
      return;
    }
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
    if (sentence.startsWith("Take back ")) {
      const [{ amount, token } = {}, ...others] = [message.details].flat() as readonly Json[];
      assert.equal(others.length, 0);
      assert.equal(BigInt(String(amount)), 0n);
      const document = { ...message, owner: SIGNER, end: message.sigDeadline };
      readTakenBack(sentence, document, { ...domain, verifyingContract: token });
      return;
    }
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
      /^Allow (.+?) to take (.+) from (.+?) on (.+?) and send it anywhere, once, through Permit2, until (.+? UTC|a time after the year 9999)\.(?: It is bound to what “\w+” below says, which is not understood here\.)?$/,
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
      /^Send (.+?) from (.+) to (.+?) on (.+?)\. (The recipient alone|Anyone) can carry it out, once, (?:after (.+?) and )?before (.+)\.$/,
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
      /^Give (.+) of (this key \(0x\w{40}\)|your key “Savings” \(0x\w{40}\)|[^,]*?0x\w{40}\)?) on (.+?); for it (nothing comes back|.+? must come back)(?:, and (.+))?\. (Anyone|Only accounts that the zone 0x\w{40} allows) can take the order from (.+) until (.+)\.$/,
    );
    sameAddress(owner!, message.offerer);
    sameChain(chain!, domain.chainId);
    sameDate(start!, message.startTime);
    sameDate(end!, message.endTime);
    assert.equal(who === "Anyone", BigInt(String(message.orderType)) < 2n);
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
    if (refund !== "") sameRefund(refund!, message, domain.chainId);
    const isDelegate = BigInt(String(message.operation)) === 1n;
    const runs = what!.startsWith("Run the code of ");
    if (!isDelegate) assert.ok(!runs);
    assert.equal(intent.warnings.some(({ code }) => code === "delegate_call"), runs);
    const call = {
      chainId: BigInt(String(domain.chainId)),
      to: String(message.to),
      value: BigInt(String(message.value)),
      data: String(message.data),
    };
    if (isDelegate && what!.startsWith("Carry out: ")) {
      readCallSentence(what!, String(safe), { ...call, value: 0n });
      return;
    }
    if (isDelegate) {
      const [code, length] = pieces(what!, /^Run the code of (.+?) as its own, with (\d+) bytes/);
      sameAddress(code!, message.to);
      assert.equal(Number(length), String(message.data).length / 2 - 1);
      return;
    }
    readCallSentence(`${what!}.`, String(safe), call);
  },
  forward_request: (sentence, message, domain) => {
    const [forwarder, from, chain, end, what] = pieces(
      sentence,
      /^Let anyone carry out, once, through (.+?) in the name of (.+?) on (.+?)(?:, until (.+? UTC|a time after the year 9999))?: (.+)$/,
    );
    sameAddress(forwarder!, domain.verifyingContract);
    sameAddress(from!, message.from);
    sameChain(chain!, domain.chainId);
    if (end === "") assert.equal(message.deadline, undefined);
    else sameDate(end!, message.deadline);
    readCallSentence(what!, getAddress(String(message.from)), {
      chainId: BigInt(String(domain.chainId)),
      to: String(message.to),
      value: BigInt(String(message.value)),
      data: String(message.data),
    });
  },
  user_operation: (sentence, message, domain) => {
    const [nonce, account, chain, setUp, called, payer, cost] = pieces(
      sentence,
      /^Run the user operation (\d+) of the account (.+?) on (.+?)(, setting the account up first)?: (.+)\. For gas, (.+) pays (.+) at most\.$/,
    );
    assert.equal(BigInt(nonce!), BigInt(String(message.nonce)));
    sameAddress(account!, message.sender);
    sameChain(chain!, domain.chainId);
    assert.equal(setUp === "", message.initCode === "0x");
    const data = String(message.callData).toLowerCase();
    if (data === "0x") assert.equal(called, "nothing is called");
    else {
      readCallSentence(called!, getAddress(String(domain.verifyingContract)), {
        chainId: BigInt(String(domain.chainId)),
        to: String(message.sender),
        value: 0n,
        data,
      });
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

function readTakenBack(sentence: string, { spender, owner, end }: Json, domain: Json): void {
  const [who, token, from, chain, when] = pieces(
    sentence,
    /^Take back what (.+) may spend of (.+) from (.+) on (.+)\. The permit can be used (.+)\.$/,
  );
  sameAddress(who!, spender);
  assert.equal(addressIn(token!), getAddress(String(domain.verifyingContract)));
  sameAddress(from!, owner);
  sameChain(chain!, domain.chainId);
  if (when === "at any time") assert.equal(BigInt(String(end)), 0n);
  else sameDate(when!.replace(/^until /, ""), end);
}

/** Checks the gas refund of a Safe: its receiver, fixed part and price. */
function sameRefund(
  refund: string,
  { baseGas, gasPrice, gasToken, refundReceiver }: Json,
  chainId: unknown,
): void {
  const [receiver, fixed, price] = pieces(
    refund,
    /^(.+) for gas: up to (.+) however little it uses, and up to (.+) for each unit that it uses$/,
  );
  const unmeasured = BigInt(String(baseGas)) * BigInt(String(gasPrice));
  const isNamed = BigInt(String(refundReceiver)) !== 0n;
  if (isNamed) sameAddress(receiver!, refundReceiver);
  else assert.equal(receiver, "the account that carries it out");
  for (const [words, amount] of [[price!, gasPrice], [fixed!, unmeasured]] as const) {
    if (BigInt(String(gasToken)) === 0n) sameNative(words, amount);
    else sameAmount(words, chainId, gasToken, amount);
  }
}

function halves(word: unknown): readonly bigint[] {
  return [BigInt(dataSlice(String(word), 0, 16)), BigInt(dataSlice(String(word), 16, 32))];
}

function sameEffects(
  intent: LocalizedIntent,
  permits: readonly (readonly [unknown, unknown])[],
  most: bigint,
): void {
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

/** Checks a sentence about typed data. Returns "plain" if this reader does not know the kind. */
export function readTypedDataSentence(document: TypedDataJson, intent: LocalizedIntent): "true" | "plain" {
  const reader = READERS[intent.kind];
  if (reader === undefined) {
    if (intent.kind === "described") {
      readDescribedSentence(document, intent.sentence);
      return "true";
    }
    assert.equal(intent.kind, "typed_data");
    assert.match(intent.sentence, /What it does is not known here/);
    return "plain";
  }
  const hash = typeHashOf(document);
  if (!document.primaryType.includes("Witness")) assert.equal(TYPE_HASHES[hash], intent.kind);
  reader(intent.sentence, document.message, document.domain, intent);
  return "true";
}
