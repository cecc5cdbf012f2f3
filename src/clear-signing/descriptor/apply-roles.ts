import type { CallContext } from "../call.ts";
import { type Localizable, localizable } from "../format-message.ts";
import { allowanceEffect, type AssetAmount, type Effect, type IntentWarning } from "../intent.ts";
import { isDust, isUnlimited, largest, listText, nativeText, tokenText, warning } from "../parties.ts";
import { type Member, readMembers } from "../roles.ts";
import type { DescribedFormat } from "./descriptor.ts";
import { itemsOf, valuesAt } from "./path.ts";
import type { MovedRole, Roles } from "./roles.ts";
import { CONTAINER, type Described, valueOf } from "./source.ts";
import type { Source } from "./source.ts";
import { addressOf, bytesOf, integerOf, type Value } from "./value.ts";
import { isHops } from "../hops.ts";

export interface Derived {
  readonly effects: readonly Effect[];
  readonly effectsComplete: boolean;
  readonly warnings: readonly IntentWarning[];
}

/** The parties of the roles. */
interface Parties {
  readonly owner: string;
  readonly account: string | undefined;
  readonly spender: string | undefined;
  readonly to: string | undefined;
  /** True if the owner, or another key of the owner, receives. */
  readonly isBack: boolean;
  /** True if the amount that comes back is not signed. */
  readonly isOpen: boolean;
  readonly until: bigint | undefined;
}

/** Finds the first description with roles. The words may be another's. */
export function findRoles(formats: readonly (DescribedFormat | undefined)[]): RoledFormat | undefined {
  return formats.find((format): format is RoledFormat => format?.roles !== undefined);
}

type RoledFormat = DescribedFormat & { readonly roles: Roles };

/**
 * Returns the effects of the roles, as a standard has them, and the same warnings. Undefined if a value is missing.
 * `how` is `document` for signed offers and permits: anyone may carry them out until their end.
 */
export function applyRoles(
  roles: Roles,
  described: Described,
  context: CallContext,
  how: "call" | "document",
): Derived | undefined {
  const parties = partiesOf(roles, described, context);
  const gives = movedOf(roles.gives, roles, described);
  const receives = movedOf(roles.receives, roles, described);
  if (parties === undefined || gives === undefined || receives === undefined) return undefined;
  const { owner, account, spender, isBack, isOpen, until } = parties;
  const members: readonly Member[] = [
    ...(roles.owner === undefined ? [] : [["owner", owner] as const]),
    ...(account === undefined ? [] : [["account", account] as const]),
    ...(spender === undefined ? [] : allowed(gives, spender, described, context)),
    ...(how === "call" ? [] : [
      [spender !== undefined ? "permit_end" : receives.length > 0 ? "order_end" : "end", until] as const,
      ...[...gives, ...receives].flatMap(({ address }): readonly Member[] =>
        address === null ? [] : [["item_token", address]]
      ),
      ...(spender === undefined && receives.length > 0 && !isOpen
        ? giveaway(isBack ? receives : [], described, context)
        : []),
    ]),
  ];
  return {
    effects: effectsOf(parties, gives, receives, { roles, described }),
    effectsComplete: !roles.isPartial &&
      (account === undefined || isOwn(account, owner, described, context)) &&
      // The exchange then takes the assets of the contract.
      (receives.length === 0 || gives.length > 0),
    warnings: readMembers(context, described.chainId, members, String(described.container.from)).warnings,
  };
}

function effectsOf(
  { owner, spender, to, isBack, isOpen, until }: Parties,
  gives: readonly AssetAmount[],
  receives: readonly AssetAmount[],
  { roles, described }: { readonly roles: Roles; readonly described: Described },
): readonly Effect[] {
  const end = until?.toString() ?? null;
  if (spender !== undefined) {
    return gives.map(({ amount, ...asset }) =>
      allowanceEffect({ owner, spender, asset, amount: BigInt(amount), most: largest(256), until: end })
    );
  }
  if (roles.receives.length > 0) {
    return [{ effect: "exchange", owner, gives, receives: isBack && !isOpen ? receives : [], until: end }];
  }
  // Assets that the owner takes back from a contract do not leave the owner.
  if (to !== undefined && isBack) return [];
  return gives.map((asset) => ({
    effect: "transfer",
    from: owner,
    to: to ?? described.contract,
    asset,
    until: end,
  }));
}

function partiesOf(roles: Roles, described: Described, context: CallContext): Parties | undefined {
  const sender = String(described.container.from);
  const named = [roles.owner, roles.account, roles.spender, roles.to].map((source) => {
    const value = source && valueOf(source, described, []);
    return { source, address: value && addressOf(value) };
  });
  const until = roles.until && integerFrom(roles.until, described);
  const bits = roles.openBit && integerFrom(roles.openBit[0], described);
  // A role without its value leaves the effects unknown.
  if (named.some(({ source, address }) => source !== undefined && address === undefined)) return undefined;
  if (roles.hops !== undefined && !areHops(roles.hops, described)) return undefined;
  if ((roles.until ?? roles.openBit) !== undefined && (until ?? bits) === undefined) return undefined;
  const [owner = sender, ...others] = named.map(({ address }) => address);
  const [account, spender, to] = others.map((address) =>
    address !== undefined && roles.self.includes(address) ? owner : address
  );
  const isBack = to === undefined || isOwn(to, owner, described, context);
  const isOpen = bits !== undefined && (bits >> BigInt(roles.openBit![1])) % 2n === 1n;
  return { owner: owner, account, spender, to, isBack, isOpen, until };
}

/** Returns true for the owner, the caller and the keys of the owner. */
function isOwn(address: string, owner: string, { container }: Described, context: CallContext): boolean {
  return [owner, String(container.from), context.signer].includes(address) ||
    context.labels.get(address) !== undefined;
}

function areHops(source: Source, described: Described): boolean {
  const value = valueOf(source, described, []);
  return value !== undefined && isHops(bytesOf(value));
}

function integerFrom(source: Source, described: Described): bigint | undefined {
  const value = valueOf(source, described, []);
  return value && integerOf(value);
}

function movedOf(
  moved: readonly MovedRole[],
  { native }: Roles,
  described: Described,
): readonly AssetAmount[] | undefined {
  const assets: AssetAmount[] = [];
  for (const { amount, token } of moved) {
    for (const { value, type, indexes } of amountsOf(amount, described) ?? [undefined!]) {
      const count = value === undefined ? undefined : integerOf({ value, type });
      const found: Value | undefined = token && valueOf(token, described, indexes);
      const address = found && addressOf(found);
      if (count === undefined || (token !== undefined && address === undefined)) return undefined;
      const isNative = address === undefined || native.includes(address);
      assets.push({
        standard: isNative ? "native" : "erc20",
        address: isNative ? null : address,
        id: null,
        amount: count.toString(),
      });
    }
  }
  return assets;
}

function amountsOf(source: Source, described: Described): ReturnType<typeof valuesAt> {
  if (!("path" in source)) return undefined;
  const { root, steps } = source.path;
  const found = root === "@"
    ? valuesAt(CONTAINER, described.container, steps)
    : valuesAt(described.parameters, described.struct, steps);
  return found?.flatMap(itemsOf);
}

function assetText(
  { address, amount }: AssetAmount,
  described: Described,
  context: CallContext,
): Localizable {
  const { chainId } = described;
  return address === null
    ? nativeText(chainId, BigInt(amount))
    : tokenText(context, chainId, address, BigInt(amount));
}

function allowed(
  gives: readonly AssetAmount[],
  spender: string,
  described: Described,
  context: CallContext,
): readonly Member[] {
  return [
    ["spender", spender],
    ...gives.map((asset): Member => {
      const amount = BigInt(asset.amount);
      const { chainId } = described;
      const text = isUnlimited(amount) && asset.address !== null
        ? tokenText(context, chainId, asset.address, largest(256), largest(256))
        : assetText(asset, described, context);
      return ["allowance", { spender, amount, text }];
    }),
  ];
}

/** Warns about an order for which nothing or next to nothing comes back to the owner. */
function giveaway(
  receives: readonly AssetAmount[],
  described: Described,
  context: CallContext,
): readonly Member[] {
  if (!receives.every((asset) => isDust(context, described.chainId, asset))) return [];
  const back = receives.length === 0 ? localizable("nothingBack") : localizable("mustComeBack", {
    items: listText(receives.map((asset) => assetText(asset, described, context))),
  });
  return [warning("next_to_nothing", localizable("givesAway", { back }))];
}
