import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { transactionIntent } from "../../src/clear-signing/transaction.ts";
import type { WarningCode } from "../../src/clear-signing/intent.ts";
import {
  type CallJson,
  CONTEXT,
  type ExpectedSample,
  OTHER_KEY,
  type Sample,
  SAMPLES,
  SIGNER,
  STRANGER,
  type TypedDataJson,
} from "./documents.ts";
import { explainSample, intentOf, transactionOf } from "./explain-sample.ts";
import { PAYLOADS } from "./payloads.ts";
import { FURTHER } from "./further-documents.ts";
import { WARNING_NAMES, warningNames } from "./warning-names.ts";

const SECOND = BigInt(CONTEXT.now / 1000);
const DAY = 86_400n;

function codesOf(sample: Sample, context = CONTEXT): readonly WarningCode[] {
  return explainSample(sample, context).warnings.map(({ code }) => code);
}

function typed(name: string): TypedDataJson {
  const sample = SAMPLES.find((sample) => sample.name === name);
  assert.ok(sample !== undefined && "typedData" in sample, name);
  return sample.typedData;
}

/** Returns the warnings of a sample with some members replaced. */
function changed(
  name: string,
  message: Record<string, unknown>,
  domain: Record<string, unknown> = {},
): readonly WarningCode[] {
  const typedData = typed(name);
  return codesOf({
    name,
    typedData: {
      ...typedData,
      domain: { ...typedData.domain, ...domain },
      message: { ...typedData.message, ...message },
    },
  });
}

const SAFE_SENDS = { name: "Safe sends ether" } as const;

/** Returns that Safe's transaction with another call. */
function safeCall(to: string, data: string): TypedDataJson {
  const typedData = typed(SAFE_SENDS.name);
  return { ...typedData, message: { ...typedData.message, to, value: "0", data } };
}

const PERMIT = "USDC permit, 250 USDC for a day";
const TRANSFER = "x402 payment (ERC-3009)";
const LISTING = "Seaport listing";

describe("warnings", () => {
  for (const sample of [...SAMPLES, ...FURTHER, ...PAYLOADS]) {
    test(`are complete, and in their order, of: ${sample.name}`, () => {
      const intent = intentOf(sample, { ...CONTEXT, ...sample.context });
      assert.deepEqual(warningNames(intent), sample.warnings);
    });
  }

  test("mark every sample that is not understood, and most payloads are", () => {
    const unknown = ["typed_data", "contract_call", "contract_creation", "bytes", "digest"];
    const understood = (sample: ExpectedSample): boolean => {
      const { kind, warnings } = intentOf(sample, { ...CONTEXT, ...sample.context });
      const isMarked = warnings.some(({ code }) =>
        ["not_understood", "unread_arguments", "delegate_call", "looks_like_transaction"].includes(code)
      );
      assert.ok(isMarked || !unknown.includes(kind), sample.name);
      return !isMarked && kind !== "text";
    };
    const count =
      [...FURTHER, ...SAMPLES, ...PAYLOADS].map(understood).slice(-PAYLOADS.length).filter(Boolean).length;
    assert.ok(PAYLOADS.length >= 64 && count >= 45, `${count} of ${PAYLOADS.length}`);
  });

  test("each occur in a sample", () => {
    const expected = new Set<string>(
      [...SAMPLES, ...FURTHER, ...PAYLOADS].flatMap(({ warnings }) =>
        warnings.map((name) => name.replace(/^red /, ""))
      ),
    );
    assert.deepEqual(WARNING_NAMES.filter((name) => !expected.has(name)), []);
  });

  const amounts: readonly (readonly [amount: bigint, warns: boolean])[] = [
    [(1n << 96n) - 2n, false],
    [(1n << 96n) - 1n, true],
    [1n << 96n, false],
    [(1n << 112n) - 2n, false],
    [(1n << 112n) - 1n, true],
    [(1n << 256n) - 2n, true],
    [(1n << 256n) - 1n, true],
    [0n, false],
  ];
  for (const [amount, warns] of amounts) {
    test(`unlimited_allowance ${warns ? "is" : "is not"} shown for ${amount}`, () => {
      assert.equal(changed(PERMIT, { value: amount.toString() }).includes("unlimited_allowance"), warns);
    });
  }

  test("not_this_key names every other owner, even another key of the same user", () => {
    assert.deepEqual(changed(PERMIT, { owner: SIGNER.toLowerCase() }), []);
    for (const owner of [STRANGER, OTHER_KEY]) {
      assert.deepEqual(changed(PERMIT, { owner }), ["not_this_key"]);
      assert.ok(changed(TRANSFER, { from: owner }).includes("not_this_key"));
      assert.ok(changed(LISTING, { offerer: owner }).includes("not_this_key"));
      assert.ok(changed("DAI permit", { holder: owner }).includes("not_this_key"));
    }
    assert.ok(!changed(TRANSFER, { to: STRANGER }).includes("not_this_key"));
    // The same document with the other key as signer.
    const typedData = typed(PERMIT);
    assert.deepEqual(codesOf({ name: PERMIT, typedData }, { ...CONTEXT, signer: OTHER_KEY }), [
      "not_this_key",
    ]);
  });

  const ends: readonly (readonly [end: bigint, code: WarningCode | undefined])[] = [
    [0n, "expired"],
    [SECOND - 1n, "expired"],
    [SECOND, undefined],
    [SECOND + 30n * DAY, undefined],
    [SECOND + 30n * DAY + 1n, "long_deadline"],
    [SECOND + 365n * DAY, "long_deadline"],
    [SECOND + 365n * DAY + 1n, "far_future"],
    [(1n << 256n) - 1n, "far_future"],
  ];
  for (const [end, code] of ends) {
    test(`an expiry in ${end - SECOND} seconds gets ${code ?? "no warning"}`, () => {
      assert.deepEqual(changed(PERMIT, { deadline: end.toString() }), code === undefined ? [] : [code]);
    });
  }

  test("far_future is shown for a start time too", () => {
    const far = (SECOND + 366n * DAY).toString();
    assert.deepEqual(changed(TRANSFER, { validAfter: far }), ["far_future"]);
    assert.ok(changed(LISTING, { startTime: far }).includes("far_future"));
  });

  test("next_to_nothing is shown for items to the offerer, not for items to others", () => {
    const { consideration } = typed(LISTING).message as { consideration: readonly Record<string, unknown>[] };
    const [price, fee] = consideration;
    const warns = (items: readonly unknown[]): boolean =>
      changed(LISTING, { consideration: items }).includes("next_to_nothing");
    assert.equal(warns([price, fee]), false);
    assert.equal(warns([fee]), true);
    assert.equal(warns([]), true);
    assert.equal(warns([{ ...price, recipient: STRANGER }, fee]), true);
    assert.equal(warns([{ ...price, startAmount: "100000000000000", endAmount: "100000000000000" }]), false);
    assert.equal(warns([{ ...price, startAmount: "99999999999999", endAmount: "99999999999999" }]), true);
    // A price that falls to zero counts as nothing.
    assert.equal(warns([{ ...price, endAmount: "1" }]), true);
    assert.equal(warns([{ ...price, startAmount: "1" }]), true);
    const unknown = { ...price, itemType: 1, token: STRANGER };
    assert.equal(warns([{ ...unknown, startAmount: "999", endAmount: "999" }]), true);
    assert.equal(warns([{ ...unknown, startAmount: "1000", endAmount: "1000" }]), false);
  });

  test("gas_refund warns of unmeasured gas, and of gas that is paid in tokens", () => {
    const said = (message: Record<string, string>): boolean =>
      changed(SAFE_SENDS.name, message).includes("gas_refund");
    const gasPrice = "20000000000";
    assert.equal(said({ baseGas: "1000000", gasPrice }), false);
    assert.equal(said({ baseGas: "1000001", gasPrice }), true);
    assert.equal(said({ baseGas: "1000000", gasPrice: "100000000000" }), false);
    assert.equal(said({ baseGas: "1000000", gasPrice: "100000000001" }), true);
    assert.equal(said({ baseGas: "100000000000000", gasPrice: "0" }), false);
    assert.equal(said({ baseGas: "0", gasPrice, gasToken: STRANGER }), true);
  });

  test("unread_arguments is shown for known functions with unknown arguments", () => {
    const { call } = SAMPLES.find(({ name }) => name === "Transaction: allowance without limit") as {
      call: CallJson;
    };
    const codes = (data: string): readonly WarningCode[] => codesOf({ name: "", call: { ...call, data } });
    const dirty = call.data.slice(0, 10) + "01" + call.data.slice(12);
    assert.ok(codes(call.data).includes("unlimited_allowance"));
    for (const data of [dirty, call.data.slice(0, -2)]) {
      assert.ok(codes(data).includes("unread_arguments"), data);
      assert.ok(codesOf({ ...SAFE_SENDS, typedData: safeCall(call.to!, data) }).includes("unread_arguments"));
    }
    for (const data of [`${call.data}00`, call.data + "0".repeat(64)]) {
      assert.deepEqual(
        codes(data),
        codes(call.data),
        "Bytes behind the arguments are said, without a warning",
      );
    }
    assert.deepEqual(codes("0xdeadbeef00"), ["not_understood"]);
    assert.deepEqual(codes("0x095ea7"), ["not_understood"]);
  });

  test("a key that calls itself with a Safe's function may or may not be a Safe", () => {
    const data = "0x610b5925" + STRANGER.slice(2).toLowerCase().padStart(64, "0");
    const intent = explainSample({ name: "", call: { chainId: 1n, to: SIGNER, value: 0n, data } }, CONTEXT);
    assert.match(
      intent.sentence,
      /^Make this key \(0x\w{40}\), if it runs the code of a Safe, obey the module /,
    );
    assert.deepEqual(intent.warnings.map(({ code }) => code), ["unknown_module"]);
  });

  test("unknown_module is shown for unknown modules only", () => {
    const enable = (module: string): readonly WarningCode[] =>
      changed("Safe enables a module", {
        data: "0x610b5925" + module.slice(2).toLowerCase().padStart(64, "0"),
      });
    assert.deepEqual(enable(STRANGER), ["unknown_module"]);
    assert.deepEqual(enable("0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226"), []);
    // A known contract that is not a module.
    assert.deepEqual(enable("0x000000000022D473030F116dDEE9F6B43aC78BA3"), ["unknown_module"]);
  });

  const SIGN_IN = SAMPLES.find(({ name }) => name === "Sign-in (EIP-4361)") as { name: string; text: string };
  const hosts: readonly (readonly [domain: string, uri: string, warns: boolean])[] = [
    ["login.xyz", "https://login.xyz/path?query#fragment", false],
    ["login.xyz", "https://LOGIN.xyz", false],
    ["login.xyz", "https://login.xyz:443/", false],
    ["login.xyz:443", "https://login.xyz/", false],
    ["http://localhost:3000", "http://localhost:3000/", false],
    ["localhost:3000", "http://localhost:3000/", false],
    ["login.xyz", "https://login.xyz:8443/", true],
    ["login.xyz:8443", "https://login.xyz/", true],
    ["login.xyz", "https://www.login.xyz/", true],
    ["login.xyz", "https://login.xyz@evil.example/", true],
    ["login.xyz", "https://user@login.xyz/", true],
    ["login.xyz", "did:key:login.xyz", true],
    ["http://login.xyz", "https://login.xyz/", true],
  ];
  for (const [domain, uri, warns] of hosts) {
    test(`sign_in_host ${warns ? "is" : "is not"} shown for ${domain} and ${uri}`, () => {
      const text = SIGN_IN.text.replace("login.xyz wants", `${domain} wants`).replace(
        "URI: https://login.xyz",
        `URI: ${uri}`,
      );
      const intent = explainSample({ name: "sign-in", text }, CONTEXT);
      assert.equal(intent.kind, "sign_in");
      assert.equal(intent.warnings.some(({ code }) => code === "sign_in_host"), warns);
    });
  }

  test("capabilities is shown for a ReCap, with its abilities and delegate, and for one that cannot be parsed", () => {
    const read = (resource: string) =>
      explainSample({ name: "sign-in", text: `${SIGN_IN.text}\nResources:\n- ${resource}` }, CONTEXT);
    const recap = (value: unknown): string =>
      "urn:recap:" + toBase64url(utf8(typeof value === "string" ? value : JSON.stringify(value)));
    const att = { "https://example.com/pictures/": { "crud/delete": [{}], "other/action": [{}] } };
    const { warnings, fields } = read(recap({ att, prf: [] }));
    assert.deepEqual(warnings.map(({ level, code }) => [level, code]), [["red", "capabilities"]]);
    const { label, raw } = fields.at(-1)!;
    assert.deepEqual([label, raw], [
      "Lets the URI's owner",
      "crud/delete, other/action at https://example.com/pictures/",
    ]);
    const unreadable = [
      recap("{"),
      recap([]),
      recap({ att: [] }),
      recap({ att: { x: 1 } }),
      "urn:recap:~",
      "URN:RECAP:x",
    ];
    for (const resource of unreadable) {
      const intent = read(resource);
      assert.match(intent.warnings[0]?.text ?? "", /cannot be read here/, resource);
      assert.equal(intent.fields.at(-1)!.label, "Resource");
    }
    assert.deepEqual(read("https://example.com/").warnings, []);
  });

  test("sign_in_site is shown if another site requests it, and not if the owner does", () => {
    const asked = (askedBy: string | null): readonly WarningCode[] =>
      codesOf(SIGN_IN, { ...CONTEXT, askedBy });
    assert.deepEqual(asked(null), []);
    assert.deepEqual(asked("login.xyz"), []);
    assert.deepEqual(asked("login.xyz.evil.example"), ["sign_in_site"]);
  });

  test("all_chains, unknown_chain and unknown_delegate are shown for authorizations", () => {
    const codes = (chainId: bigint, address: string): readonly WarningCode[] =>
      codesOf({ name: "authorization", authorization: { chainId, address, nonce: 0n } });
    const metaMask = "0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B";
    assert.deepEqual(codes(1n, metaMask), []);
    assert.deepEqual(codes(0n, metaMask), ["all_chains"]);
    assert.deepEqual(codes(987_654n, metaMask), ["unknown_chain"]);
    assert.deepEqual(codes(1n, STRANGER), ["unknown_delegate"]);
    // Removing the code needs no known delegate, and a known contract is not one.
    assert.deepEqual(codes(1n, "0x" + "00".repeat(20)), []);
    assert.deepEqual(codes(1n, "0x000000000022D473030F116dDEE9F6B43aC78BA3"), ["unknown_delegate"]);
  });

  test("high_fee is shown for gas above a limit in the chain's currency", () => {
    const codes = (chainId: bigint, gasLimit: bigint): readonly string[] => {
      const transaction = transactionOf({ chainId, to: OTHER_KEY, value: 0n, data: "0x" });
      return transactionIntent({ ...transaction, gasLimit }, CONTEXT).warnings.map(({ code, level }) =>
        level === "red" ? `red ${code}` : code
      );
    };
    assert.deepEqual([codes(1n, 5_000_000n), codes(1n, 5_000_001n)], [[], ["high_fee"]]);
    assert.deepEqual([codes(137n, 500_000_000n), codes(137n, 500_000_001n)], [[], ["high_fee"]]);
    assert.deepEqual([codes(1n, 50_000_000n), codes(1n, 50_000_001n)], [["high_fee"], ["red high_fee"]]);
  });

  test("no_contract is shown without a contract, and for the zero address", () => {
    const without = typed("Snapshot vote");
    const withZero = {
      ...without,
      types: { Vote: without.types.Vote! },
      domain: { ...without.domain, verifyingContract: "0x" + "00".repeat(20) },
    };
    for (const typedData of [without, withZero]) {
      assert.deepEqual(codesOf({ name: "vote", typedData }), ["no_contract", "not_understood"]);
    }
  });

  test("looks_like_transaction is shown for bytes that could be one", () => {
    assert.deepEqual(codesOf({ name: "bytes", bytes: "0xdeadbeef" }), ["not_understood"]);
    assert.deepEqual(codesOf({ name: "bytes", bytes: "0x02c0" }), ["looks_like_transaction"]);
  });
});
