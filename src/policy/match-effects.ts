import { toChecksumAddress } from "../ethereum/address.ts";
import { builtInDirectory } from "../clear-signing/built-in-directory.ts";
import type { Asset, Effect, Intent } from "../clear-signing/intent.ts";
import { typedDataIntent } from "../clear-signing/match-standard.ts";
import { transactionIntent } from "../clear-signing/transaction.ts";
import { explainTypedData } from "../ethereum/typed-data/typed-data-explain.ts";
import type { CooperativeTask } from "../lib/cooperative.ts";
import type { Instant } from "../lib/time.ts";
import type { Act } from "./act.ts";
import type { Amount } from "./counts.ts";
import type { Mismatch } from "./limit.ts";
import { type MatchResult, matchRules, type RuleResult } from "./match.ts";
import type { EffectRule, Give, Policy } from "./policy.ts";
import { reason } from "./reason.ts";

type Payload = Extract<Act, { readonly kind: "typed_data" | "transaction" }>;

/**
 * Reads the intent of an act by the built-in lists alone, which the measurement of the service covers. The operator's
 * descriptors and tokens decide nothing.
 */
function intentOf(act: Payload, signer: Uint8Array, now: Instant): Intent {
  const context = {
    signer: toChecksumAddress(signer),
    now,
    askedBy: null,
    labels: new Map<string, string>(),
    directory: builtInDirectory(),
  };
  return act.kind === "transaction"
    ? transactionIntent(act.transaction, context)
    : typedDataIntent(explainTypedData(act.typedData), context);
}

/**
 * An amount that an act gives, or lets another account take. `to` is undefined if anyone can take it, as with an order.
 */
interface Given {
  readonly asset: Asset;
  /** Null without limit. */
  readonly amount: bigint | null;
  readonly to: string | undefined;
}

/** Returns what an effect gives. Undefined if it can give anything: other code runs, or another controls an account. */
function givenBy(effect: Effect): readonly Given[] | undefined {
  switch (effect.effect) {
    case "allowance": {
      const { asset, spender, amount } = effect;
      return [{ asset, to: spender, amount: amount === null ? null : BigInt(amount) }];
    }
    case "transfer":
      return [{ asset: effect.asset, to: effect.to, amount: BigInt(effect.asset.amount) }];
    case "exchange":
      return effect.gives.map((asset) => ({ asset, to: undefined, amount: BigInt(asset.amount) }));
    // The called code has effects of its own, also if it runs as the account's.
    case "call":
      return [];
    case "create":
    case "delegation":
    case "control":
    case "sign_in":
      return undefined;
  }
}

/** Returns the asset as rules name it. Undefined for items of a collection. */
function assetName({ standard, address, id }: Asset): string | undefined {
  if (standard === "native") return "native";
  return (standard === "erc20" || standard === "token") && id === null && address !== null
    ? address
    : undefined;
}

function coveringGive({ gives }: EffectRule, { asset, to }: Given): Give | undefined {
  const name = assetName(asset);
  return gives.find((give) =>
    give.asset === name && (give.to === "any" || (to !== undefined && give.to.includes(to)))
  );
}

function mismatch(
  member: string,
  code: "otherChain" | "effectsUnknown" | "moreEffects" | "feeTooHigh",
): Mismatch {
  return { member, value: null, reason: reason(code) };
}

/** Returns the amounts for the budgets, or the reason why the rule does not cover all effects. */
function tryRule(rule: EffectRule, intent: Intent): RuleResult {
  if (intent.chainId !== rule.chainId) return { ...mismatch("/chainId", "otherChain"), passed: 0 };
  if (!intent.effectsComplete) return { ...mismatch("", "effectsUnknown"), passed: 1 };
  if (BigInt(intent.gasAtMost ?? 0) > BigInt(rule.feeAtMost)) {
    return { ...mismatch("/feeAtMost", "feeTooHigh"), passed: 2 };
  }
  const sums = new Map<Give, bigint>();
  for (const effect of intent.effects) {
    const given = givenBy(effect);
    if (given === undefined) return { ...mismatch("/gives", "moreEffects"), passed: 3 };
    for (const one of given) {
      // An allowance of nothing takes one back.
      if (one.amount === 0n) continue;
      const give = coveringGive(rule, one);
      if (give === undefined || one.amount === null) {
        return { ...mismatch("/gives", "moreEffects"), passed: 3 };
      }
      sums.set(give, (sums.get(give) ?? 0n) + one.amount);
    }
  }
  return sumUp(rule, sums);
}

function sumUp({ gives, outcome }: EffectRule, sums: ReadonlyMap<Give, bigint>): RuleResult {
  const spends: Amount[] = [];
  for (const [give, amount] of sums) {
    if (give.atMost !== undefined && amount > BigInt(give.atMost)) {
      const member = `/gives/${gives.indexOf(give)}/atMost`;
      return { member, value: null, reason: reason("givesMore", { most: give.atMost }), passed: 4 };
    }
    if (give.budget !== undefined) spends.push({ budget: give.budget, amount });
  }
  return { outcome, spends };
}

/**
 * Matches the effects of typed data or a transaction, whatever its form. A rule matches only if the built-in standards
 * explain all effects, and the rule covers each of them.
 */
export function* matchEffects(
  { effects = [] }: Policy,
  act: Payload,
  { signer, now }: { readonly signer: Uint8Array; readonly now: Instant },
): CooperativeTask<MatchResult> {
  if (effects.length === 0) return matchRules("/effects", [], reason("noEffects"));
  // To read a batch of calls takes milliseconds.
  yield;
  const intent = intentOf(act, signer, now);
  yield;
  return matchRules("/effects", effects.map((rule) => tryRule(rule, intent)), reason("noEffects"));
}
