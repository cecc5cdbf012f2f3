import type { Amount } from "./counts.ts";
import { toHex, utf8 } from "../lib/bytes.ts";
import type { CooperativeTask } from "../lib/cooperative.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Mismatch } from "./limit.ts";
import type { Spend } from "./policy.ts";
import { type Document, type FoundValue, valuesAt } from "./values.ts";
import { reason } from "./reason.ts";

/** The digits of the largest uint256. Longer names are hashed, so that a counter's name stays short. */
const LONGEST_NAME = 78;

function nameOf({ leaf }: FoundValue): string {
  const name = String(leaf.value);
  return name.length <= LONGEST_NAME ? name : toHex(sha256(utf8(name)));
}

/** Returns the recipients or channels of the amounts: one for all, or one for each. Undefined without a path. */
function* namesOf(
  document: Document,
  path: string | undefined,
  amounts: number,
): CooperativeTask<readonly (string | undefined)[] | undefined> {
  if (path === undefined) return Array.from({ length: amounts }, () => undefined);
  const found = yield* valuesAt(document, path);
  if (found === undefined || (found.length !== 1 && found.length !== amounts)) return undefined;
  return Array.from({ length: amounts }, (_, index) => nameOf(found[found.length === 1 ? 0 : index]!));
}

/** Returns the amounts at the path, or 1 without one: the number of signatures. */
function* valuesToCount(
  document: Document,
  path: string | undefined,
): CooperativeTask<readonly bigint[] | Pick<Mismatch, "value" | "reason">> {
  if (path === undefined) return [1n];
  const found = yield* valuesAt(document, path);
  if (found === undefined) return { value: null, reason: reason("nothingCounted") };
  const odd = found.find(({ leaf }) => leaf.amount === undefined);
  if (odd !== undefined) return { value: odd.at, reason: reason("noAmount", { at: odd.at }) };
  return found.map(({ leaf }) => leaf.amount!);
}

function* amountsOfSpend(
  { budget, path, recipient, channel }: Spend,
  document: Document,
): CooperativeTask<readonly Amount[] | Mismatch> {
  const values = yield* valuesToCount(document, path);
  if ("reason" in values) return { member: "/path", ...values };
  const recipients = yield* namesOf(document, recipient, values.length);
  if (recipients === undefined) return { member: "/recipient", ...noName(document, recipient!) };
  const channels = yield* namesOf(document, channel, values.length);
  if (channels === undefined) return { member: "/channel", ...noName(document, channel!) };
  return values.map((amount, index) => (
    { budget, amount, recipient: recipients[index], channel: channels[index] }
  ));
}

function noName({ root }: Document, path: string): Omit<Mismatch, "member"> {
  const at = root.at + path;
  return { value: at, reason: reason("noSingleValue", { at }) };
}

/** Returns the amounts that an act takes from budgets, or the value that is no amount or no single name. */
export function* amountsOf(
  spends: readonly Spend[],
  document: Document,
): CooperativeTask<readonly Amount[] | Mismatch> {
  const amounts: Amount[] = [];
  for (const [index, spend] of spends.entries()) {
    const found = yield* amountsOfSpend(spend, document);
    if ("member" in found) return { ...found, member: `/spends/${index}${found.member}` };
    amounts.push(...found);
  }
  return amounts;
}
