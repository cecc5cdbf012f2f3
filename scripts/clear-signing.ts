import process from "node:process";
import { runRegistryTests } from "../test/clear-signing/registry-tests.ts";
import { readArguments } from "./arguments.ts";

// Runs the tests of a copy of the ERC-7730 registry, as `npm run clear-signing -- FOLDER`. Prints a table and the
// differences.

const USAGE = "bun scripts/clear-signing.ts folder";
const [folder] = readArguments(USAGE, 1);
if (folder === undefined) {
  process.stderr.write(`usage: ${USAGE}\n`);
  process.exit(2);
}
const { formats, leftOut, cases } = runRegistryTests(folder);
const right = cases.filter(({ verdict }) => verdict === "right").length;
const wrong = cases.filter(({ verdict }) => verdict === "wrong").length;
const withTokens = cases.filter(({ hasDecimals }) => hasDecimals !== null);
const withoutDecimals = withTokens.filter(({ hasDecimals }) => hasDecimals === false);
const differences = cases.filter(({ verdict }) => verdict !== "right").flatMap((one) => [
  `\n${one.verdict}: ${one.name} (${one.kind})`,
  ...one.differences.map((difference) => `  ${difference}`),
]);
process.stdout.write(
  [
    "| Measure | Result |",
    "|---|---|",
    `| formats honoured | ${formats} of ${formats + leftOut.length} |`,
    `| test cases right, with their tokens | ${right} of ${cases.length}, ${wrong} wrong |`,
    `| sentences in which no decimals are missing, without their tokens | ${
      cases.length - withoutDecimals.length
    } of ${cases.length} |`,
    `| of these with amounts of tokens | ${
      withTokens.length - withoutDecimals.length
    } of ${withTokens.length} |`,
    ...differences,
    "",
    ...leftOut.map(({ path, reason }) => `left out: ${path}: ${reason}`),
    "",
  ].join("\n"),
);
