import fc from "fast-check";
import { keccak256, stringToHex } from "viem";
import {
  addresses,
  chains,
  contracts,
  DOMAINS,
  mostlyOne,
  NUMBERS,
  oneOf,
  SECONDS,
  SHAPES,
  SWAP,
  TEXTS,
  TRANSFER,
} from "./documents.ts";

/** Policies from small pools: limits around the values of `documents.ts`, and valid and invalid paths. */

const outcome = oneOf(["allow", "ask"]);
const anyOutcome = oneOf(["allow", "ask", "deny", "deny"]);
const listedValue = oneOf<string | boolean | number>([
  ...addresses,
  ...NUMBERS,
  ...TEXTS,
  "0x5",
  "05",
  "-1",
  true,
  5,
  "0xa9059cbb",
  "0x00",
]);
const limit = fc.oneof(
  fc.record({ atMost: oneOf(["0", "5", "6", "10", String(SECONDS), (2n ** 160n).toString()]) }),
  fc.record({ oneOf: fc.uniqueArray(listedValue, { minLength: 1, maxLength: 6, selector: String }) }),
  fc.record({ within: oneOf([0, 60]) }),
  fc.record({ atMost: oneOf(["10"]), oneOf: fc.uniqueArray(oneOf(NUMBERS), { minLength: 1, maxLength: 4 }) }),
);
const where = (paths: readonly string[]) =>
  fc.oneof(
    fc.constant({}),
    fc.dictionary(oneOf(paths), limit, { maxKeys: 1 }),
    fc.dictionary(oneOf([...paths, "/none"]), limit, { maxKeys: 3 }),
  );
/** The budgets `a` and `b` are for all, and `c` for each recipient. */
const spends = (paths: readonly string[], recipients = paths, channels = paths) => {
  const amount = fc.record({ budget: oneOf(["a", "b"]), path: oneOf(paths) }, { requiredKeys: ["budget"] });
  const voucher = fc.record({ budget: oneOf(["a", "b"]), path: oneOf(paths), channel: oneOf(channels) });
  const payment = fc.record(
    { budget: fc.constant("c"), path: oneOf(paths), recipient: oneOf(recipients) },
    { requiredKeys: ["budget", "recipient"] },
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(fc.oneof(amount, voucher, payment), {
        maxLength: 2,
        selector: ({ budget, path }) => budget + path,
      }),
    },
  );
};
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 4 });
const set = (values: readonly string[]) => fc.uniqueArray(oneOf(values), { minLength: 1, maxLength: 3 });

const typedDataRule = oneOf([...SHAPES, SHAPES[0]!]).chain(({ encodeType, paths }) =>
  fc.record({
    chainId: oneOf([...mostlyOne, null]),
    verifyingContract: oneOf([...contracts, null]),
    name: oneOf(["Pay", "Pay", "Pay", "Pal"]),
    domainVersion: oneOf(["1", "2"]),
    typeHash: fc.constant(keccak256(stringToHex(encodeType))),
    where: where(paths),
    spends: spends(paths),
    outcome,
  }, { requiredKeys: ["chainId", "verifyingContract", "name", "typeHash"] })
);

const recipients = fc.oneof(fc.constant("any"), set(addresses));
const transactionRule = fc.oneof(
  fc.record({
    chainId: oneOf(chains),
    to: recipients,
    valueAtMost: oneOf(["0", "5", "10"]),
    feeAtMost: oneOf(["2", "10", "1000000"]),
    selectors: fc.oneof(fc.constant("any"), set(["0x", "0xa9059cbb", "0x095ea7b3"])),
    delegates: recipients,
    spends: spends(["/value", "/fee"], ["/to"], ["/call/none"]),
    outcome,
  }, { requiredKeys: ["chainId", "to", "valueAtMost", "feeAtMost", "selectors"] }),
  fc.record({
    chainId: oneOf(chains),
    to: recipients,
    valueAtMost: oneOf(["0", "5", "10"]),
    feeAtMost: oneOf(["10", "1000000"]),
    call: fc.oneof(
      fc.record({ function: fc.constant(TRANSFER), where: where(["/to", "/value"]) }),
      fc.record({ function: fc.constant(SWAP), where: where(["/path/*", "/path/0", "/amount", "/data"]) }),
    ),
    spends: spends(["/value", "/call/value", "/call/amount"], ["/to", "/call/to"], ["/call/to"]),
    outcome,
  }, { requiredKeys: ["chainId", "to", "valueAtMost", "feeAtMost", "call"] }),
  fc.record({
    chainId: oneOf(chains),
    to: fc.constant("creation"),
    valueAtMost: oneOf(["0", "5"]),
    feeAtMost: fc.constant("100"),
    selectors: fc.constant("any"),
    outcome,
  }),
);

const signInRule = fc.record(
  { domains: set(DOMAINS), chainIds: set(chains), resources: fc.constant("any"), outcome },
  { requiredKeys: ["domains"] },
);

/** Policies as an owner could write them. */
export const policies = fc.record({
  version: fc.constant(1),
  messages: fc.record({ signIn: list(signInRule), text: anyOutcome, bytes: anyOutcome }, {
    requiredKeys: [],
  }),
  typedData: fc.array(typedDataRule, { maxLength: 8 }),
  transactions: list(transactionRule),
  authorizations: list(
    fc.record({ chainId: oneOf(chains), delegates: recipients, outcome }, {
      requiredKeys: ["chainId", "delegates"],
    }),
  ),
  raw: anyOutcome,
  digest: anyOutcome,
  perMinute: oneOf([1, 5]),
  perDay: oneOf([1, 5]),
  rollingWeek: oneOf([1, 5]),
  notAfter: oneOf(["2020-01-01T00:00:00Z", "2040-01-01T00:00:00Z", "2040-01-01T00:00:00Z"]),
  budgets: fc.record({
    a: oneOf(["0", "5", "100"]).map((perDay) => ({ perDay })),
    b: fc.constant({ perDay: "10" }),
    c: oneOf([{ rollingHour: "5" }, { total: "10" }, { rollingDay: "100", rollingWeek: "6" }]),
  }),
}, { requiredKeys: ["version", "typedData", "transactions", "budgets"] });
