import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readTransaction } from "../../../src/ethereum/transaction/parse.ts";
import {
  AUTHORIZATION,
  GOOD,
  HASH,
  KEY,
  type Refusal,
  refusesTransactions,
  TO,
  without,
} from "./refusing.ts";

const { legacy, eip2930, eip1559, eip4844, eip7702 } = GOOD;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

refusesTransactions("what is no object of a known type", [
  ["the input is null", null, "", /^Expected an object$/],
  ["the input is a list", [legacy], "", /^Expected an object$/],
  ["the input is a text", "0x02", "", /^Expected an object$/],
  ["there is no type", without(legacy, "type"), "/type", /^Missing member "type": one of legacy, eip2930, /],
  ["the type is a number", { ...legacy, type: 2 }, "/type", /^Unknown type; expected one of/],
  ["the type is that of a node", { ...legacy, type: "0x2" }, "/type", /^Unknown type "0x2"; expected one of/],
  ["the type is misspelt", { ...legacy, type: "eip1595" }, "/type", /did you mean "eip1559"\?; expected/],
  ["the type is in capitals", { ...legacy, type: "EIP1559" }, "/type", /did you mean "eip1559"\?/],
  [
    "the type is an inherited name",
    { ...legacy, type: "constructor" },
    "/type",
    /^Unknown type "constructor"/,
  ],
  ["the type is null", { ...legacy, type: null }, "/type", /^Unknown type;/],
]);

refusesTransactions("what is missing", [
  ...["chainId", "nonce", "gasPrice", "to"].map((name): Refusal => [
    `${name} is missing`,
    without(legacy, name),
    `/${name}`,
    new RegExp(`^Missing member "${name}": `),
  ]),
  [
    "gas is missing",
    without(legacy, "gas"),
    "/gasLimit",
    /^Missing member "gasLimit" \(or "gas"\): the service does not query a chain/,
  ],
  [
    "the chain id is missing",
    without(legacy, "chainId"),
    "/chainId",
    /would be valid on every chain \(EIP-155\)$/,
  ],
  ["to is missing", without(eip1559, "to"), "/to", /: send null to create a contract$/],
  ["maxFeePerGas is missing", without(eip1559, "maxFeePerGas"), "/maxFeePerGas", /^Missing member/],
  ["a tip is missing", without(eip1559, "maxPriorityFeePerGas"), "/maxPriorityFeePerGas", /^Missing member/],
  [
    "maxFeePerBlobGas is missing",
    without(eip4844, "maxFeePerBlobGas"),
    "/maxFeePerBlobGas",
    /^Missing member/,
  ],
  [
    "blobVersionedHashes is missing",
    without(eip4844, "blobVersionedHashes"),
    "/blobVersionedHashes",
    /^Missing member/,
  ],
  ["authorizationList is missing", without(eip7702, "authorizationList"), "/authorizationList", /^Missing/],
  [
    "an access list has no address",
    { ...eip2930, accessList: [{ storageKeys: [] }] },
    "/accessList/0/address",
    /^Miss/,
  ],
  [
    "an access list has no keys",
    { ...eip2930, accessList: [{ address: TO }] },
    "/accessList/0/storageKeys",
    /^Miss/,
  ],
  [
    "a member is inherited",
    Object.assign(Object.create({ nonce: 0 }), without(legacy, "nonce")),
    "/nonce",
    /^Missing/,
  ],
]);

const SIDECAR = /^Only the blobs' hashes are signed: send the transaction without its sidecar$/;
const SIGNED = /^Already signed: send the transaction without its signature$/;

refusesTransactions("what does not belong", [
  ["a member is unknown", { ...legacy, gasprice: 1 }, "/gasprice", /^Unknown member "gasprice"$/],
  ["a member is misspelt", { ...without(legacy, "nonce"), nonse: 1 }, "/nonse", /did you mean "nonce"\?$/],
  [
    "a member is named __proto__",
    JSON.parse(`{"type":"legacy","__proto__":1}`),
    "/__proto__",
    /^Unknown member/,
  ],
  ["a member has a very long name", { ...legacy, ["x".repeat(65)]: 1 }, "", /^Unknown member "x{61}\.\.\."$/],
  ["a member has an ill-formed name", { ...legacy, "\ud800": 1 }, "", /^Unknown member/],
  [
    "legacy has an access list",
    { ...legacy, accessList: [] },
    "/accessList",
    /^A transaction of type legacy has no "accessList"$/,
  ],
  [
    "legacy has fees",
    { ...legacy, maxFeePerGas: 1 },
    "/maxFeePerGas",
    /^A transaction of type legacy has no/,
  ],
  [
    "eip1559 has a gas price",
    { ...eip1559, gasPrice: 1 },
    "/gasPrice",
    /^A transaction of type eip1559 has no/,
  ],
  [
    "eip1559 has blobs' hashes",
    { ...eip1559, blobVersionedHashes: [] },
    "/blobVersionedHashes",
    /eip1559 has no/,
  ],
  [
    "eip4844 has authorizations",
    { ...eip4844, authorizationList: [] },
    "/authorizationList",
    /eip4844 has no/,
  ],
  ["there is a sender", { ...legacy, from: TO }, "/from", /^The sender is the key that signs: leave it out$/],
  ...["r", "s", "v", "yParity", "signature", "hash"].map((name): Refusal => [
    `it is signed: ${name}`,
    { ...eip1559, [name]: "0x1" },
    `/${name}`,
    SIGNED,
  ]),
  ...["blobs", "sidecar", "sidecars", "commitments", "proofs", "kzg", "blobVersion", "wrapperVersion"].map(
    (name): Refusal => [`it includes its sidecar: ${name}`, { ...eip4844, [name]: [] }, `/${name}`, SIDECAR],
  ),
  [
    "an access list's entry has more",
    { ...eip2930, accessList: [{ address: TO, storageKeys: [], x: 1 }] },
    "/accessList/0/x",
    /^Unknown member "x"$/,
  ],
  [
    "an authorization has more",
    { ...eip7702, authorizationList: [{ ...AUTHORIZATION, v: 27 }] },
    "/authorizationList/0/v",
    /^Unknown member "v"$/,
  ],
]);

refusesTransactions("two names that differ", [
  [
    "data and input differ",
    { ...legacy, data: "0x01", input: "0x02" },
    "/input",
    /^"data" and "input" are two names of one member, and differ$/,
  ],
  ["input is empty beside data", { ...legacy, data: "0x01", input: "0x" }, "/input", /differ$/],
  ["gas and gasLimit differ", { ...legacy, gasLimit: 21_001 }, "/gas", /^"gasLimit" and "gas" are two names/],
  ["input is null", { ...legacy, input: null }, "/input", /^Expected 0x and an even number of hex digits$/],
  ["data is no hex beside input", { ...legacy, data: "zz", input: "0x" }, "/data", /^Expected 0x/],
]);

refusesTransactions("what is no integer", [
  [
    "a number is beyond 2^53",
    { ...legacy, gasPrice: 2 ** 53 },
    "/gasPrice",
    /^Number beyond 2\^53 is not exact/,
  ],
  ["a nonce is beyond 2^53", { ...legacy, nonce: 2 ** 53 }, "/nonce", /^Number beyond 2\^53 is not exact/],
  ["a number has a fraction", { ...legacy, nonce: 1.5 }, "/nonce", /^Expected an integer for nonce$/],
  ["a number is negative", { ...legacy, nonce: -1 }, "/nonce", /^Too small: at least 0$/],
  ["digits are negative", { ...legacy, value: "-1" }, "/value", /^Too small: at least 0$/],
  [
    "digits have a leading zero",
    { ...legacy, value: "01" },
    "/value",
    /^Expected decimal digits, or 0x and hex/,
  ],
  ["digits have an exponent", { ...legacy, value: "1e18" }, "/value", /^Expected decimal digits/],
  ["digits have a space", { ...legacy, value: " 1" }, "/value", /^Expected decimal digits/],
  ["digits have a unit", { ...legacy, value: "1 ether" }, "/value", /^Expected decimal digits/],
  ["the text is empty", { ...legacy, value: "" }, "/value", /^Expected decimal digits/],
  ["hex has no digits", { ...legacy, value: "0x" }, "/value", /^Expected decimal digits/],
  ["hex has a capital X", { ...legacy, value: "0X1" }, "/value", /^Expected decimal digits/],
  [
    "hex is too long",
    { ...legacy, value: "0x" + "0".repeat(64) + "1" },
    "/value",
    /^Expected decimal digits/,
  ],
  ["it is null", { ...legacy, value: null }, "/value", /^Expected an integer or a string of one for value$/],
  ["it is true", { ...legacy, nonce: true }, "/nonce", /^Expected an integer or a string of one for nonce$/],
  ["it is a list", { ...legacy, nonce: [1] }, "/nonce", /^Expected an integer or a string/],
  ["it is undefined", { ...legacy, nonce: undefined }, "/nonce", /^Expected an integer or a string/],
]);

refusesTransactions("what is out of range", [
  ["the chain id is 0", { ...legacy, chainId: 0 }, "/chainId", /^Too small: at least 1$/],
  [
    "the chain id is beyond EIP-2294",
    { ...legacy, chainId: "9223372036854775772" },
    "/chainId",
    /^Too large: at most 9223372036854775771$/,
  ],
  [
    "the nonce is 2^64 - 1 (EIP-2681)",
    { ...legacy, nonce: "18446744073709551615" },
    "/nonce",
    /^Too large: at most 18446744073709551614$/,
  ],
  [
    "the gas is 2^64",
    { ...legacy, gas: "18446744073709551616" },
    "/gas",
    /^Too large: at most 18446744073709551615$/,
  ],
  ["the value is 2^256", { ...legacy, value: (2n ** 256n).toString() }, "/value", /^Too large/],
  ["the price is 2^256", { ...legacy, gasPrice: (2n ** 256n).toString() }, "/gasPrice", /^Too large/],
  [
    "the tip is above the fee",
    { ...eip1559, maxPriorityFeePerGas: 3 },
    "/maxPriorityFeePerGas",
    /^maxPriorityFeePerGas is larger than maxFeePerGas$/,
  ],
  [
    "a blob transaction's is, too",
    { ...eip4844, maxPriorityFeePerGas: 3 },
    "/maxPriorityFeePerGas",
    /is larger/,
  ],
  [
    "that of one that sets code is, too",
    { ...eip7702, maxPriorityFeePerGas: 3 },
    "/maxPriorityFeePerGas",
    /is larger/,
  ],
]);

refusesTransactions("what are no bytes and no address", [
  ["data has no 0x", { ...legacy, data: "00" }, "/data", /^Expected 0x and an even number of hex digits$/],
  ["data has half a byte", { ...legacy, data: "0x0" }, "/data", /^Expected 0x and an even number/],
  ["data is null", { ...legacy, data: null }, "/data", /^Expected 0x and an even number/],
  [
    "to has a wrong checksum",
    { ...legacy, to: TO.replace("A", "a") },
    "/to",
    /^Wrong checksum: .* EIP-55 gives$/,
  ],
  ["to is short", { ...legacy, to: TO.slice(0, -2) }, "/to", /^Expected an address: 0x and 40 hex digits$/],
  ["to is empty", { ...legacy, to: "" }, "/to", /^Expected an address/],
  ["to is 0x", { ...legacy, to: "0x" }, "/to", /^Expected an address/],
  ["to is a name", { ...legacy, to: "vitalik.eth" }, "/to", /^Expected an address/],
  ["to is undefined", { ...legacy, to: undefined }, "/to", /^Expected an address/],
  [
    "blobs make a contract",
    { ...eip4844, to: null },
    "/to",
    /^Transactions of this type cannot create a contract/,
  ],
  [
    "authorizations make a contract",
    { ...eip7702, to: null },
    "/to",
    /^Transactions of this type cannot create a contract/,
  ],
]);

refusesTransactions("what is no list of its kind", [
  ["an access list is an object", { ...eip2930, accessList: {} }, "/accessList", /^Expected a list$/],
  ["an access list is null", { ...eip1559, accessList: null }, "/accessList", /^Expected a list$/],
  ["an entry is a pair", { ...eip2930, accessList: [[TO, [KEY]]] }, "/accessList/0", /^Expected an object$/],
  [
    "an entry's address is none",
    { ...eip2930, accessList: [{ address: KEY, storageKeys: [] }] },
    "/accessList/0/address",
    /^Expected an address/,
  ],
  [
    "a key is short",
    { ...eip2930, accessList: [{ address: TO, storageKeys: [KEY, "0x01"] }] },
    "/accessList/0/storageKeys/1",
    /^Wrong length: expected 32 bytes, not 1$/,
  ],
  [
    "a key is a number",
    { ...eip2930, accessList: [{ address: TO, storageKeys: [1] }] },
    "/accessList/0/storageKeys/0",
    /^Expected 0x/,
  ],
  [
    "there is no blob",
    { ...eip4844, blobVersionedHashes: [] },
    "/blobVersionedHashes",
    /^A blob transaction has at least one blob$/,
  ],
  [
    "a blob's hash is short",
    { ...eip4844, blobVersionedHashes: ["0x01"] },
    "/blobVersionedHashes/0",
    /^Wrong length/,
  ],
  [
    "a blob's hash has another version",
    { ...eip4844, blobVersionedHashes: [HASH, "0x02" + HASH.slice(4)] },
    "/blobVersionedHashes/1",
    /^A versioned hash of a blob begins with 0x01$/,
  ],
  [
    "there is no authorization",
    { ...eip7702, authorizationList: [] },
    "/authorizationList",
    /^A transaction that sets code has at least one/,
  ],
]);

/** Returns a transaction with an authorization in which one member is replaced. */
function authorized(name: string, value: unknown): unknown {
  return { ...eip7702, authorizationList: [AUTHORIZATION, { ...AUTHORIZATION, [name]: value }] };
}

refusesTransactions("an authorization that no account can have signed", [
  [
    "it has no signature",
    { ...eip7702, authorizationList: [without(AUTHORIZATION, "r")] },
    "/authorizationList/0/r",
    /^Missing member "r"$/,
  ],
  ["yParity is 2", authorized("yParity", 2), "/authorizationList/1/yParity", /^Too large: at most 1$/],
  ["yParity is 27", authorized("yParity", 27), "/authorizationList/1/yParity", /^Too large: at most 1$/],
  ["r is 0", authorized("r", 0), "/authorizationList/1/r", /^Too small: at least 1$/],
  ["r is the order", authorized("r", ORDER.toString()), "/authorizationList/1/r", /^Too large/],
  ["s is 0", authorized("s", 0), "/authorizationList/1/s", /^Too small: at least 1$/],
  [
    "s is high (EIP-2)",
    authorized("s", (ORDER / 2n + 1n).toString()),
    "/authorizationList/1/s",
    /^Too large/,
  ],
  [
    "its nonce is 2^64 - 1",
    authorized("nonce", "18446744073709551615"),
    "/authorizationList/1/nonce",
    /^Too large/,
  ],
  [
    "its chain id is negative",
    authorized("chainId", -1),
    "/authorizationList/1/chainId",
    /^Too small: at least 0$/,
  ],
  [
    "its address is none",
    authorized("address", "0x"),
    "/authorizationList/1/address",
    /^Expected an address/,
  ],
]);

describe("readTransaction() accepts", () => {
  for (const transaction of Object.values(GOOD)) {
    test(`readTransaction() accepts the plain transaction of type ${transaction.type}`, () => {
      assert.equal(readTransaction(transaction).type, transaction.type);
    });
  }

  test("readTransaction() reads each spelling of an integer as the same value", () => {
    const spellings = [255, 255.0, "255", "0xff", "0xFF", "0x0000ff"];
    for (const nonce of spellings) assert.equal(readTransaction({ ...legacy, nonce }).nonce, 255n);
  });

  test("readTransaction() accepts both names of a member if they are equal", () => {
    const both = readTransaction({ ...legacy, gasLimit: "0x5208", data: "0xAB", input: "0xab" });
    assert.deepEqual([both.gasLimit, both.data.toHex()], [21_000n, "ab"]);
  });

  test("readTransaction() accepts value, data and access list as empty if they are omitted", () => {
    const { value, data, ...rest } = readTransaction(eip1559);
    assert.deepEqual([value, data.length], [0n, 0]);
    assert.deepEqual("accessList" in rest && rest.accessList, []);
  });

  test("readTransaction() reads a contract creation when to is null", () => {
    for (const transaction of [legacy, eip2930, eip1559]) {
      assert.equal(readTransaction({ ...transaction, to: null }).to, null);
    }
  });

  test("readTransaction() accepts values at the limits", () => {
    const edge = {
      ...legacy,
      chainId: "9223372036854775771",
      nonce: "18446744073709551614",
      gas: "18446744073709551615",
      value: (2n ** 256n - 1n).toString(),
    };
    assert.equal(readTransaction(edge).value, 2n ** 256n - 1n);
    const tip = readTransaction({ ...eip1559, maxPriorityFeePerGas: 2 });
    assert.ok("maxFeePerGas" in tip && tip.maxFeePerGas === tip.maxPriorityFeePerGas);
  });

  test("readTransaction() accepts an authorization that another account signed for every chain", () => {
    const { authorizationList } = readTransaction(
      { ...eip7702, authorizationList: [{ ...AUTHORIZATION, chainId: 0 }] },
    ) as { authorizationList: readonly { chainId: bigint }[] };
    assert.equal(authorizationList[0]!.chainId, 0n);
  });
});
